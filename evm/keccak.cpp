// SPDX-License-Identifier: MIT
#include "evm/keccak.hpp"

#include <cryptopp/keccak.h>

namespace tidemark::evm {

hash32 keccak256(bytes_view data) {
  hash32 out;
  CryptoPP::Keccak_256{}.CalculateDigest(out.octets.data(), data.data(), data.size());
  return out;
}

hash32 keccak256(std::string_view text) {
  return keccak256(bytes_view(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::uint64_t keccak_prefix(bytes_view data) {
  const auto hash = keccak256(data);
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < sizeof out; ++i)
    out = out << 8 | hash.octets[i];
  return out;
}

} // namespace tidemark::evm
