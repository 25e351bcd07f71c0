// SPDX-License-Identifier: MIT
#pragma once

#include "net/request_reader.hpp"
#include "net/server_core.hpp"
#include "net/stream.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace tidemark::net {

/// One connection. It has at most one operation pending, and none while a request is with the
/// caller, so it needs no strand: whoever completes that operation, or posts the answer, is alone.
/// Other threads only touch the atomics, and interrupt the stream.
class server_session : public std::enable_shared_from_this<server_session> {
public:
  using clock = std::chrono::steady_clock;

  server_session(std::shared_ptr<server_core> core, boost::asio::ip::tcp::socket socket);
  ~server_session();
  server_session(const server_session&) = delete;
  server_session& operator=(const server_session&) = delete;

  /// `refuse`: one connection too many, told so at once.
  void start(bool refuse);

  /// From the sweep, any thread: acts if the time of the present phase is over.
  void check_time(clock::time_point now);
  /// For a drain, any thread: ends the connection if no request has begun on it.
  void end_if_idle();
  /// Any thread.
  void cut() { stream_.interrupt(true); }

private:
  static constexpr std::size_t first_buffer = std::size_t{4} * 1024;

  enum class phase { handshake, idle, head, body, working, writing, streaming, lingering };

  void enter(phase p, std::chrono::milliseconds limit);
  void next_request();
  void read_more();
  void on_read(const boost::system::error_code& ec, std::size_t n);
  void input_ended();
  void feed();
  void on_head();
  void note_refusal(const response& r);
  void give_up(response r);
  void refuse(response r);
  void begin_body();
  void send_continue();
  void read_body();
  void read_rest(std::size_t length);
  void hand_over();
  void deliver(std::uint64_t number, response r);
  void answer(response r);
  void on_written(const boost::system::error_code& ec);
  void begin_stream();
  void stream_on();
  void linger();
  void discard();
  void request_ended();
  void close();

  std::size_t buffered() const { return end_ - begin_; }
  bool make_room();

  const std::shared_ptr<server_core> core_;
  stream stream_;
  boost::asio::ip::address remote_;
  request_reader reader_;
  std::string buffer_; ///< [begin_, end_) is read and not taken
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::shared_ptr<request> request_;
  std::string out_;
  response answer_;
  bool counted_ = false; ///< in open_requests
  bool keep_ = false;    ///< the connection goes on after this answer
  bool fresh_ = true;    ///< no request has been read on it
  bool refuse_ = false;
  bool bodiless_ = false; ///< of the answer that is being written
  std::size_t lingered_ = 0;
  std::uint64_t number_ = 0;
  std::shared_ptr<stream_body> sent_on_;      ///< after an answer with a stream
  std::shared_ptr<server_session> following_; ///< itself, while it streams
  std::atomic<bool> stream_busy_{false}; ///< a piece of it is being sent, or the end of it is near

  std::atomic<phase> phase_{phase::idle};
  std::atomic<clock::rep> deadline_{0}; ///< 0: none
  std::atomic<std::uint64_t> open_{0};  ///< the number of the request that waits for its answer
  std::atomic<bool> late_{false};
};

} // namespace tidemark::net
