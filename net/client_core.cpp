// SPDX-License-Identifier: MIT
#include "net/client_core.hpp"

#include "net/request_head.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tidemark::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

client_core::client_core(asio::io_context& io, const client_limits& limits)
    : limits_(limits), strand_(asio::make_strand(io)),
      names_(std::make_shared<name_lookup>(strand_)), sweep_(strand_) {}

/// For what the I/O objects keep: it must not keep the core or the call alive in turn, or a stopped
/// io_context would leave a circle behind.
template <class F> auto client_core::while_open(const call_ptr& c, F f) {
  return [self = weak_from_this(), weak = std::weak_ptr<call>(c), f](auto&&... args) {
    const auto core = self.lock();
    const auto open = weak.lock();
    if (core && open) f(*core, open, std::forward<decltype(args)>(args)...);
  };
}

void client_core::send(client_request r, http_client::callback done) {
  auto c = std::make_shared<call>(std::move(r), std::move(done), strand_);
  asio::post(strand_, [self = shared_from_this(), c = std::move(c)] { self->begin(c); });
}

void client_core::cut(std::string sender) {
  asio::post(strand_, [self = shared_from_this(), sender = std::move(sender)] {
    const auto open = self->calls_;
    for (const auto& c : open)
      if (c->request.sender == sender) self->fail(c, failure::cut, "who sent it is gone");
  });
}

void client_core::stop() {
  names_->stop();
  asio::post(strand_, [self = shared_from_this()] {
    self->stopped_ = true;
    self->sweep_.cancel();
    const auto open = self->calls_;
    for (const auto& c : open)
      self->fail(c, failure::cut, "the client was closed");
    for (auto& entry : self->pools_)
      for (auto& idle : entry.second.idle)
        idle.on->abandon();
    self->pools_.clear();
  });
}

void client_core::begin(const call_ptr& c) {
  calls_.insert(c);
  if (stopped_) return fail(c, failure::cut, "the client was closed");
  if (const std::string wrong = why_not_sendable(c->request); !wrong.empty())
    return fail(c, failure::malformed, wrong);
  c->timer.expires_after(c->request.timeout);
  c->timer.async_wait(while_open(c, [](client_core& self, const call_ptr& k, const error_code& ec) {
    if (!ec)
      self.fail(k, failure::timeout,
                k->sent ? "no answer in time" : "nothing could be sent in time");
  }));
  const auto& r = c->request;
  c->pool = r.target.origin() + ' ' + std::to_string(static_cast<int>(r.reach)) + ' ' +
            std::to_string(reinterpret_cast<std::uintptr_t>(r.tls.get()));
  pools_[c->pool].waiting.push_back(c);
  pump(c->pool);
}

void client_core::pump(const std::string& name) {
  const auto found = pools_.find(name);
  if (found == pools_.end()) return;
  pool& p = found->second;
  while (!p.waiting.empty()) {
    const call_ptr c = p.waiting.front();
    if (c->done) {
      c->on = take_idle(p, c->rested);
      c->reused = c->on != nullptr;
      if (!c->reused && p.open >= limits_.max_per_origin) return;
    }
    p.waiting.pop_front();
    if (!c->done) continue;
    c->holds_place = true;
    if (c->reused) {
      exchange(c);
    } else {
      ++p.open;
      connect(c);
    }
  }
}

client_core::connection client_core::take_idle(pool& p, std::chrono::milliseconds& rested) {
  while (!p.idle.empty()) {
    const idle_connection last = std::move(p.idle.back());
    p.idle.pop_back();
    const auto rest = clock::now() - last.since;
    rested = std::chrono::duration_cast<std::chrono::milliseconds>(rest);
    if (rest < limits_.idle && !last.on->stale()) return last.on;
    last.on->abandon();
    --p.open;
  }
  return nullptr;
}

void client_core::connect(const call_ptr& c) {
  names_->ask(c->request.target.host,
              while_open(c, [](client_core& self, const call_ptr& k, const name_lookup::found& f) {
                self.on_found(k, f);
              }));
}

void client_core::on_found(const call_ptr& c, const name_lookup::found& f) {
  if (!c->done) return;
  if (f.addresses.empty()) return fail(c, failure::dns, "the host name has no address: " + f.error);
  std::vector<tcp::endpoint> to;
  for (const auto& address : f.addresses)
    if (may_connect(address, c->request.reach)) to.emplace_back(address, c->request.target.port);
  if (to.empty())
    return fail(c, failure::refused_address, "the host's address is private or reserved");
  open(c, std::move(to));
}

void client_core::open(const call_ptr& c, std::vector<tcp::endpoint> to) {
  client_connection::peer peer{std::move(to), nullptr, c->request.target.host, limits_.connect};
  if (c->request.target.secure()) {
    peer.tls = c->request.tls ? c->request.tls : system_roots();
    if (!peer.tls) return fail(c, failure::tls, "the system's roots cannot be read");
  }
  c->on = std::make_shared<client_connection>(strand_);
  c->on->open(std::move(peer),
              while_open(c, [](client_core& self, const call_ptr& k, const client_error* e) {
                if (e != nullptr)
                  self.fail(k, e->kind, e->text);
                else
                  self.exchange(k);
              }));
}

void client_core::exchange(const call_ptr& c) {
  const auto& r = c->request;
  c->sent = true;
  c->on->exchange(
      {request_head(r), r.body, {r.max_answer, r.keep, r.accept_gzip, r.method == "HEAD"}},
      while_open(c, [](client_core& self, const call_ptr& k, client_connection::exchanged e) {
        self.on_exchanged(k, std::move(e));
      }));
}

void client_core::on_exchanged(const call_ptr& c, client_connection::exchanged e) {
  if (!e.result && e.result.error().kind == failure::cut && !e.begun &&
      c->rested >= c->request.resend_lost && std::exchange(c->reused, false)) {
    connect(c); // the kept connection had ended unseen; its place goes to a fresh one
    return;
  }
  if (e.result) {
    e.result->fresh = !c->reused;
    finish(c, std::move(e.result));
  } else {
    fail(c, e.result.error().kind, e.result.error().text);
  }
}

void client_core::fail(const call_ptr& c, failure kind, const std::string& text) {
  finish(c, client_error{kind, c->request.target.origin() + ": " + text, c->sent});
}

void client_core::finish(const call_ptr& c, client_result r) {
  const auto done = std::exchange(c->done, nullptr);
  if (!done) return;
  c->timer.cancel();
  calls_.erase(c);
  give_place_back(c);
  done(std::move(r));
}

void client_core::give_place_back(const call_ptr& c) {
  const auto found = pools_.find(c->pool);
  const connection on = std::exchange(c->on, nullptr);
  const bool again = on && on->reusable() && !stopped_ && found != pools_.end();
  if (on && !again) on->abandon();
  if (!std::exchange(c->holds_place, false) || found == pools_.end()) return;
  if (again) {
    found->second.idle.push_back({on, clock::now()});
    if (!sweeping_) wait_and_sweep();
  } else {
    --found->second.open;
  }
  asio::post(strand_, [self = shared_from_this(), name = c->pool] { self->pump(name); });
}

void client_core::wait_and_sweep() {
  sweeping_ = true;
  sweep_.expires_after(limits_.idle / 4 + std::chrono::milliseconds{1});
  sweep_.async_wait([self = weak_from_this()](const error_code& ec) {
    if (const auto alive = self.lock(); alive && !ec) alive->sweep();
  });
}

/// Closes what is idle too long, and forgets the pools of origins that nobody speaks to any more.
void client_core::sweep() {
  const auto now = clock::now();
  sweeping_ = false;
  for (auto at = pools_.begin(); at != pools_.end();) {
    pool& p = at->second;
    const auto fresh = std::find_if(p.idle.begin(), p.idle.end(), [&](const idle_connection& i) {
      return now - i.since < limits_.idle;
    });
    for (auto i = p.idle.begin(); i != fresh; ++i)
      i->on->abandon();
    p.open -= static_cast<std::size_t>(fresh - p.idle.begin());
    p.idle.erase(p.idle.begin(), fresh);
    at = p.open == 0 && p.waiting.empty() ? pools_.erase(at) : std::next(at);
  }
  if (!pools_.empty()) wait_and_sweep();
}

std::shared_ptr<const tls_context> client_core::system_roots() {
  if (!system_roots_)
    if (auto made = tls_context::client()) system_roots_ = std::move(*made);
  return system_roots_;
}

} // namespace tidemark::net
