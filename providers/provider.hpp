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
  const scheme* signs = nullptr; ///< null: the source's `signature` must say it
  /// The MAC is over the body after its content-encoding is undone; else over the bytes as they
  /// came.
  bool signs_inflated = false;
  std::span<const known_chain> networks = {};
  evm::result<hints> (*read)(const boost::json::value& body) = nullptr; ///< called by `extract`
};

/// Every provider that works; static.
std::span<const provider> all();
const provider* find(std::string_view name);
/// Names that the contract has and no row yet: "not yet", where another name is "no such provider".
std::span<const std::string_view> later();

/// The hints of an inflated body, in its order. An error: it cannot be understood (not JSON, a
/// member twice, deeper than 32, a number or hash out of range, a shape that the provider does not
/// send). Empty: understood, and it names nothing.
evm::result<hints> extract(const provider& p, std::string_view body);

/// The chain id behind a provider's own network name, without a source's `networks`, which go
/// first. Unknown: never a guess.
std::optional<std::uint64_t> known_network(const provider& p, std::string_view network);

} // namespace tidemark::providers
