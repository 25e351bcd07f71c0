// SPDX-License-Identifier: MIT
#pragma once

#include "net/answer_reader.hpp"
#include "net/stream.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidemark::net {

/// One connection of the client, one exchange at a time. Everything on the executor it was made
/// with, a strand.
class client_connection : public std::enable_shared_from_this<client_connection> {
public:
  struct peer {
    std::vector<boost::asio::ip::tcp::endpoint> endpoints; ///< checked; tried one after the other
    std::shared_ptr<const tls_context> tls;                ///< null: plain
    std::string host;
    std::chrono::milliseconds connect; ///< per endpoint
  };
  struct outgoing {
    std::string head;
    std::shared_ptr<const std::string> body; ///< null: none
    answer_limits limits;
  };
  struct exchanged {
    client_result result;
    bool begun = false; ///< bytes of an answer came
  };
  /// No error: null. The text has no origin.
  using opened = std::function<void(const client_error*)>;
  using finished = std::function<void(exchanged)>;

  explicit client_connection(const boost::asio::any_io_executor& executor);

  void open(peer to, opened done);
  void exchange(outgoing what, finished done);
  /// True after an exchange that leaves the connection fit for another.
  bool reusable() const { return reusable_; }
  /// While idle: the peer ended it, or says something unasked.
  bool stale() { return stream_.stale(); }
  /// Once it is open, for who speaks something else than exchanges over it.
  stream& raw() { return stream_; }
  /// Ends whatever is going on; nothing is called any more.
  void abandon();

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void try_next(std::size_t at);
  void on_connected(const boost::system::error_code& ec, std::size_t at);
  void opened_with(const client_error* e);
  void read_more();
  void on_read(const boost::system::error_code& ec, std::size_t n);
  void on_written(const boost::system::error_code& ec);
  void answered(bool fit);
  bool make_room();
  void finish(client_result r);

  stream stream_;
  boost::asio::steady_timer connect_timer_;
  peer peer_;
  opened opened_;
  finished finished_;
  outgoing outgoing_;
  std::unique_ptr<answer_reader> reader_;
  std::string buffer_; ///< [begin_, end_) is read and not taken; released while idle
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t attempt_ = none; ///< the endpoint that is being tried
  bool writing_ = false;
  bool overtaken_ = false; ///< the answer is whole, the request perhaps not
  bool reusable_ = false;
  bool connect_late_ = false;
};

} // namespace tidemark::net
