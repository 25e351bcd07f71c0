// SPDX-License-Identifier: MIT
#include "actors/heads.hpp"
#include "app/clock.hpp"
#include "app/probe.hpp"
#include "net/redaction.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace tidemark::app {
namespace {

using watch = tide::head_watch;

/// What came of the socket; filled by an I/O thread that may outlive the question.
class inbox {
public:
  void put(watch::arrival a) {
    {
      const std::lock_guard lock(mutex_);
      all_.push_back(std::move(a));
    }
    came_.notify_all();
  }
  std::optional<watch::arrival> wait(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    if (!came_.wait_for(lock, most, [this] { return !all_.empty(); })) return std::nullopt;
    auto first = std::move(all_.front());
    all_.pop_front();
    return first;
  }

private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<watch::arrival> all_;
};

} // namespace

/// As the daemon does it, up to the subscription.
probed_endpoint probe_heads(const config::chain& chain, const config::endpoint& endpoint,
                            net::socket_client& sockets) {
  watch asked({endpoint.name, chain.id, endpoint.timeout.count()}, 0, now_ms());
  const auto box = std::make_shared<inbox>();
  std::shared_ptr<net::web_socket> socket;
  std::uint64_t n = 0;
  const auto carry_out = [&](const watch::effects& effects) {
    for (const auto& e : effects) {
      if (const auto* o = std::get_if<watch::open>(&e)) {
        n = o->n;
        socket = sockets.open(actors::socket_request_of(endpoint), [box](net::socket_event what) {
          box->put(actors::arrival_of(std::move(what)));
        });
      } else if (const auto* s = std::get_if<watch::say>(&e); s != nullptr && socket) {
        socket->say(s->text);
      }
    }
  };
  carry_out(asked.tick(now_ms()));
  while (!asked.follows() && asked.trouble().empty()) {
    if (const auto got = box->wait(std::chrono::milliseconds{20})) {
      carry_out(asked.came(n, *got, now_ms()));
      socket->read();
    } else {
      carry_out(asked.tick(now_ms()));
    }
  }
  if (socket) socket->close();
  probed_endpoint row;
  row.chain = chain.name;
  row.endpoint = endpoint.name;
  row.heads = asked.follows();
  if (asked.follows()) row.chain_id = chain.id;
  row.latency_ms = asked.status().latency_ms;
  const auto url = net::parse_url(endpoint.url);
  if (url) row.trouble = net::redaction(*url, endpoint.headers).of(asked.trouble());
  return row;
}

} // namespace tidemark::app
