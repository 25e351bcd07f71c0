// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::providers {

/// `none`: the header's value is the secret itself.
enum class mac : std::uint8_t { none, hmac_sha256, hmac_sha512 };
/// How a MAC is written. `hex` is lower case only; `base64` is RFC 4648 §4, padded and canonical.
enum class encoding : std::uint8_t { hex, base64 };
/// What of a secret is the key: its text, or what its base64 says, with `whsec_` in front or not.
enum class key_form : std::uint8_t { text, base64 };

/// A piece of what is signed, in order.
struct signed_part {
  enum class kind : std::uint8_t { body, header, text };
  kind is = kind::body;
  std::string value; ///< the header's name, or the text; empty for the body
  friend bool operator==(const signed_part&, const signed_part&) = default;
};

/// How a sender proves that a request is its own, as data: one value a provider, or what a source's
/// `signature` says. Header names are compared without case, their values taken verbatim.
struct scheme {
  std::string header = {}; ///< where the signature is
  mac by = mac::hmac_sha256;
  /// Must stand in front of the MAC, or of the secret with mac::none.
  std::string prefix = {};
  encoding as = encoding::hex;
  /// What is signed; without meaning for mac::none.
  std::vector<signed_part> parts = {signed_part{}};
  /// The header is a list with spaces between; items without the prefix are of another version and
  /// passed over.
  bool list = false;
  key_form key = key_form::text;
  std::string time_header = {}; ///< unix seconds, one of the parts; empty: no time is signed
  /// The same under other header names; looked at only where the request has no `header`.
  std::vector<scheme> or_else = {};
  friend bool operator==(const scheme&, const scheme&) = default;
};

/// The words of a source's `signature`. SHA-1 and MD5 are none of them.
std::optional<mac> mac_from_text(std::string_view text);           // none hmac-sha256 hmac-sha512
std::optional<encoding> encoding_from_text(std::string_view text); // hex base64

/// Why a secret can never verify anything under a scheme (empty, or not the base64 that it must
/// be). Never quotes it.
evm::result<void> check_secret(const scheme& s, std::string_view secret);

struct request_header {
  std::string_view name, value;
};

/// What came, by reference: the caller keeps the bytes while it verifies.
struct signed_request {
  std::span<const request_header> headers;
  std::string_view body; ///< the bytes that the scheme signs, see `provider::signs_inflated`
};

/// `stale` is only said of a request whose signature is right.
enum class refusal : std::uint8_t { missing_header, malformed, mismatch, stale };
std::string_view to_text(refusal r);

/// Nothing when one of the secrets signed the request and its time, where the scheme has one, is at
/// most `tolerance_s` from `now_s` (unix seconds) either way. A header that the scheme reads and
/// that comes twice is malformed, since proxies and senders disagree which counts. Secrets that
/// `check_secret` refuses verify nothing. Compares in constant time.
std::optional<refusal> verify(const scheme& s, std::span<const std::string> secrets,
                              const signed_request& request, std::int64_t now_s,
                              std::int64_t tolerance_s);

} // namespace tidemark::providers
