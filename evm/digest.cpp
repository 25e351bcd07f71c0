// SPDX-License-Identifier: MIT
#include "evm/digest.hpp"

#include <cryptopp/sha.h>

#include <array>

namespace tidemark::evm {

std::uint64_t digest64(bytes_view data) {
  std::array<std::uint8_t, CryptoPP::SHA256::DIGESTSIZE> hash;
  CryptoPP::SHA256{}.CalculateDigest(hash.data(), data.data(), data.size());
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < sizeof out; ++i)
    out = out << 8 | hash[i];
  return out;
}

} // namespace tidemark::evm
