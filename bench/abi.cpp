// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"

#include <chrono>
#include <cstdio>

// Decodes ERC-20 transfers on one core: what every log that fits costs before it is an event.

using namespace tidemark::evm;

int main() {
  const auto event =
      parse_event("Transfer(address indexed from, address indexed to, uint256 value)").value();
  std::vector<hash32> topics(3);
  topics[0] = event.topic0();
  bytes data(32);
  constexpr std::uint64_t rounds = 5'000'000;
  std::uint64_t sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t n = 0; n < rounds; ++n) {
    for (std::size_t i = 0; i < 8; ++i) {
      const auto octet = static_cast<std::uint8_t>(n >> (8 * i));
      data[31 - i] = octet;
      topics[1].octets[31 - i] = octet;
      topics[2].octets[12 + i] = octet;
    }
    const auto values = decode_args(event, topics, data);
    if (!values) return 1;
    sum += static_cast<std::uint64_t>(std::get<integer>((*values)[2].is));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (sum != rounds * (rounds - 1) / 2) return 1;
  std::printf("%.2f million ERC-20 transfers decoded a second\n",
              static_cast<double>(rounds) / took.count() / 1e6);
  return 0;
}
