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

/// `none`: the header's value is the secret itself. `keccak256` is the plain hash, so the secret
/// must be one of the parts. `ecdsa_p256`: over the SHA-256 of the parts (FIPS 186-4), its DER; the
/// "secret" is the sender's public key.
enum class mac : std::uint8_t { none, hmac_sha256, hmac_sha512, keccak256, ecdsa_p256 };
/// How a MAC is written. `hex` is lower case only; `base64` is RFC 4648 §4, padded and canonical.
enum class encoding : std::uint8_t { hex, base64 };
/// What of a secret is the key: its text, what its base64 says, with `whsec_` in front or not, or a
/// public key on P-256 as the base64 of its SubjectPublicKeyInfo (RFC 5480).
enum class key_form : std::uint8_t { text, base64, p256_spki };
/// How the header holds the signature: it is one · a list with spaces between, of which items
/// without the prefix are of another version and passed over · `name=value` fields with commas
/// between.
enum class layout : std::uint8_t { one, list, fields };

/// A piece of what is signed, in order.
struct signed_part {
  /// `field`: of a header with layout::fields. `listed`: the values, with dots between, of the
  /// headers that such a field names with spaces between; it must name one.
  enum class kind : std::uint8_t { body, header, text, secret, field, listed };
  kind is = kind::body;
  std::string value; ///< the name of the header or field, or the text; else empty
  friend bool operator==(const signed_part&, const signed_part&) = default;
};

/// The time that a sender signs; without a name there is none. Looked at only once the signature is
/// right.
struct signed_time {
  /// `member`: of the JSON object that the body is. A body that has none there is not stale.
  enum class place : std::uint8_t { header, field, member };
  /// `date`: as HTTP writes it (RFC 9110 §5.6.7), or as Go prints a time.Time.
  enum class form : std::uint8_t { seconds, milliseconds, date };
  place in = place::header;
  std::string name = {};
  form as = form::seconds;
  friend bool operator==(const signed_time&, const signed_time&) = default;
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
  layout look = layout::one;
  std::string field = {}; ///< with layout::fields: which of them is the signature
  key_form key = key_form::text;
  signed_time time = {};
  /// A header that must hold the SHA-256 of the body in lower-case hex: for a scheme that signs
  /// that header in the body's place.
  std::string content_hash = {};
  /// The same under other header names; looked at only where the request has no `header`.
  std::vector<scheme> or_else = {};
  friend bool operator==(const scheme&, const scheme&) = default;
};

/// The words of a source's `signature`. SHA-1 and MD5 are none of them.
std::optional<mac> mac_from_text(std::string_view text);           // none hmac-sha256 hmac-sha512
std::optional<encoding> encoding_from_text(std::string_view text); // hex base64

/// Why a secret can never verify anything under a scheme (empty, not the base64 that it must
/// be, no key on P-256). Never quotes it.
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
