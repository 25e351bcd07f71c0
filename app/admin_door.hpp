// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "api/admin_api.hpp"
#include "app/feed_hub.hpp"
#include "net/http_server.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace tidemark::app {

/// Between the admin sockets and the readers: takes requests from the I/O threads, has a reader
/// answer them, and keeps those that wait for the feed until its bell rings or their time is over.
/// Any thread.
class admin_door : public std::enable_shared_from_this<admin_door> {
public:
  admin_door(boost::asio::io_context& io, std::shared_ptr<const api::admin_api> api,
             std::vector<actors::reader_actor> readers, std::shared_ptr<feed_hub> hub);

  void on_request(std::shared_ptr<net::request> request, net::reply_slot slot);
  /// Another config's API; requests under way end with the one that they began with.
  void renew(std::shared_ptr<const api::admin_api> api);
  std::shared_ptr<const api::admin_api> api();
  /// The feed has something new.
  void bell();
  /// Lets go of the readers; what waits is answered by its slots.
  void close();

private:
  struct question {
    std::shared_ptr<net::request> request;
    net::reply_slot slot;
    std::optional<api::wait_for_feed> waited;
    bool follows = false; ///< the feed
  };
  using questions = std::vector<question>;
  /// One reader's turn, which begins with them all.
  void ask(questions all);
  void answer(question& q, store::reader& r);
  std::atomic<std::size_t>& count_of(const question& q);
  void begin_stream(question& q, std::uint64_t after);
  void tick();
  void ask_all(bool only_due);

  std::shared_ptr<const api::admin_api> api_;
  std::shared_ptr<feed_hub> hub_;
  /// With a reader: those who follow the feed, and all others.
  std::atomic<std::size_t> following_{0}, reading_{0};
  std::atomic<std::size_t> next_{0}, bells_{0};
  boost::asio::steady_timer timer_;
  std::mutex mutex_;
  std::vector<actors::reader_actor> readers_;
  std::list<question> waiting_;
  bool ticking_ = false;
};

} // namespace tidemark::app
