// SPDX-License-Identifier: MIT
#include "app/feed_hub.hpp"

#include "api/admin_api.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark::app {
namespace {

constexpr std::size_t facts_a_read = 32;
/// Below what proxies on the way take for a dead connection.
constexpr auto keep_alive = std::chrono::seconds(15);

} // namespace

feed_hub::feed_hub(boost::asio::io_context& io, std::string instance,
                   std::vector<actors::reader_actor> readers)
    : instance_(std::move(instance)), timer_(boost::asio::make_strand(io)),
      readers_(std::move(readers)) {}

void feed_hub::read(work w) {
  const std::lock_guard lock(mutex_);
  if (readers_.empty()) return;
  caf::anon_send(readers_[next_++ % readers_.size()], actors::read_work{std::move(w)});
}

void feed_hub::follow(std::uint64_t after, std::shared_ptr<net::stream_body> to) {
  {
    const std::lock_guard lock(mutex_);
    if (readers_.empty()) return to->end();
    behind_.push_back(to);
  }
  to->push(": the feed\n\n");
  read([self = shared_from_this(), f = follower{std::move(to), after}](store::reader& r) {
    self->catch_up(r, f);
  });
}

/// One page, and the next one once that is on its way.
void feed_hub::catch_up(store::reader& r, follower f) {
  const auto facts = r.feed(f.seen, facts_a_read);
  if (!facts) return f.to->end(); // it comes back where it was
  if (facts->empty()) return join(f);
  std::string page;
  for (const auto& fact : *facts)
    page += api::feed_event(fact, instance_);
  f.seen = facts->back().seq;
  const auto to = f.to;
  if (!to->push(page)) return;
  to->when_empty([self = shared_from_this(), f] {
    self->read([self, f](store::reader& next) { self->catch_up(next, f); });
  });
}

void feed_hub::join(const follower& f) {
  bool joined = false;
  {
    const std::lock_guard lock(mutex_);
    std::erase(behind_, f.to);
    if (here_.empty() && !reading_) at_ = f.seen;
    joined = at_ <= f.seen;
    if (joined) {
      here_.push_back(f);
      arm();
    } else {
      behind_.push_back(f.to);
    }
  }
  if (!joined) // the others are further on already
    return read([self = shared_from_this(), f](store::reader& r) { self->catch_up(r, f); });
  bell(); // what came since it was read for
}

void feed_hub::bell() {
  {
    const std::lock_guard lock(mutex_);
    if (here_.empty()) return;
    if (reading_) {
      again_ = true;
      return;
    }
    reading_ = true;
  }
  read([self = shared_from_this()](store::reader& r) { self->read_on(r); });
}

void feed_hub::read_on(store::reader& r) {
  std::uint64_t from = 0;
  {
    const std::lock_guard lock(mutex_);
    again_ = false;
    from = at_;
  }
  const auto facts = r.feed(from, facts_a_read);
  if (facts) tell(*facts);
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    // A read that failed is made good by the next bell or tick.
    more = facts && !here_.empty() && (again_ || facts->size() == facts_a_read);
    reading_ = more;
  }
  if (more) read([self = shared_from_this()](store::reader& next) { self->read_on(next); });
}

void feed_hub::tell(const std::vector<tide::fact>& facts) {
  if (facts.empty()) return;
  std::vector<follower> to;
  {
    const std::lock_guard lock(mutex_);
    at_ = facts.back().seq;
    to = here_;
    for (auto& f : here_)
      f.seen = std::max(f.seen, at_);
  }
  for (const auto& fact : facts) {
    const auto event = api::feed_event(fact, instance_);
    for (const auto& f : to)
      if (f.seen < fact.seq) f.to->push(event);
  }
}

/// With the mutex held.
void feed_hub::arm() {
  if (std::exchange(ticking_, true)) return;
  boost::asio::post(timer_.get_executor(), [self = shared_from_this()] {
    self->timer_.expires_after(keep_alive);
    self->timer_.async_wait([self](const boost::system::error_code& ec) {
      if (!ec) self->tick();
    });
  });
}

void feed_hub::tick() {
  std::vector<follower> all;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(here_, [](const follower& f) { return f.to->ended(); });
    std::erase_if(behind_, [](const auto& to) { return to->ended(); });
    all = here_;
    ticking_ = false;
    if (!here_.empty() || !behind_.empty()) arm();
  }
  for (const auto& f : all)
    f.to->push(": \n\n");
  bell();
}

void feed_hub::close() {
  std::vector<follower> here;
  std::vector<std::shared_ptr<net::stream_body>> behind;
  {
    const std::lock_guard lock(mutex_);
    readers_.clear();
    here.swap(here_);
    behind.swap(behind_);
  }
  for (const auto& f : here)
    f.to->end();
  for (const auto& to : behind)
    to->end();
  boost::asio::post(timer_.get_executor(), [self = shared_from_this()] { self->timer_.cancel(); });
}

} // namespace tidemark::app
