// SPDX-License-Identifier: MIT
#include "providers/macs.hpp"

#include "evm/keccak.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

namespace tidemark::providers {

namespace {

struct free_mac {
  void operator()(EVP_MAC_CTX* c) const { EVP_MAC_CTX_free(c); }
};
using mac_context = std::unique_ptr<EVP_MAC_CTX, free_mac>;

struct free_key {
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
};
using public_key = std::unique_ptr<EVP_PKEY, free_key>;

struct free_digest {
  void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
};

// A context with its digest chosen: to copy one is many times quicker than to look the algorithms
// up again.
mac_context make_context(mac by) {
  EVP_MAC* algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  mac_context context{EVP_MAC_CTX_new(algorithm)};
  EVP_MAC_free(algorithm);
  std::string digest = by == mac::hmac_sha512 ? "SHA512" : "SHA256";
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

evm::bytes keccak_of(std::span<const std::string_view> pieces) {
  std::size_t size = 0;
  for (const auto piece : pieces)
    size += piece.size();
  std::string all;
  all.reserve(size);
  for (const auto piece : pieces)
    all += piece;
  const auto hash = evm::keccak256(all);
  const auto view = hash.view();
  return {view.begin(), view.end()};
}

public_key read_key(evm::bytes_view spki) {
  const unsigned char* at = spki.data();
  public_key key{d2i_PUBKEY(nullptr, &at, static_cast<long>(spki.size()))};
  if (!key || at != spki.data() + spki.size()) return nullptr;
  std::array<char, 32> curve{};
  std::size_t size = 0;
  if (EVP_PKEY_is_a(key.get(), "EC") != 1 ||
      EVP_PKEY_get_group_name(key.get(), curve.data(), curve.size(), &size) != 1 ||
      std::string_view{curve.data(), size} != "prime256v1")
    return nullptr;
  return key;
}

} // namespace

evm::bytes_view octets(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::size_t digest_size(mac by) {
  if (by == mac::hmac_sha512) return 64;
  return by == mac::hmac_sha256 || by == mac::keccak256 ? 32 : 0;
}

evm::bytes compute_mac(mac by, evm::bytes_view key, std::span<const std::string_view> pieces) {
  if (by == mac::keccak256) return keccak_of(pieces);
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

bool same_mac(evm::bytes_view a, evm::bytes_view b) {
  return !a.empty() && a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  std::size_t size = 0;
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, text.data(), text.size(), digest.data(), &size) != 1)
    return {};
  std::string out;
  for (const unsigned byte : digest) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

bool is_p256_key(evm::bytes_view spki) { return read_key(spki) != nullptr; }

bool p256_signed(evm::bytes_view spki, std::span<const std::string_view> pieces,
                 evm::bytes_view signature) {
  const auto key = read_key(spki);
  const std::unique_ptr<EVP_MD_CTX, free_digest> context{EVP_MD_CTX_new()};
  if (!key || !context) return false;
  if (EVP_DigestVerifyInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, key.get(),
                              nullptr) != 1)
    return false;
  for (const auto piece : pieces)
    if (EVP_DigestVerifyUpdate(context.get(), piece.data(), piece.size()) != 1) return false;
  return EVP_DigestVerifyFinal(context.get(), signature.data(), signature.size()) == 1;
}

} // namespace tidemark::providers
