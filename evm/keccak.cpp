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

} // namespace tidemark::evm
