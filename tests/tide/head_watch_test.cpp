// SPDX-License-Identifier: MIT
#include "tide/head_watch.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace tidemark::tide;

namespace {

using how = head_watch::ended::how;
constexpr std::int64_t start = 1'700'000'000'000;

std::string hash_of(std::uint64_t n) {
  auto digits = std::to_string(n);
  return "0x" + std::string(64 - digits.size(), '0') + digits;
}
std::string hex(std::uint64_t n) {
  std::string out;
  for (; n > 0; n /= 16)
    out.insert(out.begin(), "0123456789abcdef"[n % 16]);
  return "0x" + (out.empty() ? "0" : out);
}

/// A watch of chain 1, on a clock of its own; what it does is written down.
struct world {
  std::int64_t now = start;
  head_watch watch{{"bell", 1, 10'000}, 7, start};
  std::string did; ///< since it was last asked
  std::vector<std::string> log, calls;
  std::uint64_t n = 0;
  int rings = 0;

  void note(const head_watch::effects& effects) {
    for (const auto& e : effects) {
      if (const auto* o = std::get_if<head_watch::open>(&e)) {
        n = o->n;
        did += "open ";
      } else if (const auto* s = std::get_if<head_watch::say>(&e)) {
        did += s->text.find("eth_chainId") != s->text.npos ? "chain? " : "heads? ";
      } else if (const auto* t = std::get_if<head_watch::told>(&e)) {
        log.push_back((t->warning ? "! " : "") + t->text);
      } else if (const auto* c = std::get_if<head_watch::counted>(&e)) {
        calls.push_back(std::string(c->method) + " " + std::string(c->result));
      } else if (std::holds_alternative<head_watch::ping>(e)) {
        did += "ping ";
      } else if (std::holds_alternative<head_watch::close>(e)) {
        did += "close ";
      } else {
        did += "ring ";
        ++rings;
      }
    }
  }
  std::string done() { return std::exchange(did, {}); }
  /// Lets its timers go off, one by one, for so long.
  void pass(std::int64_t ms) {
    const auto end = now + ms;
    for (auto at = watch.next_tick(); at && *at <= end; at = watch.next_tick()) {
      REQUIRE(*at >= now);
      now = *at;
      note(watch.tick(now));
    }
    now = end;
    note(watch.tick(now));
  }
  void came(const head_watch::arrival& a) { note(watch.came(n, a, now)); }
  void hear(const std::string& text) { came(head_watch::said{text}); }
  void opened() { came(head_watch::opened{}); }
  void ended(how h, const std::string& text, int status = 0) {
    came(head_watch::ended{h, status, text});
  }
  void head(std::uint64_t number) {
    hear(R"({"method":"eth_subscription","params":{"subscription":"0x9","result":{"number":")" +
         hex(number) + R"(","hash":")" + hash_of(number) + R"("}}})");
  }
  void chain_at(std::uint64_t h) { note(watch.chain_at(h, now)); }
  void answer_chain(const char* id = "0x1") {
    hear(std::string(R"({"id":1,"result":")") + id + "\"}");
  }
  void answer_heads() { hear(R"({"id":2,"result":"0x9"})"); }
  void follow() {
    pass(0);
    opened();
    answer_chain();
    answer_heads();
    REQUIRE(watch.follows());
  }
  std::string state() const { return std::string(to_text(watch.status().state)); }
};

} // namespace

TEST_CASE("heads: connect, ask for the chain, subscribe, ring", "[heads]") {
  world w;
  CHECK(w.state() == "failing");
  w.pass(0);
  CHECK(w.done() == "open ");
  w.opened();
  CHECK(w.done() == "chain? ");
  w.now += 40;
  w.answer_chain();
  CHECK(w.done() == "heads? ");
  w.answer_heads();
  CHECK(w.done() == "ring "); // what came while nobody listened
  CHECK(w.state() == "ok");
  CHECK_FALSE(w.watch.status().head);
  CHECK(w.watch.status().latency_ms == 40);
  w.pass(1'000);
  w.head(7);
  CHECK(w.done() == "ring ");
  CHECK(w.watch.status().head == 7U);
  CHECK(w.calls ==
        std::vector<std::string>{"eth_chainId ok", "eth_subscribe ok", "eth_subscription ok"});
  CHECK(w.log.empty());
  CHECK(w.watch.status().errors == 0);
}

TEST_CASE("heads: what ends a connection, and what it is then", "[heads]") {
  struct row {
    const char* name;
    std::function<void(world&)> act;
    const char *state, *words, *call;
  };
  const row rows[] = {
      {"nobody there", [](world& w) { w.ended(how::unreachable, "refused"); }, "failing", "refused",
       "eth_chainId unreachable"},
      {"no handshake", [](world& w) { w.ended(how::timed_out, "no answer in time"); }, "failing",
       "no answer in time", "eth_chainId timeout"},
      {"401", [](world& w) { w.ended(how::declined, "HTTP 401", 401); }, "refused", "HTTP 401",
       "eth_chainId http_error"},
      {"429", [](world& w) { w.ended(how::declined, "HTTP 429", 429); }, "rate_limited", "HTTP 429",
       "eth_chainId http_error"},
      {"404", [](world& w) { w.ended(how::declined, "HTTP 404", 404); }, "failing", "HTTP 404",
       "eth_chainId http_error"},
      {"another chain",
       [](world& w) {
         w.opened();
         w.answer_chain("0x5");
       },
       "refused", "it is on chain 5, the config says 1", "eth_chainId ok"},
      {"a chain that is none",
       [](world& w) {
         w.opened();
         w.answer_chain("one");
       },
       "failing", "does not answer eth_chainId with a number", "eth_chainId rpc_error"},
      {"a silent one",
       [](world& w) {
         w.opened();
         w.pass(10'000);
       },
       "failing", "no answer within its timeout", "eth_chainId timeout"},
      {"no subscriptions",
       [](world& w) {
         w.opened();
         w.answer_chain();
         w.hear(R"({"id":2,"error":{"code":-32601,"message":"the method does not exist"}})");
       },
       "refused", "eth_subscribe with: the method does not exist", "eth_subscribe rpc_error"},
      {"garbage",
       [](world& w) {
         w.opened();
         w.hear("<html>");
       },
       "failing", "it sent what is no JSON", "eth_chainId rpc_error"},
      {"garbage for heads",
       [](world& w) {
         w.opened();
         w.answer_chain();
         w.answer_heads();
         w.hear("{");
       },
       "failing", "it sent what is no JSON", "eth_subscription rpc_error"},
      {"a huge message",
       [](world& w) {
         w.opened();
         w.answer_chain();
         w.answer_heads();
         w.ended(how::too_large, "a message over 256 KiB");
       },
       "failing", "a message over 256 KiB", "eth_subscription too_large"},
      {"cut while it followed",
       [](world& w) {
         w.opened();
         w.answer_chain();
         w.answer_heads();
         w.ended(how::cut, "the connection ended");
       },
       "failing", "the connection ended", "eth_subscription unreachable"},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    world w;
    w.pass(0);
    r.act(w);
    CHECK(w.state() == r.state);
    REQUIRE(w.log.size() == 1);
    CHECK(w.log[0].find("! endpoint bell: ") == 0);
    CHECK(w.log[0].find(r.words) != std::string::npos);
    REQUIRE_FALSE(w.calls.empty());
    CHECK(w.calls.back() == r.call);
    CHECK(w.watch.status().errors == 1);
    CHECK(w.done().find("close ") != std::string::npos);
    const auto old = w.n;
    w.note(w.watch.came(old, head_watch::said{"late"}, w.now)); // nobody listens any more
    CHECK(w.done().empty());
    w.pass(5 * 60'000);
    CHECK(w.n > old); // it is tried again
  }
}

TEST_CASE("heads: rests grow with failures, and jitter", "[heads]") {
  world w;
  w.pass(0);
  std::vector<std::int64_t> rests;
  for (int i = 0; i < 9; ++i) {
    w.ended(how::unreachable, "refused");
    const auto at = w.watch.next_tick();
    REQUIRE(at);
    rests.push_back(*at - w.now);
    (void)w.done();
    w.pass(rests.back());
    CHECK(w.done() == "open ");
  }
  std::int64_t most = 1'000;
  for (const auto rest : rests) {
    CHECK(rest >= most / 2);
    CHECK(rest <= most);
    most = std::min<std::int64_t>(most * 2, 60'000);
  }
  CHECK(w.log.size() == 1); // said once
  w.opened();
  w.answer_chain();
  w.answer_heads();
  CHECK(w.log.back() == "endpoint bell tells of new heads again");
  SECTION("one that is cut at once goes on where it was") {
    w.ended(how::cut, "cut");
    CHECK(*w.watch.next_tick() - w.now >= 30'000);
  }
  SECTION("one that held for a minute begins anew") {
    for (int i = 1; i <= 61; ++i) {
      w.pass(1'000);
      w.came(head_watch::ponged{});
    }
    w.ended(how::cut, "cut");
    CHECK(*w.watch.next_tick() - w.now <= 1'000);
  }
}

TEST_CASE("heads: rings are limited, and none is lost", "[heads]") {
  world w;
  w.follow();
  w.pass(1'000);
  w.rings = 0;
  SECTION("one head more than once rings once") {
    for (int i = 0; i < 5; ++i)
      w.head(5);
    w.pass(0);
    CHECK(w.rings == 1);
  }
  SECTION("a burst rings at its begin and at its end") {
    for (std::uint64_t i = 5; i < 15; ++i)
      w.head(i);
    w.chain_at(14);
    CHECK(w.rings == 1);
    w.pass(250);
    CHECK(w.rings == 2);
  }
  SECTION("a stream of them rings at most five times a second") {
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      w.head(100 + i % 2 + i);
      w.pass(10);
    }
    CHECK(w.rings <= 51);
    CHECK(w.rings >= 45);
    CHECK(w.state() == "ok");
  }
  SECTION("a flood ends it") {
    for (std::uint64_t i = 0; i < 300 && w.watch.follows(); ++i)
      w.head(100 + i);
    CHECK_FALSE(w.watch.follows());
    CHECK(w.log.back().find("more than 200 messages in a second") != std::string::npos);
    CHECK(w.rings == 1);
    w.pass(400);
    CHECK(w.rings == 2); // what was heard of before is looked at, and that is it
    CHECK(w.watch.next_tick() > w.now);
  }
  SECTION("heads of somebody else's subscription are none") {
    w.hear(R"({"method":"eth_subscription","params":{"subscription":"0x8","result":{"number":")" +
           hex(9) + R"(","hash":")" + hash_of(9) + R"("}}})");
    CHECK(w.rings == 0);
    CHECK_FALSE(w.watch.status().head);
  }
}

TEST_CASE("heads: where the others are not there yet they are looked at again, for a while",
          "[heads]") {
  world w;
  w.follow();
  w.chain_at(4);
  w.pass(1'000);
  w.rings = 0;
  w.head(5);
  CHECK(w.rings == 1);
  SECTION("until they are") {
    w.pass(300);
    CHECK(w.rings == 2);
    w.chain_at(5);
    w.pass(4'000);
    CHECK(w.rings == 2);
  }
  SECTION("four times, if they never are") {
    w.pass(9'000);
    CHECK(w.rings == 5);
  }
}

TEST_CASE("heads: a ping that nothing follows ends it", "[heads]") {
  world w;
  w.follow();
  (void)w.done();
  w.pass(20'000);
  CHECK(w.done().find("ping ") != std::string::npos);
  SECTION("a pong") {
    w.now += 30;
    w.came(head_watch::ponged{});
    w.pass(19'000);
    CHECK(w.watch.follows());
  }
  SECTION("any message") {
    w.pass(1'000);
    w.head(3);
    w.chain_at(3);
    w.pass(12'000);
    CHECK(w.watch.follows());
  }
  SECTION("nothing") {
    w.pass(10'000);
    CHECK(w.log.back().find("does not answer a ping") != std::string::npos);
    CHECK(w.calls.back() == "eth_subscription timeout");
  }
}

TEST_CASE("heads: silence is what the others know better", "[heads]") {
  world w;
  w.follow();
  const auto live = [&](std::int64_t ms) { // pongs come
    for (; ms > 0; ms -= 1'000) {
      w.pass(1'000);
      w.came(head_watch::ponged{});
    }
  };
  SECTION("a chain that stands still is not silent, and is looked at now and then") {
    w.chain_at(9);
    w.rings = 0;
    live(600'000);
    CHECK(w.watch.follows());
    CHECK(w.rings >= 3);
    CHECK(w.rings <= 10);
  }
  SECTION("a chain that others read up to its head has told nothing that was missed") {
    w.pass(500);
    w.chain_at(9);
    live(60'000);
    CHECK(w.watch.follows());
  }
  SECTION("the chain goes on without a word") {
    live(12'000);
    w.chain_at(10);
    live(5'000);
    CHECK(w.watch.follows()); // it may just be late
    live(6'000);
    CHECK_FALSE(w.watch.follows());
    CHECK(w.log.back().find("it fell silent while the chain went on to block 10") !=
          std::string::npos);
    CHECK(w.state() == "failing");
  }
  SECTION("after heads, by their pace") {
    for (std::uint64_t i = 1; i <= 10; ++i) {
      live(2'000);
      w.head(i);
      w.chain_at(i);
    }
    w.chain_at(11);
    live(5'000);
    CHECK(w.watch.follows());
    live(2'000);
    CHECK_FALSE(w.watch.follows());
  }
  SECTION("one that lags and still tells is kept") {
    for (std::uint64_t i = 1; i <= 60; ++i) {
      live(2'000);
      w.head(i);
      w.chain_at(i + 10);
    }
    CHECK(w.watch.follows());
    CHECK(w.state() == "lagging");
  }
}
