// SPDX-License-Identifier: MIT
#include "actors/listener.hpp"

#include "tests/actors/fake_store.hpp"
#include "tests/actors/fixture.hpp"
#include "tests/actors/ingest_world.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::actors;

namespace {

struct listener_fixture : actor_fixture {
  std::shared_ptr<store_script> script = std::make_shared<store_script>();
  std::vector<put_webhook> stored;
  std::shared_ptr<ingest_counters> counters = std::make_shared<ingest_counters>(ingest_config());
  std::shared_ptr<listener_door> door = std::make_shared<listener_door>();
  store_actor store;
  listener_actor listener;
  ingest_callbacks callbacks;
  std::vector<net::response> answers;

  listener_fixture() {
    script->put = [this](const put_webhook& p) -> caf::result<webhook_stored> {
      stored.push_back(p);
      return webhook_stored{static_cast<std::int64_t>(stored.size()), stored.size() > 1};
    };
    store = own(sys.spawn(make_fake_store, script));
    start();
    callbacks = make_ingest_callbacks({std::make_shared<const ingest_rules>(ingest_config()),
                                       counters, door, [this] { return now; },
                                       [](const std::function<void()>& job) { job(); }});
  }
  ~listener_fixture() { end(); }
  void start() {
    listener =
        own(sys.spawn(make_listener, listener_params{store, counters, [this] { return now; }}));
    door->set(listener);
  }
  void post(request_ptr r) {
    callbacks.on_request(std::move(r),
                         net::reply_slot{[this](net::response a) { answers.push_back(a); }});
  }
  std::uint64_t count(ingest_result r) { return counters->snapshot().at(0).of(r); }
};

} // namespace

TEST_CASE_METHOD(listener_fixture, "a webhook is answered when it is stored", "[listener]") {
  const auto body = log_json(1);
  post(relayed(body));
  CHECK(answers.empty());
  run();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].status == 200);
  CHECK(answers[0].content_type == "application/json");
  CHECK(answers[0].body == R"({"id":1,"hints":1,"duplicate":false})");
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].hook->source == "own-relay");
  CHECK(stored[0].hook->at == now);
  CHECK(stored[0].hook->body == body);
  post(relayed(body));
  run();
  CHECK(answers.at(1).body == R"({"id":2,"hints":1,"duplicate":true})");
  CHECK(count(ingest_result::accepted) == 1);
  CHECK(count(ingest_result::duplicate) == 1);
}

TEST_CASE_METHOD(listener_fixture, "a forged one never comes to the store", "[listener]") {
  post(hook("/hooks/own-relay", log_json(1)));
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].status == 401);
  run();
  CHECK(stored.empty());
  CHECK(count(ingest_result::unauthorized) == 1);
}

TEST_CASE_METHOD(listener_fixture, "what cannot be stored is not acknowledged", "[listener]") {
  script->put = nullptr;
  post(relayed(log_json(1)));
  run();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].status == 503);
  REQUIRE(net::find_header(answers[0].headers, "retry-after"));
  CHECK(*net::find_header(answers[0].headers, "retry-after") == "1");
  CHECK(count(ingest_result::unavailable) == 1);
}

TEST_CASE_METHOD(listener_fixture, "without a listener the answer is 503", "[listener]") {
  door->clear();
  post(relayed(log_json(1)));
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].status == 503);
  CHECK(count(ingest_result::unavailable) == 1);
}

TEST_CASE_METHOD(listener_fixture, "what waits when the listener dies is answered 503",
                 "[listener]") {
  script->silent = true;
  post(relayed(log_json(1)));
  run();
  post(relayed(log_json(2))); // still in the mailbox
  caf::anon_send_exit(listener, caf::exit_reason::kill);
  run();
  post(relayed(log_json(3))); // to a dead one
  run();
  REQUIRE(answers.size() == 3);
  for (const auto& a : answers)
    CHECK(a.status == 503);
  script->silent = false;
  start();
  post(relayed(log_json(4)));
  run();
  CHECK(answers.back().status == 200);
}

TEST_CASE_METHOD(listener_fixture, "a store that dies is a 503", "[listener]") {
  script->silent = true;
  post(relayed(log_json(1)));
  run();
  caf::anon_send_exit(store, caf::exit_reason::kill);
  run();
  post(relayed(log_json(2)));
  run();
  // What it had taken is answered by the session's own time-out.
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].status == 503);
}

TEST_CASE_METHOD(listener_fixture, "what is refused before its body is read is counted",
                 "[listener]") {
  const std::pair<unsigned, ingest_result> rows[] = {
      {401, ingest_result::unauthorized}, {413, ingest_result::too_large},
      {415, ingest_result::unsupported},  {503, ingest_result::unavailable},
      {400, ingest_result::malformed},    {405, ingest_result::malformed},
      {408, ingest_result::malformed},    {411, ingest_result::malformed}};
  for (const auto& [status, how] : rows) {
    INFO(status);
    const auto before = count(how);
    callbacks.on_refused(*hook("/hooks/own-relay", ""), net::problem(status, "no"));
    CHECK(count(how) == before + 1);
    CHECK(counters->snapshot().at(0).last_result == how);
    callbacks.on_refused(*hook("/hooks/nobody", ""), net::problem(status, "no"));
    CHECK(count(how) == before + 1);
  }
  const auto from_before = counters->snapshot().at(1);
  CHECK(from_before.accepted_at == 0);
  counters->remember("token", 77);
  CHECK(counters->snapshot().at(1).accepted_at == 77);
  CHECK(counters->snapshot().at(1).last_at == 0);
}

TEST_CASE_METHOD(listener_fixture, "where nothing can be stored, nothing is read", "[listener]") {
  std::string lacking = "no room";
  callbacks = make_ingest_callbacks({std::make_shared<const ingest_rules>(ingest_config()),
                                     counters,
                                     door,
                                     [this] { return now; },
                                     [](const std::function<void()>& job) { job(); },
                                     {},
                                     [&] { return lacking; }});
  const auto refused = callbacks.on_head(*relayed(log_json(1)));
  REQUIRE(refused);
  CHECK(refused->status == 503);
  CHECK(refused->detail == "no room");
  lacking.clear();
  CHECK_FALSE(callbacks.on_head(*relayed(log_json(1))));
}
