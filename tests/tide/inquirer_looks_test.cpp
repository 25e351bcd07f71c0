// SPDX-License-Identifier: MIT
#include "tests/tide/inquirer_world.hpp"

// Endpoints that nobody asks: what is known of them all the same.

using namespace tidemark;
using namespace tidemark::rpc_test;

namespace {

struct looking : world {
  void begin() {
    looks = true;
    carry_out(q.begin(now));
  }
  /// Lets so many ms pass.
  void pass(std::int64_t ms) {
    const auto until = now + ms;
    for (;;) {
      auto next = q.next_tick().value_or(until + 1);
      for (const auto& c : under_way)
        next = std::min(next, c.at);
      if (next > until) break;
      REQUIRE(step());
    }
    now = until;
  }
};

} // namespace

TEST_CASE("looks: a standby is asked once for its chain and its head, and then left alone") {
  looking w;
  w.begin();
  w.pass(1'000);
  CHECK(w.state(1) == "ok");
  CHECK(w.q.status().at(1).head == 5'000);
  w.pass(600'000);
  CHECK(w.b().sizes.size() == 2);
  CHECK(w.a().sizes.empty());
}

TEST_CASE("looks: a standby of another chain is refused before it is needed, and taken when it is "
          "the right one") {
  looking w;
  w.b().chain_id = 10;
  w.begin();
  w.pass(1'000);
  CHECK(w.state(1) == "refused");
  REQUIRE(w.warnings.size() == 1);
  CHECK(w.warnings[0].find("serves chain 10") != std::string::npos);
  w.pass(180'000);
  CHECK(w.warnings.size() == 1); // it is said once
  CHECK(w.b().count("eth_chainId") == 4);
  w.b().chain_id = 1;
  w.pass(61'000);
  CHECK(w.state(1) == "ok");
}

TEST_CASE("looks: who failed while it was needed is looked at until it is well, an ask meanwhile "
          "waits for nothing") {
  looking w;
  w.begin();
  w.pass(1'000);
  w.a().instead = w.b().instead = always(nothing(how::unreachable));
  CHECK(w.who(ask_head{}).starts_with("none"));
  CHECK(w.state(1) == "failing");
  w.a().instead = {};
  w.now += 40'000;
  w.b().latency = 20'000;
  CHECK(w.answers.size() == 1);
  const auto before = w.now;
  CHECK(w.who(ask_head{}) == "a");
  CHECK(w.now - before < 1'000);
  w.b().instead = {};
  w.b().latency = 10;
  w.pass(61'000);
  CHECK(w.state(1) == "ok");
}

TEST_CASE("looks: what a standby said long ago of its head is no lag") {
  looking w;
  w.begin();
  w.pass(1'000);
  w.a().head = 9'000;
  (void)w.get<head_answer>(ask_head{});
  CHECK(w.state(0) == "ok");
  CHECK(w.state(1) == "ok");
  CHECK(w.q.status().at(1).head == 5'000);
}
