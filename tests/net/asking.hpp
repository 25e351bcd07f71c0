// SPDX-License-Identifier: MIT
#pragma once

#include "net/http_client.hpp"
#include "net/io_threads.hpp"
#include "tests/net/peers.hpp"

#include <future>
#include <memory>
#include <string>
#include <utility>

namespace tidemark::tests {

struct asking {
  explicit asking(const net::client_limits& limits = {}) : client(io.context(), limits) {}

  net::client_request request(std::uint16_t port, const std::string& path = "/",
                              const std::string& scheme = "http") const {
    net::client_request r;
    r.target = {scheme, "127.0.0.1", port, path};
    r.body = std::make_shared<const std::string>("body");
    r.timeout = 5s;
    r.reach = net::egress::private_ok;
    return r;
  }
  std::future<net::client_result> begin(net::client_request r) {
    auto said = std::make_shared<std::promise<net::client_result>>();
    client.send(std::move(r),
                [said](net::client_result result) { said->set_value(std::move(result)); });
    return said->get_future();
  }
  net::client_result ask(net::client_request r) { return begin(std::move(r)).get(); }

  net::io_threads io{2};
  net::http_client client;
};

inline std::string answer_of(const std::string& body, const std::string& more = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + more +
         "\r\n" + body;
}

/// Says the same to every request of every connection.
inline script_server::script always(std::string text) {
  return [text = std::move(text)](raw_socket& peer, int) {
    while (!peer.read_message().empty())
      peer.send(text);
  };
}

/// Says it once, and ends.
inline script_server::script once(std::string text) {
  return [text = std::move(text)](raw_socket& peer, int) {
    peer.read_message();
    peer.send(text);
  };
}

} // namespace tidemark::tests
