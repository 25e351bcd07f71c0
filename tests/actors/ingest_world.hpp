// SPDX-License-Identifier: MIT
#pragma once

#include "actors/ingest_rules.hpp"

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace tidemark::actors {

inline const std::string relay_secret = "relay-secret-of-nobody";

/// Two sources, one chain.
inline config::config ingest_config() {
  config::config c;
  c.ingest.max_body = 64 * 1024;
  config::chain chain;
  chain.name = "ethereum";
  chain.id = 1;
  c.chains.push_back(chain);

  config::source relay;
  relay.name = "own-relay";
  relay.provider = "raw";
  relay.secrets = {"old-" + relay_secret, relay_secret};
  relay.signature = providers::scheme{.header = "X-Hub-Signature-256", .prefix = "sha256="};
  relay.chain_id = 1;
  relay.networks = {{"my-fork", 1}, {"elsewhere", 99}};
  c.sources.push_back(relay);

  config::source token;
  token.name = "token";
  token.provider = "raw";
  token.secrets = {relay_secret};
  token.signature = providers::scheme{.header = "X-Token", .by = providers::mac::none};
  c.sources.push_back(token);
  return c;
}

inline std::string hex_hmac(std::string_view key, std::string_view body) {
  unsigned char out[32];
  std::size_t n = 0;
  EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(), key.size(),
            reinterpret_cast<const unsigned char*>(body.data()), body.size(), out, sizeof out, &n);
  std::string text;
  for (const auto b : out) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

using request_ptr = std::shared_ptr<net::request>;

inline request_ptr hook(std::string target, std::string body, net::header_list headers = {}) {
  const auto r = std::make_shared<net::request>();
  r->method = "POST";
  r->target = std::move(target);
  r->body = std::move(body);
  r->headers = std::move(headers);
  return r;
}

/// To own-relay, signed.
inline request_ptr relayed(std::string body, net::header_list more = {}) {
  more.emplace_back("X-Hub-Signature-256", "sha256=" + hex_hmac(relay_secret, body));
  return hook("/hooks/own-relay", std::move(body), std::move(more));
}

/// A log as eth_getLogs gives it.
inline std::string log_json(unsigned n, std::string_view more = "") {
  char tx[67];
  std::snprintf(tx, sizeof tx, "0x%064x", n + 1);
  return std::string{R"({"transactionHash":")"} + tx + R"(","logIndex":"0x)" +
         std::to_string(n % 10) + R"(","blockNumber":"0x10")" + std::string{more} + "}";
}

/// 200 where it is accepted.
inline unsigned status_of(const std::variant<accepted_request, refused_request>& v) {
  const auto* refused = std::get_if<refused_request>(&v);
  return refused ? refused->answer.status : 200;
}

inline store::raw_webhook stored(const accepted_request& a) {
  return {1, a.source, 1, a.headers, a.body};
}

} // namespace tidemark::actors
