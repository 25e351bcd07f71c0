// SPDX-License-Identifier: MIT
#include "app/heartbeat.hpp"

#include "app/service.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <utility>

namespace tidemark::app {
namespace {

using namespace std::chrono_literals;
using waiter = caf::typed_actor<caf::reacts_to<actors::look>>;

} // namespace

heartbeat::heartbeat(boost::asio::io_context& io, std::shared_ptr<const config::config> config,
                     std::shared_ptr<api::live> board, actors::store_actor store,
                     caf::actor_system& system)
    : timer_(boost::asio::make_strand(io)), config_(std::move(config)), board_(std::move(board)),
      store_(std::move(store)), system_(system) {}

void heartbeat::start() {
  if (std::getenv("NOTIFY_SOCKET") == nullptr) return;
  every_ = 10s;
  // Two beats may get lost.
  if (const auto wanted = watchdog_interval()) every_ = std::min(every_, *wanted / 3);
  boost::asio::post(timer_.get_executor(), [self = shared_from_this()] { self->beat(); });
}

void heartbeat::stop() {
  std::promise<void> done;
  auto future = done.get_future();
  boost::asio::post(timer_.get_executor(), [this, &done] {
    stopped_ = true;
    timer_.cancel();
    store_ = actors::store_actor{};
    done.set_value();
  });
  future.wait();
}

void heartbeat::arm() {
  timer_.expires_after(every_);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
    if (!ec) self->beat();
  });
}

void heartbeat::beat() {
  if (stopped_) return;
  // A store that cannot commit answers too: a full disk is no reason to start anew.
  system_.spawn([store = store_, text = status()](waiter::pointer self) -> waiter::behavior_type {
    const auto alive = [self, text] {
      notify("WATCHDOG=1\nSTATUS=" + text);
      self->quit();
    };
    const auto nothing = [](store::store&, std::int64_t) { return store::result<void>{}; };
    self->request(store, caf::infinite, actors::write_work{nothing})
        .then([alive](const actors::order_done&) { alive(); },
              [alive](const caf::error&) { alive(); });
    return {[](actors::look) {}};
  });
  arm();
}

std::string heartbeat::status() const {
  std::string out;
  for (const auto& chain : config_->chains) {
    const auto s = board_->chain(chain.name);
    out += (out.empty() ? "" : ", ") + chain.name + ' ';
    out += s ? tide::to_text(s->state) : std::string_view("starting");
    if (s && s->mark) out += " (mark " + std::to_string(s->mark->number) + ')';
  }
  const auto trouble = board_->store_trouble();
  if (!trouble.empty()) out = "the store cannot commit; " + out;
  return out.empty() ? "no chain" : out;
}

} // namespace tidemark::app
