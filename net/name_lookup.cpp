// SPDX-License-Identifier: MIT
#include "net/name_lookup.hpp"

#include <boost/asio/post.hpp>

#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>

namespace tidemark::net {

namespace asio = boost::asio;

namespace {

void add(const addrinfo& entry, std::vector<asio::ip::address>& to) {
  asio::ip::address a;
  if (entry.ai_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, entry.ai_addr, sizeof v4);
    a = asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
  } else if (entry.ai_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, entry.ai_addr, sizeof v6);
    asio::ip::address_v6::bytes_type octets{};
    std::memcpy(octets.data(), &v6.sin6_addr, octets.size());
    a = asio::ip::address_v6(octets, v6.sin6_scope_id);
  } else {
    return;
  }
  if (std::find(to.begin(), to.end(), a) == to.end()) to.push_back(a);
}

name_lookup::found ask_system(const std::string& host) {
  name_lookup::found out;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int code = getaddrinfo(host.c_str(), nullptr, &hints, &list); code != 0) {
    out.error = gai_strerror(code);
    return out;
  }
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next)
    add(*entry, out.addresses);
  freeaddrinfo(list);
  if (out.addresses.empty()) out.error = "the name has no address";
  return out;
}

} // namespace

void name_lookup::ask(const std::string& host, callback done) {
  boost::system::error_code ec;
  if (const auto literal = asio::ip::make_address(host, ec); !ec) {
    asio::post(strand_, [literal, done = std::move(done)] { done({{literal}, {}}); });
    return;
  }
  auto& waiting = asked_[host];
  waiting.push_back(std::move(done));
  if (waiting.size() > 1) return;
  if (running_ < max_threads)
    begin(host);
  else
    waiting_.push_back(host);
}

void name_lookup::begin(const std::string& host) {
  ++running_;
  door_->to = weak_from_this();
  const auto look_up = [door = door_, host] {
    found f = ask_system(host);
    const std::lock_guard lock(door->mutex);
    if (door->shut) return;
    if (auto self = door->to.lock()) {
      const strand where = self->strand_;
      asio::post(where,
                 [self = std::move(self), host, f = std::move(f)] { self->on_found(host, f); });
    }
  };
  try {
    // Detached, because a look-up cannot be called off: nobody should wait for one whose answer is
    // not wanted.
    std::thread(look_up).detach();
  } catch (const std::system_error&) {
    asio::post(strand_, [self = shared_from_this(), host] {
      self->on_found(host, {{}, "no thread for a look-up"});
    });
  }
}

void name_lookup::on_found(const std::string& host, const found& f) {
  --running_;
  const auto entry = asked_.extract(host);
  if (!waiting_.empty()) {
    const std::string next = std::move(waiting_.front());
    waiting_.pop_front();
    begin(next);
  }
  if (entry.empty()) return;
  for (const auto& done : entry.mapped())
    done(f);
}

void name_lookup::stop() {
  const std::lock_guard lock(door_->mutex);
  door_->shut = true;
}

} // namespace tidemark::net
