// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"
#include "providers/signature.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tidemark::providers {

evm::bytes_view octets(std::string_view text);

/// Of HMACs and hashes; 0 for mac::none and signatures of other lengths.
std::size_t digest_size(mac by);

/// HMAC-SHA256, HMAC-SHA512, or Keccak-256 (which takes no key) of the pieces, one behind the
/// other. Empty where OpenSSL fails, which then is equal to no MAC.
evm::bytes compute_mac(mac by, evm::bytes_view key, std::span<const std::string_view> pieces);

/// In constant time; an empty one is equal to nothing.
bool same_mac(evm::bytes_view a, evm::bytes_view b);

/// The SHA-256 as lower-case hex; empty where OpenSSL fails.
std::string sha256_hex(std::string_view text);

/// `spki`: DER of a SubjectPublicKeyInfo.
bool is_p256_key(evm::bytes_view spki);
/// `signature`: DER of an ECDSA-Sig-Value (RFC 3279 §2.2.3) over the SHA-256 of the pieces.
bool p256_signed(evm::bytes_view spki, std::span<const std::string_view> pieces,
                 evm::bytes_view signature);

} // namespace tidemark::providers
