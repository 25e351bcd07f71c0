// SPDX-License-Identifier: MIT
#include "actors/listener.hpp"

#include "net/http_client.hpp"
#include "net/io_threads.hpp"
#include "tests/actors/fake_store.hpp"
#include "tests/actors/ingest_world.hpp"

#include <boost/asio/post.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <future>

using namespace tidemark;
using namespace tidemark::actors;

namespace {

/// The ingest server, a listener and a store that counts, on real sockets and threads.
struct ingest_fixture {
  std::atomic<std::int64_t> stored{0};
  net::io_threads io{2};
  net::io_threads readers_of_bodies{2};
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  std::shared_ptr<store_script> script = std::make_shared<store_script>();
  std::shared_ptr<ingest_counters> counters = std::make_shared<ingest_counters>(ingest_config());
  std::shared_ptr<listener_door> door = std::make_shared<listener_door>();
  store_actor store;
  listener_actor listener;
  std::unique_ptr<net::http_server> server;
  net::http_client client{io.context()};
  std::uint16_t port = 0;

  ingest_fixture() {
    script->put = [this](const put_webhook&) -> caf::result<webhook_stored> {
      return webhook_stored{++stored, false};
    };
    const auto now = [] { return std::int64_t{1'700'000'000'000}; };
    store = sys.spawn(make_fake_store, script);
    listener = sys.spawn(make_listener, listener_params{store, counters, now});
    door->set(listener);
    auto callbacks = make_ingest_callbacks(
        {std::make_shared<const ingest_rules>(ingest_config()), counters, door, now,
         [this](auto job) { boost::asio::post(readers_of_bodies.context(), std::move(job)); }});
    net::server_limits limits;
    limits.max_body = 64 * 1024;
    server = std::make_unique<net::http_server>(io.context(), limits, callbacks.on_head,
                                                callbacks.on_request);
    const auto bound = server->listen("127.0.0.1", 0);
    REQUIRE(bound.has_value());
    port = *bound;
  }
  ingest_fixture(const ingest_fixture&) = delete;
  ingest_fixture& operator=(const ingest_fixture&) = delete;
  ~ingest_fixture() {
    server->close_all();
    door->clear();
    caf::anon_send_exit(listener, caf::exit_reason::kill);
    caf::anon_send_exit(store, caf::exit_reason::kill);
    io.stop();
  }

  std::future<net::client_result> post(const request_ptr& from) {
    net::client_request r;
    r.method = from->method;
    r.target = {"http", "127.0.0.1", port, from->target};
    r.headers = from->headers;
    r.body = std::make_shared<const std::string>(from->body);
    r.reach = net::egress::anything;
    const auto answer = std::make_shared<std::promise<net::client_result>>();
    client.send(std::move(r), [answer](net::client_result got) { answer->set_value(got); });
    return answer->get_future();
  }
};

} // namespace

TEST_CASE_METHOD(ingest_fixture, "webhooks over sockets are each stored and answered",
                 "[listener][socket]") {
  std::vector<std::future<net::client_result>> all;
  for (unsigned i = 0; i < 200; ++i)
    all.push_back(post(i % 4 == 3 ? hook("/hooks/own-relay", log_json(i)) : relayed(log_json(i))));
  std::size_t accepted = 0, refused = 0;
  for (auto& one : all) {
    const auto got = one.get();
    REQUIRE(got.has_value());
    if (got->status == 200) {
      ++accepted;
      CHECK(got->body.find(R"("hints":1,"duplicate":false})") != std::string::npos);
    }
    if (got->status == 401) ++refused;
  }
  CHECK(accepted == 150);
  CHECK(refused == 50);
  CHECK(stored == 150);
  CHECK(counters->snapshot()[0].of(ingest_result::unauthorized) == 50);
}

TEST_CASE_METHOD(ingest_fixture, "what is refused at the head, over a socket",
                 "[listener][socket]") {
  auto get = hook("/hooks/own-relay", "");
  get->method = "GET";
  const auto status = [&](const request_ptr& r) {
    const auto got = post(r).get();
    REQUIRE(got.has_value());
    return got->status;
  };
  CHECK(status(hook("/hooks/nobody", "{}")) == 404);
  CHECK(status(get) == 405);
  CHECK(status(relayed("{}", {{"Content-Encoding", "br"}})) == 415);
  CHECK(status(relayed(std::string(65 * 1024, ' '))) == 413);
  caf::anon_send_exit(listener, caf::exit_reason::kill);
  CHECK(status(relayed("{}")) == 503);
  CHECK(stored == 0);
}
