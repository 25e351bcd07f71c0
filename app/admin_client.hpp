// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "net/http_client.hpp"
#include "net/io_threads.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace tidemark::app {

struct admin_answer {
  unsigned status = 0;
  std::string body;
};
/// Nobody answered at the config's address; `text` is for a person.
struct no_daemon {
  std::string text;
};

/// What the verbs talk to a running daemon with: one request at a time, each call waits for its
/// answer.
class admin_client {
public:
  /// Address and token from the config; a token that may operate, else one that may read.
  explicit admin_client(const config::admin_section& admin);

  std::variant<admin_answer, no_daemon> get(const std::string& target);
  std::variant<admin_answer, no_daemon> post(const std::string& target, std::string json);
  std::variant<admin_answer, no_daemon> patch(const std::string& target, std::string json);

private:
  std::variant<admin_answer, no_daemon> send(const std::string& method, const std::string& target,
                                             std::shared_ptr<const std::string> body);

  net::io_threads io_{1};
  net::http_client client_;
  std::string host_;
  std::uint16_t port_;
  std::string token_;
  std::optional<config::tls_files> tls_;
};

/// For a path segment or a query's value.
std::string percent_encoded(const std::string& text);

} // namespace tidemark::app
