// SPDX-License-Identifier: MIT
#include "actors/delivery.hpp"

#include "providers/provider.hpp"
#include "tests/actors/delivery_world.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::actors;
using namespace std::chrono_literals;

TEST_CASE_METHOD(delivery_fixture, "what waits at the start is sent, signed", "[delivery]") {
  in_store.put(1, 1, now);
  start();
  REQUIRE(open.size() == 1);
  const auto& r = open[0].request;
  const auto m = a_message(1, 0, 1, 1);
  CHECK(r.method == "POST");
  CHECK(r.target.host == "fn.example.com");
  CHECK(r.target.target == "/on-event?key=7");
  CHECK(*r.body == tide::compose_message(m.fact, m.envelope));
  CHECK(header(r, "user-agent") == "tidemark/1.2.3");
  CHECK(header(r, "content-type") == "application/cloudevents+json");
  CHECK(header(r, "webhook-id") == tide::message_id(m.fact));
  CHECK(header(r, "webhook-timestamp") == "1700000000");
  CHECK(header(r, "tidemark-attempt") == "1");
  CHECK(header(r, "X-Team") == "payments");
  CHECK(r.timeout == 30s);
  CHECK(r.keep == 16'384);
  CHECK(r.max_answer == 16'384);
  CHECK(r.reach == net::egress::public_only);

  std::vector<providers::request_header> headers;
  for (const auto& [name, value] : r.headers)
    headers.push_back({name, value});
  const std::string secrets[] = {secret};
  CHECK_FALSE(providers::verify(*providers::find("standard-webhooks")->signs, secrets,
                                {headers, *r.body}, now / 1'000, 0));
}

TEST_CASE_METHOD(delivery_fixture, "each secret signs", "[delivery]") {
  handler->secrets = {"whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", secret};
  handler->allow_private = true;
  in_store.put(1, 1, now);
  start();
  REQUIRE(open.size() == 1);
  const auto signature = header(open[0].request, "webhook-signature");
  CHECK(signature.size() == 2 * 47 + 1);
  CHECK(signature.find(" v1,") == 47);
  CHECK(open[0].request.reach == net::egress::private_ok);
}

TEST_CASE_METHOD(delivery_fixture, "what a handler is asked by is not in the answer that is kept",
                 "[delivery]") {
  handler->headers = {{"Authorization", "Bearer TOKEN123"}};
  in_store.put(1, 2, now);
  start();
  answer(500, "no Bearer TOKEN123, see https://fn.example.com/logs?key=1");
  REQUIRE(turns.back().finished.size() == 1);
  CHECK(turns.back().finished[0].answer == "no …, see https://fn.example.com/…");
}

TEST_CASE_METHOD(delivery_fixture, "what ended and what is next are one write", "[delivery]") {
  in_store.put(1, 3, now);
  start();
  REQUIRE(turns.size() == 1);
  CHECK(turns[0].take == 8);
  CHECK(turns[0].max_bytes == 16 * 1024 * 1024);
  answer(200, "thanks");
  REQUIRE(turns.size() == 2);
  REQUIRE(turns[1].finished.size() == 1);
  const auto& f = turns[1].finished[0];
  CHECK(f.handler == "app");
  CHECK(f.lane == 1);
  CHECK(f.seq == 0);
  CHECK(f.attempt_id == 1);
  CHECK(f.outcome == tide::outcome::ok);
  CHECK(f.done);
  CHECK(f.http_status == 200);
  CHECK(f.answer == "thanks");
  CHECK(turns[1].take == 8);
  REQUIRE(open.size() == 1);
  answer(204);
  answer(204);
  CHECK(in_store.waiting() == 0);
  CHECK(turns.size() == 4);
  CHECK(open.empty());
  advance(1h, 1min);
  CHECK(turns.size() == 4); // nothing is due, and nothing is asked
}

TEST_CASE_METHOD(delivery_fixture,
                 "how long after its block an event was heard of: not of what is heard again, nor"
                 " of what is left out",
                 "[delivery]") {
  int n = 0;
  in_store.dress = [&](store::message& m) {
    m.fact.time = 1'600'000'000;
    if (++n == 2) m.job = 7;
    if (n == 3) m.notice = tide::gap_notice({}, 1, 0, now);
  };
  in_store.put(1, 4, now);
  start();
  for (int i = 0; i < 3; ++i)
    answer(200);
  answer(500);
  CHECK(latency_known == std::vector{true, false, false, false});
}

TEST_CASE_METHOD(delivery_fixture, "what failed comes again with the same bytes", "[delivery]") {
  in_store.put(1, 1, now);
  start();
  const auto first = open.at(0).request;
  answer(500, "no");
  CHECK(in_store.finished.back().outcome == tide::outcome::failed);
  const auto retry_at = in_store.finished.back().retry_at;
  REQUIRE(retry_at);
  CHECK(*retry_at <= now + 1'000);
  CHECK(open.empty() == (*retry_at > now));
  advance(1s);
  REQUIRE(open.size() == 1);
  CHECK(*open[0].request.body == *first.body);
  CHECK(header(open[0].request, "webhook-id") == header(first, "webhook-id"));
  CHECK(header(open[0].request, "tidemark-attempt") == "2");
  CHECK(header(open[0].request, "webhook-timestamp") == std::to_string(now / 1'000));
  CHECK(header(open[0].request, "webhook-signature") != header(first, "webhook-signature"));
}

TEST_CASE_METHOD(delivery_fixture, "a batch of messages about messages alone is done by a refusal",
                 "[delivery]") {
  std::size_t notices = 2;
  in_store.dress = [&](store::message& m) {
    m.batch = true;
    m.more = {a_message(1, 1, 2, 1)};
    if (notices > 0) m.notice = tide::gap_notice({}, 1, 0, now);
    if (notices > 1) m.more[0].notice = tide::gap_notice({}, 1, 1, now);
  };
  SECTION("of both") {
    in_store.put(1, 2, now);
    start();
    answer(422, R"({"acked_through":"0"})");
    CHECK(in_store.finished.back().done);
    CHECK(in_store.finished.back().taken == 2);
  }
  SECTION("one that mixes splits") {
    notices = 1;
    in_store.put(1, 2, now);
    start();
    answer(422);
    CHECK_FALSE(in_store.finished.back().done);
    CHECK(in_store.finished.back().split);
  }
}

TEST_CASE_METHOD(delivery_fixture, "no more keys in flight than concurrency", "[delivery]") {
  handler->concurrency = 3;
  for (std::int64_t l = 1; l <= 10; ++l)
    in_store.put(l, 4, now);
  start();
  CHECK(open.size() == 3);
  CHECK(told.back().in_flight == 3);
  for (int i = 0; i < 40; ++i) {
    answer(200);
    CHECK(open.size() <= 3);
  }
  CHECK(in_store.waiting() == 0);
  CHECK(told.back().in_flight == 0);
}

TEST_CASE_METHOD(delivery_fixture, "a store that fails loses nothing", "[delivery]") {
  in_store.put(1, 2, now);
  failing_turns = 2;
  start();
  CHECK(open.empty());
  CHECK(warnings.size() == 1);
  ring(); // a bell does not hurry it
  CHECK(failing_turns == 1);
  advance(1s);
  CHECK(failing_turns == 0);
  advance(1s);
  REQUIRE(open.size() == 1);
  failing_turns = 1;
  answer(200);
  CHECK(in_store.finished.empty());
  advance(1s);
  REQUIRE(in_store.finished.size() == 1);
  CHECK(in_store.finished[0].done);
  REQUIRE(open.size() == 1);
  answer(200);
  CHECK(in_store.waiting() == 0);
}

TEST_CASE_METHOD(delivery_fixture, "a broken handler is probed, and says so", "[delivery]") {
  for (std::int64_t l = 1; l <= 4; ++l)
    in_store.put(l, 2, now);
  start();
  REQUIRE(open.size() == 4);
  answer(net::client_error{net::failure::refused, "https://fn.example.com: refused", false});
  CHECK(told.back().state == tide::handler_state::broken);
  CHECK(told.back().name == "app");
  CHECK(told.back().reason == "https://fn.example.com: refused");
  CHECK(told.back().next_probe_at == now + 1'000);
  CHECK(in_store.finished.back().outcome == tide::outcome::handler_bad);
  CHECK_FALSE(in_store.finished.back().http_status);
  while (!open.empty())
    answer(net::client_error{net::failure::dns, "https://fn.example.com: no address", false});
  all_sent.clear();
  for (int s = 0; s < 1'800; ++s) {
    advance(1s);
    while (!open.empty())
      answer(net::client_error{net::failure::tls, "https://fn.example.com: expired", false});
  }
  CHECK(all_sent.size() <= 15); // 1 2 4 … 256 300 300 300 s
  CHECK(all_sent.size() >= 12);
  advance(5min);
  REQUIRE(open.size() == 1);
  answer(200);
  CHECK(told.back().state == tide::handler_state::active);
  REQUIRE(open.size() == 1);
  answer(200);
  CHECK(open.size() == 2); // twice as many each round
  for (int i = 0; i < 10 && in_store.waiting() > 0; ++i) {
    answer_all(200);
    advance(1s);
  }
  CHECK(in_store.waiting() == 0);
}

TEST_CASE_METHOD(delivery_fixture, "410 is stored as a pause", "[delivery]") {
  in_store.put(1, 2, now);
  start();
  answer(410);
  REQUIRE(pauses.size() == 1);
  CHECK(pauses[0].handler == "app");
  CHECK(pauses[0].paused);
  CHECK(pauses[0].reason == "it answered 410");
  CHECK(in_store.finished.back().outcome == tide::outcome::gone);
  CHECK(told.back().state == tide::handler_state::paused);
  advance(1h, 1min);
  CHECK(open.empty());
  in_store.paused = false;
  ring();
  CHECK(told.back().state == tide::handler_state::active);
  answer_all(200);
  CHECK(in_store.waiting() == 0);
}

TEST_CASE_METHOD(delivery_fixture, "draining finishes what is in flight, then quits",
                 "[delivery]") {
  in_store.put(1, 2, now);
  in_store.put(2, 2, now);
  start();
  REQUIRE(open.size() == 2);
  caf::anon_send(delivery, drain{});
  run();
  CHECK(is_alive(delivery));
  answer(200);
  CHECK(is_alive(delivery));
  failing_turns = 1;
  answer(500);
  CHECK(is_alive(delivery)); // the store does not know yet
  advance(1s);
  CHECK_FALSE(is_alive(delivery));
  REQUIRE(in_store.finished.size() == 2);
  CHECK(in_store.finished[1].outcome == tide::outcome::failed);
  CHECK(in_store.waiting() == 3);
}

TEST_CASE_METHOD(delivery_fixture, "draining with nothing in flight quits at once", "[delivery]") {
  start();
  caf::anon_send(delivery, drain{});
  run();
  CHECK_FALSE(is_alive(delivery));
}

TEST_CASE_METHOD(delivery_fixture, "a silent store does not make it ask twice", "[delivery]") {
  in_store.put(1, 1, now);
  script->silent = true;
  start();
  for (int i = 0; i < 10; ++i) {
    ring();
    advance(10s);
  }
  CHECK(turns.empty());
  CHECK(state_of<fake_store_actor>(store).kept.size() == 1);
}

TEST_CASE("what the client says is what the courier hears", "[delivery]") {
  using kind = tide::exchange_end::kind;
  using net::failure;
  const std::pair<failure, kind> rows[] = {
      {failure::dns, kind::unreachable},     {failure::refused, kind::unreachable},
      {failure::tls, kind::unreachable},     {failure::refused_address, kind::unreachable},
      {failure::timeout, kind::no_answer},   {failure::cut, kind::no_answer},
      {failure::too_large, kind::no_answer}, {failure::malformed, kind::no_answer},
  };
  for (const auto& [from, to] : rows) {
    const auto got = end_of(net::client_error{from, "why", true}, 7);
    CHECK(got.is == to);
    CHECK(got.text == "why");
    CHECK(got.ms == 7);
  }
  net::client_response r{503, {{"retry-AFTER", "9"}}, std::string(5'000, 'x'), true};
  const auto got = end_of(r, 1);
  CHECK(got.is == kind::answered);
  CHECK(got.status == 503);
  CHECK(got.retry_after == "9");
  CHECK(got.text.size() == 4'096);
  CHECK(got.body.size() == 5'000);
  CHECK(got.cut_short);
}

TEST_CASE_METHOD(delivery_fixture, "delivery: its first turn says that nobody else sends any more",
                 "[delivery]") {
  in_store.put(1, 2, now);
  std::vector<bool> firsts;
  script->turn = [&](const turn_order& t) -> caf::result<messages_taken> {
    firsts.push_back(t.turn->first);
    if (firsts.size() == 1) return store_fails();
    return in_store.turn(*t.turn, now);
  };
  start();
  advance(1s);
  answer_all(200);
  REQUIRE(firsts.size() >= 3);
  CHECK(firsts[0]);
  CHECK(firsts[1]); // the store did not take the one before
  CHECK(std::count(firsts.begin(), firsts.end(), true) == 2);
  CHECK(all_sent.at(0).sender == "app");
}

TEST_CASE_METHOD(delivery_fixture, "delivery: a ping is answered however its actor ends",
                 "[delivery]") {
  start();
  int pinged = 0;
  std::string wrong;
  auto asker = sys.spawn([&](caf::event_based_actor* me) {
    me->request(delivery, caf::infinite, ping_handler{})
        .then([&](const handler_pinged&) { ++pinged; },
              [&](const caf::error& e) { wrong = sys.render(e); });
  });
  owned.push_back(caf::actor_cast<caf::strong_actor_ptr>(asker));
  run();
  REQUIRE(open.size() == 1);
  caf::anon_send(delivery, drain{});
  run();
  CHECK(is_alive(delivery)); // it is in flight
  SECTION("drained") {
    answer(204);
    CHECK(pinged == 1);
    CHECK_FALSE(is_alive(delivery));
  }
  SECTION("killed") {
    caf::anon_send_exit(delivery, caf::exit_reason::kill);
    run();
    CHECK(wrong.find("ended before the answer") != std::string::npos);
  }
}
