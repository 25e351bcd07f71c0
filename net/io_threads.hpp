// SPDX-License-Identifier: MIT
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <thread>
#include <vector>

namespace tidemark::net {

/// An io_context and the threads that run it, from construction to stop().
class io_threads {
public:
  explicit io_threads(std::size_t threads);
  /// As stop().
  ~io_threads();
  io_threads(const io_threads&) = delete;
  io_threads& operator=(const io_threads&) = delete;

  boost::asio::io_context& context() { return context_; }
  /// Drops what is still to run and joins. Last of all at a drain, and not from one of its own
  /// threads.
  void stop();

private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::vector<std::thread> threads_;
};

} // namespace tidemark::net
