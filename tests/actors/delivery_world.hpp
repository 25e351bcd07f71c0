// SPDX-License-Identifier: MIT
#pragma once

#include "actors/delivery.hpp"
#include "tests/actors/fake_store.hpp"
#include "tests/actors/fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>

namespace tidemark::actors {

inline const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

inline std::shared_ptr<config::handler> a_handler() {
  auto h = std::make_shared<config::handler>();
  h->url = "https://fn.example.com/on-event?key=7";
  h->secrets = {secret};
  h->headers = {{"X-Team", "payments"}};
  h->recipient.name = "app";
  return h;
}

inline store::message a_message(std::int64_t lane, std::uint64_t seq, std::int64_t attempt_id,
                                std::uint32_t attempt) {
  store::message m;
  m.lane = lane;
  m.seq = seq;
  m.attempt = attempt;
  m.attempt_id = attempt_id;
  m.fact.chain_id = 1;
  m.fact.log_index = static_cast<std::int32_t>(lane * 1'000) + static_cast<std::int32_t>(seq);
  m.fact.version = 1;
  m.fact.status = tide::status::confirmed;
  m.fact.n = 1;
  m.fact.data = R"({"event_id":"x"})";
  m.envelope = {"main", "app", "transfers", "1:" + std::to_string(lane), seq, 1, false};
  return m;
}

/// The store's lanes in a few lines.
struct lanes_of_store {
  struct lane {
    std::uint64_t head = 0, next = 0;
    std::uint32_t tries = 0;
    std::optional<std::int64_t> due;
  };
  std::map<std::int64_t, lane> lanes;
  std::vector<store::finished> finished;
  std::int64_t last_attempt = 0;
  bool paused = false;
  std::function<void(store::message&)> dress = [](store::message&) {}; ///< what else it is

  void put(std::int64_t id, std::uint64_t count, std::int64_t now) {
    auto& l = lanes[id];
    if (l.head == l.next) l.due = now;
    l.next += count;
  }
  std::size_t waiting() const {
    std::size_t n = 0;
    for (const auto& [id, l] : lanes)
      n += l.next - l.head;
    return n;
  }
  messages_taken turn(const delivery_turn& t, std::int64_t now) {
    for (const auto& f : t.finished) {
      finished.push_back(f);
      auto& l = lanes.at(f.lane);
      REQUIRE(l.head == f.seq);
      if (f.done) {
        l.tries = 0;
        l.head += f.taken;
        if (l.head < l.next) l.due = now;
      } else {
        if (f.outcome != tide::outcome::failed) --l.tries;
        l.due = f.retry_at.value_or(now);
      }
    }
    store::message_batch batch;
    for (auto& [id, l] : lanes) {
      if (paused || !l.due || t.take == 0) continue;
      if (*l.due <= now && batch.messages.size() < t.take) {
        l.due.reset();
        batch.messages.push_back(a_message(id, l.head, ++last_attempt, ++l.tries));
        dress(batch.messages.back());
      } else {
        batch.next_due = std::min(batch.next_due.value_or(*l.due), *l.due);
      }
    }
    return {box(std::move(batch))};
  }
};

struct delivery_fixture : actor_fixture {
  struct sent {
    net::client_request request;
    net::http_client::callback done;
  };
  std::shared_ptr<store_script> script = std::make_shared<store_script>();
  lanes_of_store in_store;
  std::vector<delivery_turn> turns;
  std::vector<pause_handler> pauses;
  std::vector<sent> open;
  std::vector<net::client_request> all_sent;
  std::vector<tide::handler_status> told;
  std::vector<std::string> warnings;
  std::vector<bool> latency_known; ///< of each attempt that ended
  std::shared_ptr<config::handler> handler = a_handler();
  std::size_t failing_turns = 0; ///< so many are refused
  store_actor store;
  delivery_actor delivery;

  delivery_fixture() {
    script->turn = [this](const turn_order& t) -> caf::result<messages_taken> {
      if (failing_turns > 0) {
        --failing_turns;
        return store_fails();
      }
      turns.push_back(*t.turn);
      return in_store.turn(*t.turn, now);
    };
    script->pause = [this](const pause_handler& p) -> caf::result<order_done> {
      pauses.push_back(p);
      in_store.paused = p.paused;
      return order_done{1};
    };
    store = own(sys.spawn(make_fake_store, script));
  }
  ~delivery_fixture() { end(); }
  void start() {
    delivery_params p;
    p.handler = handler;
    p.store = store;
    p.send = [this](net::client_request r, net::http_client::callback done) {
      all_sent.push_back(r);
      open.push_back({std::move(r), std::move(done)});
    };
    p.now = [this] { return now; };
    p.publish = [this](tide::handler_status s) { told.push_back(std::move(s)); };
    p.warn = [this](std::string_view text) { warnings.emplace_back(text); };
    p.attempted = [this](const attempt_end& a) {
      latency_known.push_back(a.latency_s.has_value());
    };
    p.version = "1.2.3";
    p.seed = 5;
    delivery = own(sys.spawn(make_delivery, p));
    run();
  }
  void ring() {
    caf::anon_send(delivery, look{});
    run();
  }
  void answer(net::client_result r) {
    REQUIRE_FALSE(open.empty());
    auto first = std::move(open.front());
    open.erase(open.begin());
    first.done(std::move(r));
    run();
  }
  void answer(unsigned status, std::string body = "", net::header_list headers = {}) {
    answer(net::client_response{status, std::move(headers), std::move(body), false});
  }
  void answer_all(unsigned status) {
    while (!open.empty())
      answer(status);
  }
  std::string header(const net::client_request& r, std::string_view name) {
    const auto* value = net::find_header(r.headers, name);
    return value ? *value : "";
  }
};

} // namespace tidemark::actors
