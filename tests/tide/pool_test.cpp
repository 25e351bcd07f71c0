// SPDX-License-Identifier: MIT
#include "tide/pool.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::tide;
using f = rpc_failure;

namespace {

constexpr std::int64_t now = 1'700'000'000'000;

pool pool_of(std::size_t n) {
  std::vector<endpoint_settings> all;
  for (std::size_t i = 0; i < n; ++i)
    all.push_back({std::string(1, static_cast<char>('a' + i)), {}, 0});
  return {std::move(all), 2'000};
}

/// The name of who is asked, in order, until nobody may be.
std::string asked(pool& p, std::int64_t at) {
  std::string out;
  std::vector<bool> tried(p.size());
  while (const auto i = p.choose(at, tried)) {
    out += p.name(*i);
    tried[*i] = true;
  }
  return out;
}

/// When endpoint 0 may be asked again, in ms from `at`.
std::int64_t pause(pool& p, std::int64_t at) {
  const std::vector<bool> only_first = [&] {
    std::vector<bool> t(p.size(), true);
    t[0] = false;
    return t;
  }();
  for (std::int64_t ms = 0; ms < 4'000'000; ms += ms < 1'000 ? 10 : 100)
    if (p.choose(at + ms, only_first)) return ms;
  return -1;
}

std::string state(const pool& p, std::size_t i) {
  return std::string(to_text(p.status()[i].state));
}

} // namespace

TEST_CASE("pool: the first is preferred, the others take over, it gives back") {
  auto p = pool_of(3);
  CHECK(asked(p, now) == "abc");
  p.failed(0, f::transient, "no", now, {});
  CHECK(asked(p, now) == "bc");
  CHECK(state(p, 0) == "failing");
  p.succeeded(1, 10, 5, now);
  CHECK(asked(p, now) == "bc");
  CHECK(asked(p, now + 250) == "abc");
  p.failed(1, f::transient, "no", now, {});
  p.failed(2, f::transient, "no", now, {});
  CHECK(asked(p, now).empty());
  CHECK(p.ready_at(now) == now + 250);
  CHECK(p.ready_at(now + 300) == now + 300);
  CHECK(asked(p, now + 250) == "abc");
}

TEST_CASE("pool: who fails again and again waits longer, up to 30 s") {
  auto p = pool_of(2);
  std::int64_t last = 0;
  for (int i = 0; i < 40; ++i) {
    p.failed(0, f::transient, "no", now, {});
    const auto ms = pause(p, now);
    CHECK(ms >= last);
    last = ms;
  }
  CHECK(last == 30'000);
  p.succeeded(0, 10, 5, now);
  CHECK(pause(p, now) == 0);
  CHECK(state(p, 0) == "ok");
  CHECK(p.status()[0].errors == 40);
  p.failed(0, f::transient, "no", now, {});
  CHECK(pause(p, now) == 250);
}

TEST_CASE("pool: what a failure means for the next turn") {
  struct row {
    f failure;
    const char* state;
    std::int64_t pause;
    std::int64_t pause_alone;
    bool known_chain;
  };
  const row rows[] = {
      {f::transient, "failing", 250, 250, false},
      {f::too_big, "failing", 250, 250, false},
      {f::pruned, "failing", 250, 250, false}, // of heights that nobody named
      {f::long_list, "failing", 250, 250, false},
      {f::unsupported, "failing", 250, 250, false},
      {f::ours, "failing", 250, 250, false},
      {f::ahead, "lagging", 0, 0, true},
      {f::rate_limited, "rate_limited", 2'000, 2'000, false},
      {f::auth, "refused", 60'000, 2'000, false},
  };
  for (const auto& r : rows) {
    CAPTURE(to_text(r.failure));
    for (const bool alone : {false, true}) {
      auto p = pool_of(alone ? 1 : 2);
      p.set_known_chain(0, true);
      p.failed(0, r.failure, "words", now, {});
      CHECK(state(p, 0) == r.state);
      CHECK(pause(p, now) == (alone ? r.pause_alone : r.pause));
      CHECK(p.known_chain(0) == r.known_chain);
      CHECK(p.status()[0].errors == 1);
      CHECK(p.words(0) == "words");
    }
  }
}

TEST_CASE("pool: who is not there yet has not failed") {
  auto p = pool_of(1);
  for (int i = 0; i < 20; ++i)
    p.failed(0, f::ahead, "no block 7 (yet)", now, {});
  CHECK(pause(p, now) == 0);
  p.failed(0, f::transient, "no", now, {});
  CHECK(pause(p, now) == 250);
}

TEST_CASE("pool: Retry-After is waited for, if it is longer") {
  auto p = pool_of(1);
  p.failed(0, f::rate_limited, "slow", now, 7'000);
  CHECK(pause(p, now) == 7'000);
  p = pool_of(1);
  p.failed(0, f::rate_limited, "slow", now, 100);
  CHECK(pause(p, now) == 2'000);
  p = pool_of(1);
  p.failed(0, f::transient, "slow", now, 3'000);
  CHECK(pause(p, now) == 3'000);
}

TEST_CASE("pool: a liar loses its turn") {
  auto p = pool_of(2);
  p.succeeded(0, 10, 5, now);
  p.lied(0, now);
  CHECK(state(p, 0) == "lying");
  CHECK(p.status()[0].lies == 1);
  CHECK(asked(p, now + 59'999) == "b");
  CHECK(asked(p, now + 60'000) == "ab");
  auto alone = pool_of(1);
  alone.lied(0, now);
  CHECK(pause(alone, now) == 250);
}

TEST_CASE("pool: another chain's endpoint is refused for a minute") {
  auto p = pool_of(2);
  p.set_known_chain(0, true);
  p.refuse(0, "it serves chain 5", now);
  CHECK(state(p, 0) == "refused");
  CHECK_FALSE(p.known_chain(0));
  CHECK(asked(p, now + 59'999) == "b");
  CHECK(asked(p, now + 60'000) == "ab");
  CHECK(p.words(0) == "it serves chain 5");
  auto alone = pool_of(1);
  alone.refuse(0, "it serves chain 5", now);
  CHECK(pause(alone, now) == 2'000);
}

TEST_CASE("pool: an endpoint's words are those of its last failure, until it works") {
  auto p = pool_of(3);
  p.failed(0, f::transient, "x", now, {});
  p.failed(0, f::transient, "y", now, {});
  CHECK(p.words(0) == "y");
  CHECK(p.words(1).empty());
  p.succeeded(0, 1, 1, now);
  CHECK(p.words(0).empty());
}

TEST_CASE("pool: heads, latency and who lags") {
  auto p = pool_of(2);
  p.succeeded(0, 100, 50, now);
  p.succeeded(0, 200, 40, now); // its head went down: the highest stays
  CHECK(p.status()[0].head == 50);
  CHECK(p.status()[0].latency_ms == Approx(110));
  p.succeeded(1, 10, 47, now);
  CHECK(state(p, 1) == "ok");
  p.succeeded(0, 10, 60, now);
  p.succeeded(1, 10, 56, now);
  CHECK(state(p, 1) == "lagging");
  p.succeeded(1, 10, 57, now);
  CHECK(state(p, 1) == "ok");
  CHECK(pool_of(1).status()[0].head == std::nullopt);
}

TEST_CASE("pool: who lags is passed over for what it has not got, while another has it") {
  auto p = pool_of(2);
  const std::vector<bool> nobody(2);
  pool::wanted head, low, high;
  head.head = true;
  low.highest = 90;
  high.highest = 99;
  p.succeeded(0, 1, 95, now, true);
  p.succeeded(1, 1, 100, now, true);
  CHECK(p.lags(0));
  CHECK(p.choose(now, nobody, head) == 1);
  CHECK(p.choose(now, nobody, high) == 1);
  CHECK(p.choose(now, nobody, low) == 0);
  CHECK(p.choose(now, nobody) == 0);
  CHECK(p.choose(now + 10'000, nobody, head) == 0); // it is asked where it is now
  CHECK(p.choose(now, {false, true}, head) == 0);   // there is nobody else
  p.failed(1, f::transient, "no", now, {});
  CHECK(p.choose(now, nobody, head) == 0);
  p.succeeded(1, 1, 97, now, true); // a head may go down
  CHECK_FALSE(p.lags(0));
  CHECK(p.choose(now, nobody, head) == 0);
}

TEST_CASE("pool: a head that its owner cannot show counts for nothing") {
  auto p = pool_of(2);
  p.succeeded(0, 1, 100, now, true);
  p.succeeded(1, 1, 1'000'000, now, true);
  CHECK(p.lags(0));
  SECTION("it has no such block") { p.failed(1, f::ahead, "no block", now, {}); }
  SECTION("it is caught") { p.lied(1, now); }
  SECTION("it is of another chain") { p.refuse(1, "chain 5", now); }
  CHECK_FALSE(p.lags(0));
}

TEST_CASE("pool: another than one, where there is another") {
  auto p = pool_of(2);
  pool::wanted w;
  w.rather_not = 0;
  CHECK(p.choose(now, {false, false}, w) == 1);
  CHECK(p.choose(now, {false, true}, w) == 0);
  p.failed(1, f::transient, "no", now, {});
  CHECK(p.choose(now, {false, false}, w) == 0);
  w.rather_not = 7;
  CHECK(p.choose(now, {false, false}, w) == 0);
}

TEST_CASE("pool: history that it has dropped is asked of others, an hour long") {
  auto p = pool_of(2);
  const std::vector<bool> nobody(2);
  p.failed(0, f::pruned, "pruned", now, {}, 50);
  CHECK(state(p, 0) == "ok"); // it works for what is higher
  pool::wanted low, high;
  low.lowest = 50;
  high.lowest = 51;
  CHECK(p.choose(now, nobody, low) == 1);
  CHECK_FALSE(p.choose(now, {false, true}, low));
  CHECK(p.choose(now, nobody, high) == 0);
  CHECK(p.choose(now + 3'600'000, nobody, low) == 0);
  p.failed(1, f::pruned, "pruned", now, {}, 60);
  CHECK(p.choose(now, nobody, low) == 0); // nobody has it: one may have got it back
}

TEST_CASE("pool: more lies, longer pauses, up to an hour") {
  auto p = pool_of(2);
  std::vector<std::int64_t> pauses;
  auto at = now;
  for (int i = 0; i < 9; ++i) {
    p.lied(0, at);
    pauses.push_back(pause(p, at) / 1'000);
    at += pauses.back() * 1'000;
  }
  CHECK(pauses == std::vector<std::int64_t>{60, 120, 240, 480, 960, 1'920, 3'600, 3'600, 3'600});
  p.lied(0, at + 25 * 3'600'000);
  CHECK(pause(p, at + 25 * 3'600'000) == 60'000);
}

TEST_CASE("pool: no pause is longer than an hour, whatever is asked for") {
  auto p = pool_of(1);
  p.failed(0, f::rate_limited, "tomorrow", now, 86'400'000);
  CHECK(pause(p, now) == 3'600'000);
}

TEST_CASE("pool: how often it fails") {
  auto p = pool_of(1);
  for (int i = 0; i < 200; ++i)
    p.failed(0, f::transient, "no", now, {});
  CHECK(p.status()[0].error_rate > 0.99);
  for (int i = 0; i < 200; ++i)
    p.succeeded(0, 1, 1, now);
  CHECK(p.status()[0].error_rate < 0.01);
}
