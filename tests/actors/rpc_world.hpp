// SPDX-License-Identifier: MIT
#pragma once

#include "actors/rpc.hpp"
#include "tests/actors/fixture.hpp"
#include "tests/tide/rpc_world.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace tidemark::actors {

namespace json = boost::json;

/// A node behind an URL: blocks of branch A up to its head, one transaction each.
struct node {
  std::uint64_t chain_id = 1, head = 5'000;
  std::uint64_t span = 1'000'000; ///< of eth_getLogs
  std::string span_words = "block range too large";
  std::size_t batch = 1'000; ///< more calls at once are answered with `batch_answer`
  std::string batch_answer;
  /// Answers instead, where it gives something.
  std::function<std::optional<net::client_result>(const std::string& body)> instead;
  bool fresh = false;  ///< the next answer comes over a new connection
  bool silent = false; ///< answers are kept, not given
  std::vector<net::http_client::callback> kept;

  struct call {
    std::string method, params;
    std::int64_t at = 0;
  };
  std::vector<call> heard;
  std::vector<std::size_t> sizes; ///< of each request: its calls

  std::size_t count(std::string_view method) const {
    return static_cast<std::size_t>(std::count_if(
        heard.begin(), heard.end(), [&](const call& c) { return c.method == method; }));
  }

  std::string result(const std::string& method, const json::array& params) const {
    using namespace rpc_test;
    if (method == "eth_chainId") return quoted(evm::to_quantity(chain_id));
    if (method == "eth_getBlockByNumber") {
      const auto n = evm::parse_quantity(params[0].as_string()).value_or(head);
      return n > head ? "null" : to_json(block_of(n, 1).header);
    }
    if (method == "eth_getLogs") {
      const auto& o = params[0].as_object();
      if (const auto* hash = o.if_contains("blockHash")) {
        const auto h = evm::parse_hash(hash->as_string()).value();
        std::uint64_t n = 0;
        for (std::size_t i = 24; i < 32; ++i)
          n = n << 8 | h.octets[i];
        return to_json(block_of(n, 1).logs);
      }
      const auto from = *evm::parse_quantity(o.at("fromBlock").as_string());
      const auto to = *evm::parse_quantity(o.at("toBlock").as_string());
      if (to - from + 1 > span) return "!" + span_words;
      std::vector<evm::log> logs;
      for (auto i = from; i <= to; i += 100)
        logs.push_back(block_of(i, 1).logs.front());
      return to_json(logs);
    }
    return "null";
  }

  net::client_result answer(const std::string& body, std::int64_t now) {
    const auto asked = json::parse(body);
    const json::array one{asked};
    const auto& calls = asked.is_array() ? asked.get_array() : one;
    sizes.push_back(calls.size());
    std::string out;
    for (const auto& c : calls) {
      const auto method = std::string(c.at("method").as_string());
      heard.push_back({method, json::serialize(c.at("params")), now});
      const auto r = result(method, c.at("params").as_array());
      out += (out.empty() ? "" : ",") + std::string(R"({"id":)") + json::serialize(c.at("id")) +
             (r[0] == '!' ? R"(,"error":{"code":-32602,"message":")" + r.substr(1) + "\"}}"
                          : R"(,"result":)" + r + "}");
    }
    if (instead)
      if (auto other = instead(body)) return *other;
    net::client_response r;
    r.status = 200;
    r.fresh = std::exchange(fresh, false);
    r.body = calls.size() > batch ? batch_answer : asked.is_array() ? "[" + out + "]" : out;
    return r;
  }
};

inline net::client_result http(unsigned status, std::string body, net::header_list headers = {}) {
  net::client_response r;
  r.status = status;
  r.body = std::move(body);
  r.headers = std::move(headers);
  return r;
}
inline net::client_result broken(net::failure kind) {
  return net::client_error{kind, net::to_string(kind), true};
}

/// The RPC actor, its nodes, and a chain that asks what it is told to.
struct rpc_fixture : actor_fixture {
  std::map<std::string, node> nodes; ///< by host
  std::shared_ptr<config::chain> chain = std::make_shared<config::chain>();
  std::vector<std::string> warnings;
  std::vector<tide::endpoint_status> published;
  std::vector<std::string> results; ///< of posts, in the metrics' words
  rpc_actor rpc;
  chain_actor asker;
  std::deque<tide::ask> asks;
  std::vector<tide::answer> answers;
  std::uint64_t asks_made = 0;

  explicit rpc_fixture(const std::string& hosts = "ab") {
    chain->name = "ethereum";
    chain->id = 1;
    for (const char h : hosts) {
      config::endpoint e;
      e.name = std::string(1, h);
      e.url = "http://" + e.name + ".example/key";
      chain->rpc.push_back(e);
      nodes[e.name + ".example"];
    }
  }
  ~rpc_fixture() { end(); }

  node& a() { return nodes.at("a.example"); }
  node& b() { return nodes.at("b.example"); }

  void start() {
    rpc_params p;
    p.chain = chain;
    p.send = [this](net::client_request r, net::http_client::callback done) {
      auto& to = nodes.at(r.target.host);
      if (to.silent) {
        to.kept.push_back(std::move(done));
        (void)to.answer(*r.body, now);
      } else {
        done(to.answer(*r.body, now));
      }
    };
    p.now = [this] { return now; };
    p.publish = [this](std::vector<tide::endpoint_status> s) { published = std::move(s); };
    p.posted = [this](std::size_t, std::string_view, std::string_view result, double) {
      results.emplace_back(result);
    };
    p.warn = [this](std::string_view t) { warnings.emplace_back(t); };
    p.seed = 7;
    rpc = own(sys.spawn(make_rpc, std::move(p)));
    asker = own(sys.spawn([this](chain_actor::pointer self_) -> chain_actor::behavior_type {
      return {
          [this, self_](look) {
            self_->send(rpc, asked{box(std::move(asks.front()))});
            asks.pop_front();
          },
          [](head_heard) {},
          [](const tick&) {},
          [this](const answered& got) { answers.push_back(*got.answer); },
          [](const resume_chain&) -> caf::result<chain_resumed> { return caf::sec::runtime_error; },
          [](const skip_blocks&) -> caf::result<blocks_skipped> { return caf::sec::runtime_error; },
          [](const reconcile_range&) {},
          [](const stop_range&) {},
          [](const recount&) {}};
    }));
  }
  void send(tide::ask_what what, std::optional<std::size_t> endpoint = {}) {
    if (!rpc) start();
    asks.push_back({++asks_made, std::move(what), endpoint, {}});
    caf::anon_send(asker, look{});
    run();
  }
  /// Asks, and waits up to so long on simulated time.
  tide::answer ask(tide::ask_what what, std::optional<std::size_t> endpoint = {},
                   std::chrono::milliseconds wait = std::chrono::seconds(30)) {
    const auto before = answers.size();
    send(std::move(what), endpoint);
    for (auto left = wait; answers.size() == before && left.count() > 0;
         left -= std::chrono::milliseconds(50))
      advance(std::chrono::milliseconds(50));
    REQUIRE(answers.size() == before + 1);
    CHECK(answers.back().n == asks_made);
    return answers.back();
  }
  /// Who answered, or "none: words".
  std::string who(tide::ask_what what, std::optional<std::size_t> endpoint = {}) {
    const auto got = ask(std::move(what), endpoint);
    if (const auto* no = std::get_if<tide::no_answer>(&got.what)) return "none: " + no->text;
    return got.endpoint_name;
  }
  std::string state(std::size_t i) const { return std::string(to_text(published.at(i).state)); }
};

inline tide::ask_blocks blocks(std::uint64_t from, std::uint64_t to) {
  tide::ask_blocks a;
  for (; from <= to; ++from)
    a.ids.push_back(rpc_test::id_of(from));
  return a;
}

} // namespace tidemark::actors
