// SPDX-License-Identifier: MIT
#include "app/signals.hpp"

#include <boost/asio/io_context.hpp>

#include <csignal>
#include <unistd.h>
#include <utility>

namespace tidemark::app {

signals::signals(boost::asio::io_context& io, std::function<void()> reload)
    : set_(io, SIGTERM, SIGINT, SIGHUP), reload_(std::move(reload)) {
  std::signal(
      SIGPIPE,
      SIG_IGN); // a peer that went away is an error of that write, not the end of the process
  arm();
}

void signals::arm() {
  set_.async_wait([this](const boost::system::error_code& ec, int which) {
    if (ec) return;
    if (which == SIGHUP) {
      reload_();
    } else {
      came();
    }
    arm();
  });
}

void signals::came() {
  const std::lock_guard lock(mutex_);
  if (asked_) _exit(1);
  asked_ = true;
  changed_.notify_all();
}

void signals::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return asked_; });
}

} // namespace tidemark::app
