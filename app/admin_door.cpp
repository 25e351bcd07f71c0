// SPDX-License-Identifier: MIT
#include "app/admin_door.hpp"

#include "app/clock.hpp"
#include "app/log.hpp"

#include <boost/asio/io_context.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <utility>

namespace tidemark::app {
namespace {

constexpr std::size_t reads_waiting = 64;
/// As many as there may be connections: a follower's read is short, and most find nothing.
constexpr std::size_t followers_waiting = 4'096;
/// Those who are woken together are read for in turns of so many, between which others come.
constexpr std::size_t followers_a_turn = 16;
constexpr auto tick_every = std::chrono::milliseconds(250);

net::response busy() {
  auto r = net::problem(503, "too many requests are waiting for a reader");
  r.headers.emplace_back("Retry-After", "1");
  return r;
}

bool follows_feed(const net::request& r) {
  return r.method == "GET" && (r.target == "/v1/feed" || r.target.starts_with("/v1/feed?") ||
                               r.target.starts_with("/v1/feed/stream"));
}

/// Without its query.
std::string path_of(const net::request& r) {
  constexpr std::size_t most = 200;
  return std::string(std::string_view(r.target).substr(0, r.target.find('?')).substr(0, most));
}

} // namespace

admin_door::admin_door(boost::asio::io_context& io, std::shared_ptr<const api::admin_api> api,
                       std::vector<actors::reader_actor> readers, std::shared_ptr<feed_hub> hub)
    : api_(std::move(api)), hub_(std::move(hub)), timer_(io), readers_(std::move(readers)) {}

void admin_door::renew(std::shared_ptr<const api::admin_api> api) {
  const std::lock_guard lock(mutex_);
  std::swap(api_, api);
}

std::shared_ptr<const api::admin_api> admin_door::api() {
  const std::lock_guard lock(mutex_);
  return api_;
}

void admin_door::on_request(std::shared_ptr<net::request> request, net::reply_slot slot) {
  log(request->method == "GET" || request->method == "HEAD" ? level::debug : level::info,
      component::admin, "request", {{"method", request->method}, {"path", path_of(*request)}});
  const bool follows = follows_feed(*request);
  if (follows ? following_ >= followers_waiting : reading_ >= reads_waiting)
    return slot.deliver(busy());
  questions one;
  one.push_back({std::move(request), std::move(slot), {}, follows});
  ask(std::move(one));
}

std::atomic<std::size_t>& admin_door::count_of(const question& q) {
  return q.follows ? following_ : reading_;
}

void admin_door::ask(questions all) {
  const std::lock_guard lock(mutex_);
  if (readers_.empty()) return; // the slots say 503
  for (const auto& q : all)
    ++count_of(q);
  const auto& reader = readers_[next_++ % readers_.size()];
  auto shared = std::make_shared<questions>(std::move(all));
  caf::anon_send(reader, actors::read_work{[self = shared_from_this(), shared](store::reader& r) {
                   for (auto& q : *shared) {
                     auto& count = self->count_of(q);
                     self->answer(q, r);
                     --count;
                   }
                 }});
}

void admin_door::answer(question& q, store::reader& r) {
  const auto rung = bells_.load();
  const auto current = api();
  auto a = current->answer(*q.request, r, now_ms(), q.slot, q.waited);
  if (auto* done = std::get_if<net::response>(&a)) return q.slot.deliver(std::move(*done));
  if (const auto* follow = std::get_if<api::follow_feed>(&a)) return begin_stream(q, follow->after);
  const auto* wait = std::get_if<api::wait_for_feed>(&a);
  if (!wait) return; // an order has the slot
  q.waited = *wait;
  if (bells_.load() != rung) { // it rang while we read
    questions again;
    again.push_back(std::move(q));
    return ask(std::move(again));
  }
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= followers_waiting) return q.slot.deliver(busy());
  waiting_.push_back(std::move(q));
  if (!std::exchange(ticking_, true)) tick();
}

void admin_door::begin_stream(question& q, std::uint64_t after) {
  auto head = api::feed_stream_head();
  if (q.request->method == "HEAD") return q.slot.deliver(std::move(head));
  auto to = std::make_shared<net::stream_body>();
  head.stream = to;
  q.slot.deliver(std::move(head));
  hub_->follow(after, std::move(to));
}

/// With the mutex held. Those whose time is over are asked once more, which answers them.
void admin_door::tick() {
  timer_.expires_after(tick_every);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
    if (!ec) self->ask_all(true);
  });
}

void admin_door::bell() {
  ++bells_;
  hub_->bell();
  ask_all(false);
}

void admin_door::ask_all(bool only_due) {
  std::list<question> due;
  {
    const std::lock_guard lock(mutex_);
    const auto now = now_ms();
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      const auto here = it++;
      if (!only_due || here->waited->until <= now) due.splice(due.end(), waiting_, here);
    }
    if (only_due) {
      ticking_ = !waiting_.empty();
      if (ticking_) tick();
    }
  }
  questions turn;
  for (auto& q : due) {
    turn.push_back(std::move(q));
    if (turn.size() == followers_a_turn) ask(std::exchange(turn, {}));
  }
  if (!turn.empty()) ask(std::move(turn));
}

void admin_door::close() {
  hub_->close();
  const std::lock_guard lock(mutex_);
  readers_.clear();
  waiting_.clear();
  timer_.cancel();
}

} // namespace tidemark::app
