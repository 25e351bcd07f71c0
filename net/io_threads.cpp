// SPDX-License-Identifier: MIT
#include "net/io_threads.hpp"

namespace tidemark::net {

io_threads::io_threads(std::size_t threads)
    : context_(static_cast<int>(threads)), guard_(context_.get_executor()) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { context_.run(); });
}

io_threads::~io_threads() { stop(); }

void io_threads::stop() {
  guard_.reset();
  context_.stop();
  for (auto& t : threads_)
    if (t.joinable()) t.join();
}

} // namespace tidemark::net
