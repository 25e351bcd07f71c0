// SPDX-License-Identifier: MIT
#include "providers/signature.hpp"

#include "providers/strict_text.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace tidemark::providers {

namespace {

// An attacker's list costs one comparison an item, and no more than this many.
constexpr std::size_t max_list = 32;
constexpr std::string_view standard_prefix = "whsec_";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool present(const signed_request& request, std::string_view name) {
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [&](const request_header& h) { return same_name(h.name, name); });
}

struct header_value {
  std::string_view text;
  std::optional<refusal> trouble;
};

header_value only_value(const signed_request& request, std::string_view name) {
  const request_header* found = nullptr;
  for (const auto& h : request.headers) {
    if (!same_name(h.name, name)) continue;
    if (found) return {{}, refusal::malformed};
    found = &h;
  }
  if (!found) return {{}, refusal::missing_header};
  if (found->value.empty()) return {{}, refusal::malformed};
  return {found->value, {}};
}

evm::bytes_view octets(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

const char* digest_name(mac by) { return by == mac::hmac_sha512 ? "SHA512" : "SHA256"; }
std::size_t digest_size(mac by) { return by == mac::hmac_sha512 ? 64 : 32; }

struct free_mac {
  void operator()(EVP_MAC_CTX* c) const { EVP_MAC_CTX_free(c); }
};
using mac_context = std::unique_ptr<EVP_MAC_CTX, free_mac>;

// A context with its digest chosen: to copy one is many times quicker than to look the algorithms
// up again.
mac_context make_context(mac by) {
  EVP_MAC* algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  mac_context context{EVP_MAC_CTX_new(algorithm)};
  EVP_MAC_free(algorithm);
  std::string digest = digest_name(by);
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  if (!context || EVP_MAC_CTX_set_params(context.get(), params) != 1) return nullptr;
  return context;
}

mac_context copy_context(mac by) {
  static const mac_context sha256 = make_context(mac::hmac_sha256);
  static const mac_context sha512 = make_context(mac::hmac_sha512);
  const auto& from = by == mac::hmac_sha512 ? sha512 : sha256;
  return mac_context{from ? EVP_MAC_CTX_dup(from.get()) : nullptr};
}

// Empty where OpenSSL fails, which then is equal to no MAC.
evm::bytes compute(mac by, evm::bytes_view key, std::span<const std::string_view> pieces) {
  const auto context = copy_context(by);
  if (!context || EVP_MAC_init(context.get(), key.data(), key.size(), nullptr) != 1) return {};
  for (const auto piece : pieces) {
    const auto data = octets(piece);
    if (EVP_MAC_update(context.get(), data.data(), data.size()) != 1) return {};
  }
  evm::bytes out(digest_size(by));
  std::size_t written = 0;
  if (EVP_MAC_final(context.get(), out.data(), &written, out.size()) != 1) return {};
  out.resize(written);
  return out;
}

bool equal(evm::bytes_view a, evm::bytes_view b) {
  return !a.empty() && a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<evm::bytes> key_of(const scheme& s, std::string_view secret) {
  if (s.key == key_form::text) {
    const auto text = octets(secret);
    return evm::bytes{text.begin(), text.end()};
  }
  if (secret.starts_with(standard_prefix)) secret.remove_prefix(standard_prefix.size());
  return decode_base64(secret);
}

std::optional<evm::bytes> decode(const scheme& s, std::string_view text) {
  if (!text.starts_with(s.prefix)) return std::nullopt;
  text.remove_prefix(s.prefix.size());
  auto out = s.as == encoding::hex ? decode_lower_hex(text) : decode_base64(text);
  if (!out || out->size() != digest_size(s.by)) return std::nullopt;
  return out;
}

/// The MACs that the header offers; empty where it has none that could be right.
std::vector<evm::bytes> offered(const scheme& s, std::string_view value) {
  std::vector<evm::bytes> out;
  for (std::size_t items = 0; s.list && items < max_list; ++items) {
    const auto space = value.find(' ');
    if (space == std::string_view::npos) break;
    if (auto one = decode(s, value.substr(0, space))) out.push_back(std::move(*one));
    value.remove_prefix(space + 1);
  }
  if (auto one = decode(s, value)) out.push_back(std::move(*one));
  return out;
}

// The digests have one length, so that the time taken says nothing about the secret's.
bool same_secret(std::string_view a, std::string_view b) {
  const std::string_view first[] = {a};
  const std::string_view second[] = {b};
  const auto key = octets("tidemark");
  return equal(compute(mac::hmac_sha256, key, first), compute(mac::hmac_sha256, key, second));
}

std::optional<refusal> verify_static(const scheme& s, std::span<const std::string> secrets,
                                     std::string_view value) {
  if (!value.starts_with(s.prefix)) return refusal::malformed;
  value.remove_prefix(s.prefix.size());
  bool right = false;
  for (const auto& secret : secrets)
    if (!secret.empty() && same_secret(secret, value)) right = true;
  return right ? std::nullopt : std::optional{refusal::mismatch};
}

std::optional<std::int64_t> unix_seconds(std::string_view text) {
  std::int64_t out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, out);
  if (trouble != std::errc{} || stop != end || text.front() == '-') return std::nullopt;
  return out;
}

bool within(std::int64_t a, std::int64_t b, std::int64_t tolerance) {
  const auto x = static_cast<std::uint64_t>(std::max(a, b));
  const auto y = static_cast<std::uint64_t>(std::min(a, b));
  return tolerance >= 0 && x - y <= static_cast<std::uint64_t>(tolerance);
}

std::optional<refusal> verify_mac(const scheme& s, std::span<const std::string> secrets,
                                  const signed_request& request, std::string_view signature) {
  std::vector<std::string_view> pieces;
  for (const auto& part : s.parts) {
    if (part.is == signed_part::kind::body) {
      pieces.push_back(request.body);
    } else if (part.is == signed_part::kind::text) {
      pieces.push_back(part.value);
    } else {
      const auto value = only_value(request, part.value);
      if (value.trouble) return value.trouble;
      pieces.push_back(value.text);
    }
  }
  const auto macs = offered(s, signature);
  if (macs.empty()) return refusal::malformed;
  for (const auto& secret : secrets) {
    const auto key = key_of(s, secret);
    if (!key || key->empty()) continue;
    const auto right = compute(s.by, *key, pieces);
    for (const auto& given : macs)
      if (equal(right, given)) return std::nullopt;
  }
  return refusal::mismatch;
}

} // namespace

std::optional<mac> mac_from_text(std::string_view text) {
  if (text == "none") return mac::none;
  if (text == "hmac-sha256") return mac::hmac_sha256;
  if (text == "hmac-sha512") return mac::hmac_sha512;
  return std::nullopt;
}

std::optional<encoding> encoding_from_text(std::string_view text) {
  if (text == "hex") return encoding::hex;
  if (text == "base64") return encoding::base64;
  return std::nullopt;
}

std::string_view to_text(refusal r) {
  switch (r) {
  case refusal::missing_header:
    return "a header of the signature is missing";
  case refusal::malformed:
    return "the signature is malformed";
  case refusal::mismatch:
    return "the signature is wrong";
  case refusal::stale:
    return "the signature's time is too far from now";
  }
  return "";
}

evm::result<void> check_secret(const scheme& s, std::string_view secret) {
  const auto key = key_of(s, secret);
  if (!key) return evm::fail("the secret must be base64, with or without whsec_ in front");
  if (key->empty()) return evm::fail("the secret is empty");
  return {};
}

std::optional<refusal> verify(const scheme& s, std::span<const std::string> secrets,
                              const signed_request& request, std::int64_t now_s,
                              std::int64_t tolerance_s) {
  if (!present(request, s.header))
    for (const auto& other : s.or_else)
      if (present(request, other.header))
        return verify(other, secrets, request, now_s, tolerance_s);

  const auto signature = only_value(request, s.header);
  if (signature.trouble) return signature.trouble;
  if (s.by == mac::none) return verify_static(s, secrets, signature.text);

  std::optional<std::int64_t> at;
  if (!s.time_header.empty()) {
    const auto time = only_value(request, s.time_header);
    if (time.trouble) return time.trouble;
    at = unix_seconds(time.text);
    if (!at) return refusal::malformed;
  }
  if (auto refused = verify_mac(s, secrets, request, signature.text)) return refused;
  if (at && !within(*at, now_s, tolerance_s)) return refusal::stale;
  return std::nullopt;
}

} // namespace tidemark::providers
