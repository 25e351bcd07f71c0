// SPDX-License-Identifier: MIT
#include "providers/sign.hpp"

#include "providers/strict_text.hpp"

#include <openssl/evp.h>

#include <array>

namespace tidemark::providers {

std::string standard_webhooks_signature(std::string_view secret, std::string_view id,
                                        std::string_view timestamp, std::string_view body) {
  constexpr std::string_view prefix = "whsec_";
  if (secret.starts_with(prefix)) secret.remove_prefix(prefix.size());
  const auto key = decode_base64(secret);
  if (!key || key->empty()) return {};

  std::string text;
  text.reserve(id.size() + timestamp.size() + body.size() + 2);
  text.append(id).append(1, '.').append(timestamp).append(1, '.').append(body);

  std::array<unsigned char, 32> mac{};
  std::size_t length = 0;
  if (!EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key->data(), key->size(),
                 reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(),
                 mac.size(), &length) ||
      length != mac.size())
    return {};
  // 32 bytes are 44 characters; OpenSSL writes a zero behind them.
  std::array<unsigned char, 45> base64{};
  EVP_EncodeBlock(base64.data(), mac.data(), static_cast<int>(mac.size()));
  return "v1," + std::string{reinterpret_cast<const char*>(base64.data()), base64.size() - 1};
}

} // namespace tidemark::providers
