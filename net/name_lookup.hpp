// SPDX-License-Identifier: MIT
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/strand.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tidemark::net {

/// Host names → addresses, on threads of its own: Asio's resolver has one thread for all, so that a
/// name server that does not answer for one name would hold up every other, and the end of the
/// process too.
class name_lookup : public std::enable_shared_from_this<name_lookup> {
public:
  using strand = boost::asio::strand<boost::asio::io_context::executor_type>;
  struct found {
    std::vector<boost::asio::ip::address> addresses; ///< in the order to try them (RFC 6724)
    std::string error;                               ///< where there are none
  };
  using callback = std::function<void(const found&)>;

  explicit name_lookup(strand where) : strand_(std::move(where)) {}

  /// On the strand; `done` is posted there. An IP literal needs no thread.
  void ask(const std::string& host, callback done);
  /// Any thread: from here on nothing is posted any more, so that the io_context may go.
  void stop();

private:
  static constexpr std::size_t max_threads = 8;

  /// All that a thread holds: it may outlive everything else.
  struct door {
    std::mutex mutex;
    bool shut = false;
    std::weak_ptr<name_lookup> to;
  };

  void begin(const std::string& host);
  void on_found(const std::string& host, const found& f);

  const strand strand_;
  std::map<std::string, std::vector<callback>>
      asked_; ///< one look-up a name, however many wait for it
  std::deque<std::string> waiting_;
  std::size_t running_ = 0;
  const std::shared_ptr<door> door_ = std::make_shared<door>();
};

} // namespace tidemark::net
