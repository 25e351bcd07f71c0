// SPDX-License-Identifier: MIT
#include "tests/net/served.hpp"

#include <stdexcept>

namespace tidemark::tests {
namespace {

std::optional<net::response> check_head(const net::request& r) {
  if (r.target == "/none") return net::problem(404, "no such path");
  if (r.method == "DELETE") return net::problem(405, "no such method here");
  return std::nullopt;
}

net::response text(std::string body) {
  net::response out;
  out.content_type = "text/plain";
  out.body = std::move(body);
  return out;
}

std::string say(const net::request& r) {
  std::string out = r.method + ' ' + r.target + " ?" + r.query + ' ' +
                    std::to_string(r.body.size()) + ' ' + r.remote.to_string() + '\n';
  for (const auto& line : r.headers)
    out += line.first + '=' + line.second + '\n';
  return out;
}

} // namespace

served::served(const net::server_limits& limits, std::shared_ptr<const net::tls_context> tls)
    : server(
          io.context(), limits, check_head,
          [this](std::shared_ptr<net::request> r, net::reply_slot slot) {
            handle(std::move(r), std::move(slot));
          },
          std::move(tls)) {
  const auto bound = server.listen("127.0.0.1", 0);
  if (!bound) throw std::runtime_error(bound.error().text);
  port = *bound;
}

served::~served() {
  io.stop();
  slots.clear();
}

std::string served::talk(std::string_view request) const {
  raw_socket s = connect();
  s.send(request);
  return s.read_to_end();
}

void served::handle(std::shared_ptr<net::request> r, net::reply_slot slot) {
  if (r->target == "/drop") return;
  if (r->target == "/hold") {
    const std::lock_guard lock(mutex);
    slots.push_back(std::move(slot));
    return;
  }
  net::response out = text(r->target == "/echo" ? std::move(r->body) : say(*r));
  if (r->target == "/empty") out = {204, {}, {}, {}, false};
  slot.deliver(std::move(out));
}

std::size_t served::held() {
  const std::lock_guard lock(mutex);
  return slots.size();
}

void served::release(const std::string& body) {
  std::vector<net::reply_slot> now;
  {
    const std::lock_guard lock(mutex);
    now.swap(slots);
  }
  for (const auto& slot : now)
    slot.deliver(text(body));
}

} // namespace tidemark::tests
