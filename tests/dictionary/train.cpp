// SPDX-License-Identifier: MIT
// Trains the dictionary that `data` of events is compressed with, from events as the renderer
// writes them (kinds that are common on many chains, all that differs drawn from a fixed seed), and
// prints store/data_dictionary.cpp. Run it only for another number: what is stored names its
// dictionary.

#include "evm/abi.hpp"
#include "tide/event_json.hpp"

#include <zdict.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace tidemark;

constexpr std::size_t dictionary_size = 4'096, samples_a_kind = 400;

struct network {
  std::uint64_t id, height, time;
  const char* name;
};
constexpr std::array<network, 7> networks{{{1, 24'000'000, 1'790'000'000, "ethereum"},
                                           {137, 80'000'000, 1'790'000'000, "polygon"},
                                           {8453, 40'000'000, 1'790'000'000, "base"},
                                           {42161, 400'000'000, 1'790'000'000, "arbitrum"},
                                           {10, 150'000'000, 1'790'000'000, "optimism"},
                                           {56, 60'000'000, 1'790'000'000, "bsc"},
                                           {100, 44'000'000, 1'790'000'000, "gnosis"}}};

/// The first is the most common, and stands more often.
constexpr std::array<const char*, 16> kinds{{
    "Transfer(address indexed from, address indexed to, uint256 value)",
    "Transfer(address indexed from, address indexed to, uint256 value)",
    "Transfer(address indexed from, address indexed to, uint256 value)",
    "Transfer(address indexed from, address indexed to, uint256 value)",
    "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
    "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
    "TransferSingle(address indexed operator, address indexed from, address indexed to, "
    "uint256 id, uint256 value)",
    "Approval(address indexed owner, address indexed spender, uint256 value)",
    "ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
    "Deposit(address indexed dst, uint256 wad)",
    "Deposited(address indexed account, uint256 amount)",
    "Withdrawal(address indexed src, uint256 wad)",
    "Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, "
    "uint256 amount1Out, address indexed to)",
    "Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, "
    "uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
    "Sync(uint112 reserve0, uint112 reserve1)",
    "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
}};

class drawn {
public:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  template <std::size_t N> evm::fixed_bytes<N> bytes() {
    evm::fixed_bytes<N> out;
    for (auto& octet : out.octets)
      octet = static_cast<std::uint8_t>(random_());
    return out;
  }
  /// A word as it is usual for a type: addresses are padded, numbers are small.
  evm::hash32 word(const evm::abi_type& type) {
    auto out = bytes<32>();
    using is = evm::abi_type::kind;
    const std::size_t used = type.is == is::address   ? 20
                             : type.is == is::boolean ? 0
                             : type.is == is::int_    ? 2
                                                      : 1 + below(10);
    for (std::size_t i = 0; i < 32 - used; ++i)
      out.octets[i] = 0;
    return out;
  }

private:
  std::mt19937_64 random_{1};
};

std::string one(drawn& d, const evm::abi_event& event) {
  const auto& n = networks[d.below(networks.size())];
  evm::log log;
  log.block = {n.height + d.below(1'000'000), d.bytes<32>()};
  log.tx = d.bytes<32>();
  log.tx_index = static_cast<std::uint32_t>(d.below(200));
  log.log_index = static_cast<std::uint32_t>(d.below(500));
  log.address = d.bytes<20>();
  log.topics.push_back(event.topic0());
  for (const auto& input : event.inputs) {
    const auto word = d.word(input.type);
    if (input.indexed)
      log.topics.push_back(word);
    else
      log.data.insert(log.data.end(), word.octets.begin(), word.octets.end());
  }
  const std::vector<std::string> names{d.below(2) == 0 ? "transfers" : "payments"};
  std::vector<tide::policy> policies{{std::nullopt, 1 + d.below(64), tide::tag::none}};
  if (d.below(3) == 0) policies = {{std::nullopt, std::nullopt, tide::tag::finalized}};
  const auto ordinal = d.below(2) == 0 ? std::optional<std::uint32_t>(d.below(30)) : std::nullopt;
  return tide::render_log({n.id, n.name, log, n.time + d.below(9'000'000), ordinal, names, event,
                           evm::decode_args(event, log.topics, log.data), policies});
}

std::string a_transaction(drawn& d) {
  const auto& n = networks[d.below(networks.size())];
  evm::transaction t;
  t.block = {n.height + d.below(1'000'000), d.bytes<32>()};
  t.hash = d.bytes<32>();
  t.index = static_cast<std::uint32_t>(d.below(200));
  t.from = d.bytes<20>();
  t.to = d.bytes<20>();
  t.nonce = d.below(10'000);
  t.success = true;
  return tide::render_transaction({n.id,
                                   n.name,
                                   t,
                                   n.time + d.below(9'000'000),
                                   {"payments"},
                                   {{std::nullopt, 12, tide::tag::none}}});
}

void print(const std::string& dictionary) {
  std::printf("// SPDX-License-Identifier: MIT\n// Made by tests/dictionary/train.cpp; never "
              "changed: what is "
              "stored was written with it.\n#include \"store/packing.hpp\"\n\n// clang-format off\n"
              "namespace tidemark::store {\n\nconst std::uint8_t "
              "data_dictionary_1[data_dictionary_1_size] = {");
  for (std::size_t i = 0; i < dictionary.size(); ++i)
    std::printf("%s%u,", i % 32 == 0 ? "\n  " : "",
                static_cast<unsigned>(static_cast<unsigned char>(dictionary[i])));
  std::printf("\n};\n\n} // namespace tidemark::store\n");
}

} // namespace

int main() {
  drawn d;
  std::string all;
  std::vector<std::size_t> sizes;
  const auto add = [&](const std::string& sample) {
    all += sample;
    sizes.push_back(sample.size());
  };
  for (const char* kind : kinds) {
    const auto event = evm::parse_event(kind).value();
    for (std::size_t i = 0; i < samples_a_kind; ++i)
      add(one(d, event));
  }
  for (std::size_t i = 0; i < 2 * samples_a_kind; ++i)
    add(a_transaction(d));
  std::string dictionary(dictionary_size, '\0');
  const auto size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), all.data(),
                                          sizes.data(), static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size)) {
    std::fprintf(stderr, "train: %s\n", ZDICT_getErrorName(size));
    return 1;
  }
  dictionary.resize(size);
  print(dictionary);
}
