// SPDX-License-Identifier: MIT
#include "app/queue_gauges.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark::app {
namespace {

using api::meter;

/// So many times what a count took lies between two of them.
constexpr std::int64_t rest = 20;
constexpr std::int64_t shortest_pause_ms = 1'000;

void put(api::meters& to, const store::handler_row& row, const api::live& board) {
  const auto set = [&](std::string_view state, std::uint64_t n) {
    to.set(meter::outbox_messages, {row.name, state}, static_cast<double>(n));
  };
  const auto busy = row.in_flight + row.blocked_keys;
  set("held", row.held);
  set("queued", row.due - std::min(row.due, busy));
  set("sending", row.in_flight);
  set("blocked", row.blocked_keys);
  set("parked", row.parked);
  to.set(meter::blocked_keys, {row.name}, static_cast<double>(row.blocked_keys));
  to.set(meter::outbox_oldest, {row.name}, static_cast<double>(row.oldest_at.value_or(0)) / 1'000);
  const auto status = board.handler(row.name);
  const auto state = row.paused ? tide::handler_state::paused
                     : status   ? status->state
                                : tide::handler_state::active;
  to.set_state(meter::handler_state, row.name, tide::to_text(state), api::handler_state_words);
}

} // namespace

queue_gauges::queue_gauges(boost::asio::io_context& io,
                           std::shared_ptr<const config::config> config,
                           std::shared_ptr<api::live> board, actors::reader_actor reader)
    : config_(std::move(config)), board_(std::move(board)), timer_(boost::asio::make_strand(io)),
      reader_(std::move(reader)) {}

void queue_gauges::bell() {
  if (waiting_.exchange(true)) return;
  boost::asio::post(timer_.get_executor(), [self = shared_from_this()] {
    self->timer_.expires_after(std::chrono::milliseconds(self->pause_ms_.load()));
    self->timer_.async_wait([self](const boost::system::error_code& ec) {
      if (ec) return;
      const std::lock_guard lock(self->mutex_);
      if (!self->reader_) return;
      caf::anon_send(self->reader_,
                     actors::read_work{[self](store::reader& r) { self->count(r); }});
    });
  });
}

void queue_gauges::count(store::reader& r) {
  waiting_ = false; // what is committed from here on is counted the next time
  const auto began = std::chrono::steady_clock::now();
  const auto rows = r.handlers();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  pause_ms_ = std::max(shortest_pause_ms, took.count() * rest);
  if (!rows) return bell();
  for (const auto& row : *rows) {
    const bool known = std::any_of(config_->handlers.begin(), config_->handlers.end(),
                                   [&](const auto& h) { return h.name() == row.name; });
    if (known) put(board_->counted(), row, *board_);
  }
}

void queue_gauges::close() {
  const std::lock_guard lock(mutex_);
  reader_ = actors::reader_actor{};
  boost::asio::post(timer_.get_executor(), [self = shared_from_this()] { self->timer_.cancel(); });
}

} // namespace tidemark::app
