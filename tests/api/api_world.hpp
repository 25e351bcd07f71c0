// SPDX-License-Identifier: MIT
#pragma once

#include "api/admin_api.hpp"
#include "tests/store/world.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

// The API over a real store in memory, with orders that only write down what they were told.

namespace tidemark::test {

namespace json = boost::json;

inline const std::string two_handlers = R"yaml(
instance: test
store: {path: t.db}
admin: {listen: "127.0.0.1:8481", token: "a-token"}
confirmation_policy: {three: 3}
chains:
  - {name: ethereum, id: 1, rpc: ["http://127.0.0.1:8545"], confirmations: three}
sources:
  - {name: alchemy, provider: alchemy, secret: signing-key, chain: ethereum}
  - {name: second, provider: alchemy, secret: signing-key, chain: ethereum}
subscriptions:
  - {name: transfers, chains: [ethereum], event: "Transfer(address indexed from, address indexed to, uint256 value)"}
handlers:
  - {name: h, url: "http://127.0.0.1:3000/", allow_private: true, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=}
  - {name: g, url: "http://127.0.0.1:3001/", allow_private: true, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=}
)yaml";

inline config::config parse_config(const std::string& yaml) {
  auto loaded = config::parse(yaml, "t.yaml",
                              [](const std::string&) { return std::optional<std::string>{}; });
  for (const auto& p : loaded.problems)
    FAIL_CHECK(p.to_string());
  REQUIRE(loaded.value);
  return *loaded.value;
}

/// A request as a value; the server's own can be neither copied nor moved.
struct asked {
  std::string method = "GET", target, query;
  net::header_list headers;
  std::string body;

  void put_into(net::request& r) const {
    r.method = method;
    r.target = target;
    r.query = query;
    r.headers = headers;
    r.body = body;
    r.remote = boost::asio::ip::make_address("127.0.0.1");
  }
};

inline asked get(const std::string& target, net::header_list headers = {}) {
  asked r;
  const auto mark = target.find('?');
  r.target = target.substr(0, mark);
  if (mark != target.npos) r.query = target.substr(mark + 1);
  r.headers = std::move(headers);
  r.headers.emplace_back("Host", "127.0.0.1:8481");
  return r;
}
inline asked post(const std::string& target, const std::string& body = "{}") {
  auto r = get(target, {{"Content-Type", "application/json"}});
  r.method = "POST";
  r.body = body;
  return r;
}
inline std::optional<net::response> at_head(const api::admin_api& api, const asked& a) {
  net::request r;
  a.put_into(r);
  return api.at_head(r);
}

inline json::value parsed(const net::response& r) {
  boost::system::error_code ec;
  auto v = json::parse(r.body, ec);
  INFO(r.body);
  REQUIRE_FALSE(ec);
  return v;
}

/// The names of an object's members, in order, with spaces between.
inline std::string members(const json::value& v) {
  std::string out;
  for (const auto& m : v.as_object())
    out += (out.empty() ? "" : " ") + std::string(m.key());
  return out;
}
inline std::string text(const json::value& v) { return json::serialize(v); }

struct api_world : world {
  config::config config;
  api::live board{api::identity{"1.2.3", 1'000, 1}};
  std::vector<std::string> ordered; ///< "resume ethereum false by token"
  tide::resume_report report;       ///< what the chain says to a resume
  tide::skip_answered skip_says;    ///< and to a skip
  tide::exchange_end pinged;        ///< what the handler makes of a ping
  net::response answered;           ///< by the slot of the last order
  api::orders orders;
  api::admin_api api{config, board, orders};
  store::reader reader{*db};
  std::int64_t clock = 1'700'000'000'000;

  explicit api_world(const std::string& yaml = two_handlers) : config(parse_config(yaml)) {
    orders.resume = [this](const std::string& name, bool accept, const std::string& who,
                           net::reply_slot slot, auto render) {
      ordered.push_back("resume " + name + (accept ? " true" : " false") + " by " + who);
      slot.deliver(render(report));
    };
    orders.skip = [this](const std::string& name, const tide::skip_order& o, net::reply_slot slot,
                         std::function<net::response(const tide::skip_answered&)> make) {
      ordered.push_back("skip " + name + " " + std::to_string(o.from) + "-" + std::to_string(o.to) +
                        " (" + o.reason + ") by " + o.who);
      slot.deliver(make(skip_says));
    };
    orders.pause = [this](const std::string& handler, bool paused, const std::string& reason,
                          const std::string& who, net::reply_slot slot, auto render) {
      ordered.push_back((paused ? "pause " : "resume ") + handler + " (" + reason + ") by " + who);
      slot.deliver(render());
    };
    orders.reprocess = [this](std::vector<std::int64_t> ids, const std::string& who,
                              net::reply_slot slot, auto render) {
      if (ids.empty()) ordered.push_back("reprocess none by " + who);
      for (const auto id : ids)
        ordered.push_back("reprocess " + std::to_string(id) + " by " + who);
      slot.deliver(render(ids.size()));
    };
    orders.dead = [this](const store::dead_order& o, net::reply_slot slot, auto render) {
      std::string text = std::string(o.skip ? "skip" : "retry") + (o.all ? " all" : "");
      for (const auto id : o.ids)
        text += " " + std::to_string(id);
      ordered.push_back(text + (o.reason.empty() ? "" : " (" + o.reason + ")") + " by " + o.who);
      store::dead_done done;
      in_group([&] { done = must(db->order_dead(o, ++now)); });
      slot.deliver(render(done));
    };
    orders.replay = [this](const store::replay_order& o, net::reply_slot slot, auto render) {
      store::replay_started started;
      in_group([&] { started = must(db->replay(o, ++now)); });
      slot.deliver(render(started));
    };
    orders.test = [this](const std::string& handler, const std::string& who, net::reply_slot slot,
                         auto render) {
      ordered.push_back("test " + handler + " by " + who);
      slot.deliver(render("ping_1_1", pinged));
    };
    orders.cancel = [this](std::int64_t job, const std::string& who, net::reply_slot slot,
                           auto render) {
      ordered.push_back("cancel " + std::to_string(job) + " by " + who);
      bool ran = false;
      in_group([&] { ran = must(db->cancel_job(job, now)); });
      slot.deliver(render(ran));
    };
  }

  api::answer answer(const asked& a, std::optional<api::wait_for_feed> waited = {}) {
    net::request r;
    a.put_into(r);
    if (!r.header("Authorization")) r.headers.emplace_back("Authorization", "Bearer a-token");
    const net::reply_slot slot{[this](net::response given) { answered = std::move(given); }};
    return api.answer(r, reader, clock, slot, waited);
  }
  /// The answer, by whatever way it came.
  net::response ask(const asked& r) {
    answered = {};
    auto a = answer(r);
    REQUIRE_FALSE(std::holds_alternative<api::wait_for_feed>(a));
    if (auto* done = std::get_if<net::response>(&a)) return std::move(*done);
    return answered;
  }
  std::optional<net::response> head(const asked& r) const { return at_head(api, r); }
  json::value ask_json(const std::string& target) {
    const auto r = ask(get(target));
    INFO(target << ": " << r.body);
    REQUIRE(r.status == 200);
    CHECK(r.content_type == "application/json");
    return parsed(r);
  }
  unsigned status(const std::string& target) { return ask(get(target)).status; }

  /// Event 1 confirmed in block 10, 2 pending in 14, 3 confirmed in 11 and rolled back by a reorg.
  void fill() {
    const auto one = named(log(block(10), 1)), two = named(log(block(14), 2)),
               three = named(log(block(11), 3));
    std::vector<tide::held_header> headers;
    for (std::uint64_t n = 10; n <= 14; ++n)
      headers.push_back(header(n));
    apply(14, {tide::saw{{one, two, three}}}, headers);
    tide::shown all;
    all.blocks = {block(10), block(11)};
    all.logs = {one, three};
    apply(14, {all, tide::mark_moved{block(11)}});
    tide::reorg left;
    left.depth = 1;
    left.ancestor = block(10);
    left.old_head = block(11);
    left.new_head = block(12, 'B');
    apply(14, {tide::orphaned{block(11)}, left, tide::mark_moved{block(10)}},
          {header(11, 'B', 'A'), header(12, 'B'), header(13, 'B'), header(14)});
  }
  /// With the `data` that a chain would have rendered, as far as the API looks at it.
  static tide::sighting named(tide::sighting s) {
    s.data = R"({"event_id":")" + tide::event_id(chain, s.tx, s.log_index) +
             R"(","chain":"ethereum","block":{"number":)" + std::to_string(s.block.number) + "}}";
    return s;
  }
  static std::string id(std::uint64_t t) { return tide::event_id(chain, tx(t), 0); }
};

inline tide::chain_status following() {
  tide::chain_status s;
  s.name = "ethereum";
  s.id = 1;
  s.state = tide::chain_state::following;
  s.head = block(14);
  s.mark = block(11);
  s.lag_blocks = 2;
  s.finalized = 5;
  s.endpoints = {{"127.0.0.1:8545", tide::endpoint_state::ok, 14, 1.5, 3, 1}};
  s.last_reconcile = tide::reconcile_report{1'700'000'000'123, 10, 11, 1, 2};
  return s;
}

/// A stored webhook's id.
inline std::int64_t append(api_world& w, const std::string& source, const std::string& body) {
  store::webhook_receipt r;
  w.in_group([&] { r = must(w.db->append({source, w.clock, R"({"x-a":"b"})", body})); });
  return r.id;
}

} // namespace tidemark::test
