// SPDX-License-Identifier: MIT
#include "actors/intake.hpp"

#include "tests/actors/fake_store.hpp"
#include "tests/actors/fixture.hpp"
#include "tests/actors/ingest_world.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::actors;
using namespace std::chrono_literals;

namespace {

struct intake_fixture : actor_fixture {
  std::shared_ptr<store_script> script = std::make_shared<store_script>();
  std::vector<store::raw_webhook> waiting;
  std::vector<store::extracted> extracted;
  std::vector<std::string> warnings;
  std::size_t takes = 0, failing_takes = 0, failing_puts = 0;
  intake_actor intake;

  intake_fixture() {
    script->raw = [this](const take_raw& t) -> caf::result<raw_webhooks> {
      ++takes;
      CHECK(t.rows == 256);
      CHECK(t.bytes == 4 * 1024 * 1024);
      if (failing_takes > 0) {
        --failing_takes;
        return store_fails();
      }
      std::vector<store::raw_webhook> some(
          waiting.begin(),
          waiting.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, waiting.size())));
      return raw_webhooks{box(std::move(some))};
    };
    script->extracted = [this](const put_extracted& p) -> caf::result<extracted_stored> {
      if (failing_puts > 0) {
        --failing_puts;
        return store_fails();
      }
      for (const auto& row : *p.rows) {
        REQUIRE_FALSE(waiting.empty());
        CHECK(row.webhook == waiting.front().id); // in id order, each once
        waiting.erase(waiting.begin());
        extracted.push_back(row);
      }
      return extracted_stored{};
    };
  }
  ~intake_fixture() { end(); }
  void put(std::size_t n) {
    for (; n > 0; --n)
      waiting.push_back({static_cast<std::int64_t>(100 + waiting.size() + extracted.size()),
                         "own-relay", now, "{}", log_json(1)});
  }
  void start() {
    intake = own(sys.spawn(
        make_intake, intake_params{own(sys.spawn(make_fake_store, script)),
                                   std::make_shared<const ingest_rules>(ingest_config()),
                                   [this](std::string_view t) { warnings.emplace_back(t); }}));
    run();
  }
  void ring() {
    caf::anon_send(intake, look{});
    run();
  }
};

} // namespace

TEST_CASE_METHOD(intake_fixture, "what is there at the start is read, all of it", "[intake]") {
  put(7);
  start();
  CHECK(waiting.empty());
  REQUIRE(extracted.size() == 7);
  CHECK(extracted[0].hints.size() == 1);
  CHECK(takes == 5);
}

TEST_CASE_METHOD(intake_fixture, "a bell makes it look once", "[intake]") {
  start();
  CHECK(takes == 1);
  put(1);
  ring();
  CHECK(extracted.size() == 1);
  CHECK(takes == 3);
  ring();
  CHECK(takes == 4);
}

TEST_CASE_METHOD(intake_fixture, "bells while it works are one more look", "[intake]") {
  put(2);
  caf::anon_send(self, look{});
  start();
  for (int i = 0; i < 10; ++i)
    caf::anon_send(intake, look{});
  run();
  CHECK(takes <= 4);
}

TEST_CASE_METHOD(intake_fixture, "a store that fails is asked again after a second", "[intake]") {
  put(3);
  failing_takes = 1;
  failing_puts = 2;
  start();
  CHECK(takes == 1);
  advance(999ms);
  CHECK(takes == 1);
  advance(1ms);
  CHECK(takes == 2);
  CHECK(extracted.empty());
  advance(1s);
  CHECK(extracted.empty());
  advance(1s);
  CHECK(extracted.size() == 3);
  CHECK(warnings.size() == 3);
  CHECK(waiting.empty());
}
