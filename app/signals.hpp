// SPDX-License-Identifier: MIT
#pragma once

#include <boost/asio/signal_set.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>

namespace tidemark::app {

/// SIGTERM and SIGINT: the first one asks for a drain, a second one ends the process at once.
class signals {
public:
  /// `reload`: at each SIGHUP, on an I/O thread; must return at once.
  signals(boost::asio::io_context& io, std::function<void()> reload);
  /// Until the first one came.
  void wait();

private:
  void arm();
  void came();

  boost::asio::signal_set set_;
  std::function<void()> reload_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false;
};

} // namespace tidemark::app
