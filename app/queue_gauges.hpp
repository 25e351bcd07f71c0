// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "api/live.hpp"
#include "config/config.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <mutex>

namespace tidemark::app {

/// Keeps the gauges of what waits for the handlers. Counting them is a read of every open key, so
/// it is done at most once a second, after a commit, and never by a scrape. Any thread.
class queue_gauges : public std::enable_shared_from_this<queue_gauges> {
public:
  queue_gauges(boost::asio::io_context& io, std::shared_ptr<const config::config> config,
               std::shared_ptr<api::live> board, actors::reader_actor reader);

  /// Something was committed.
  void bell();
  void close(); ///< lets go of the reader

private:
  void count(store::reader& r);

  std::shared_ptr<const config::config> config_;
  std::shared_ptr<api::live> board_;
  boost::asio::steady_timer timer_;
  std::atomic<bool> waiting_{false};
  std::mutex mutex_;
  actors::reader_actor reader_;
  std::atomic<std::int64_t> pause_ms_{0};
};

} // namespace tidemark::app
