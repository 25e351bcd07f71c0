// SPDX-License-Identifier: MIT
#include "app/admin_client.hpp"

#include <future>

namespace tidemark::app {
namespace {

// What the daemon allows itself for a copy of a large store.
constexpr std::chrono::milliseconds longest_answer{600'000};
constexpr std::size_t largest_answer = 256ULL << 20;

/// Where an address that stands for all of the machine's own is reached from the machine itself.
std::string reachable(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  if (host == "::") return "::1";
  return host;
}

std::string best_token(const config::admin_section& admin) {
  for (const auto& token : admin.tokens)
    if (token.operate) return token.token;
  return admin.tokens.empty() ? std::string() : admin.tokens.front().token;
}

} // namespace

admin_client::admin_client(const config::admin_section& admin)
    : client_(io_.context()), host_(reachable(admin.listen.host)), port_(admin.listen.port),
      token_(best_token(admin)), tls_(admin.tls) {}

std::variant<admin_answer, no_daemon> admin_client::get(const std::string& target) {
  return send("GET", target, nullptr);
}

std::variant<admin_answer, no_daemon> admin_client::post(const std::string& target,
                                                         std::string json) {
  return send("POST", target, std::make_shared<const std::string>(std::move(json)));
}

std::variant<admin_answer, no_daemon> admin_client::patch(const std::string& target,
                                                          std::string json) {
  return send("PATCH", target, std::make_shared<const std::string>(std::move(json)));
}

std::variant<admin_answer, no_daemon> admin_client::send(const std::string& method,
                                                         const std::string& target,
                                                         std::shared_ptr<const std::string> body) {
  if (port_ == 0)
    return no_daemon{"admin.listen has port 0: give it a port of its own, so that it can be found"};
  net::client_request request;
  request.target.scheme = tls_ ? "https" : "http";
  if (tls_) {
    // On this machine the name in the certificate is hardly the address that is asked.
    auto known = net::tls_context::pinned(tls_->cert.string());
    if (!known) return no_daemon{known.error().text};
    request.tls = std::move(*known);
  }
  request.target.host = host_;
  request.target.port = port_;
  request.target.target = target;
  request.method = method;
  if (!token_.empty()) request.headers.emplace_back("Authorization", "Bearer " + token_);
  if (body) request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  request.timeout = longest_answer;
  request.max_answer = largest_answer;
  request.reach = net::egress::anything;

  std::promise<net::client_result> promise;
  auto future = promise.get_future();
  client_.send(std::move(request),
               [&promise](net::client_result r) { promise.set_value(std::move(r)); });
  const net::client_result result = future.get();
  if (!result)
    return no_daemon{"no daemon answers at " + host_ + ":" + std::to_string(port_) + " (" +
                     net::to_string(result.error().kind) +
                     (result.error().kind == net::failure::tls
                          ? "); the key of its certificate is not the one that admin.tls names: "
                            "where that was renewed, a SIGHUP makes the daemon read it too "
                            "(systemctl reload tidemark, or kill -HUP)"
                          : "); is `tidemark run` running?")};
  return admin_answer{result->status, result->body};
}

std::string percent_encoded(const std::string& text) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:";
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (plain.find(c) != plain.npos) {
      out += c;
      continue;
    }
    const auto octet = static_cast<unsigned char>(c);
    out += '%';
    out += hex[octet >> 4];
    out += hex[octet & 15];
  }
  return out;
}

} // namespace tidemark::app
