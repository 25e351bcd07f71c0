// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "net/stream_body.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tidemark::app {

/// Everybody who follows the feed as a stream. Who is behind is read for alone, a page at a time
/// and no faster than it reads itself; who has caught up shares one reading with all the others, so
/// that idle followers cost nothing but now and then a word that keeps their connection alive. Any
/// thread.
class feed_hub : public std::enable_shared_from_this<feed_hub> {
public:
  feed_hub(boost::asio::io_context& io, std::string instance,
           std::vector<actors::reader_actor> readers);

  void follow(std::uint64_t after, std::shared_ptr<net::stream_body> to);
  /// The feed has something new.
  void bell();
  /// Lets go of the readers and ends every stream.
  void close();

private:
  struct follower {
    std::shared_ptr<net::stream_body> to;
    std::uint64_t seen = 0;
  };
  using work = std::function<void(store::reader&)>;
  void read(work w);
  void catch_up(store::reader& r, follower f);
  void join(const follower& f);
  void read_on(store::reader& r);
  void tell(const std::vector<tide::fact>& facts);
  void tick();
  void arm();

  const std::string instance_;
  boost::asio::steady_timer timer_;
  std::mutex mutex_;
  std::vector<actors::reader_actor> readers_;
  std::size_t next_ = 0;
  std::vector<std::shared_ptr<net::stream_body>> behind_; ///< catching up
  std::vector<follower> here_;                            ///< caught up
  std::uint64_t at_ = 0;                                  ///< what all of them were told
  bool reading_ = false, again_ = false, ticking_ = false;
};

} // namespace tidemark::app
