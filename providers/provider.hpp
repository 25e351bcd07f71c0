// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "providers/hint.hpp"
#include "providers/signature.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::providers {

using hints = std::vector<hint>;

/// A provider's own name of a chain.
struct known_chain {
  std::string_view network;
  std::uint64_t id = 0;
};

/// One row: all that is special about a provider.
struct provider {
  std::string_view name;
  const scheme* signs =
      nullptr; ///< null: the source's `signature` must say it, but for `takes_unsigned`
  /// Nobody has documented how it signs: without a `signature` nothing is checked, and there is no
  /// secret.
  bool takes_unsigned = false;
  /// The MAC is over the body after its content-encoding is undone; else over the bytes as they
  /// came.
  bool signs_inflated = false;
  std::span<const known_chain> networks = {};
  std::string_view chain_header = {}; ///< in lower case; names the chain where the body does not
  evm::result<hints> (*read)(const boost::json::value& body) = nullptr; ///< called by `extract`
};

/// Every provider; static.
std::span<const provider> all();
const provider* find(std::string_view name);

/// The hints of an inflated body, in its order. An error: it cannot be understood (not JSON, a
/// member twice, deeper than 32, a number or hash out of range, a shape that the provider does not
/// send). Empty: understood, and it names nothing. `chain`: the value of the provider's
/// `chain_header`, empty where there is none.
evm::result<hints> extract(const provider& p, std::string_view body, std::string_view chain = {});

/// The chain id behind a provider's own network name, without a source's `networks`, which go
/// first. Unknown: never a guess.
std::optional<std::uint64_t> known_network(const provider& p, std::string_view network);

} // namespace tidemark::providers
