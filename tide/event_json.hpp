// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"
#include "evm/chain_data.hpp"
#include "evm/transaction.hpp"
#include "tide/policy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The JSON of contract §4.1, written straight into a string: it is made once for each event and its
// bytes are kept.

namespace tidemark::tide {

/// A JSON string with its quotes. What is not UTF-8 becomes U+FFFD, so that the result is always
/// JSON.
void append_json_string(std::string& out, std::string_view text);
/// RFC 3629: no overlong forms, no surrogates, at most U+10FFFF.
bool is_utf8(std::string_view text);

/// chainId:txHash:oN, N being the log's place in its transaction.
std::string logical_id(std::uint64_t chain_id, const evm::hash32& tx, std::uint32_t ordinal);

/// A decoded value as the contract tells it. `type` must be the one that it was decoded with.
void append_value(std::string& out, const evm::abi_type& type, const evm::abi_value& value);

/// Everything that `data` says of a log and that does not depend on the store. References: for the
/// call only.
struct log_story {
  std::uint64_t chain_id = 0;
  std::string_view chain;
  const evm::log& log;
  std::uint64_t block_time = 0;         ///< seconds since 1970
  std::optional<std::uint32_t> ordinal; ///< absent: logical_id is null
  const std::vector<std::string>& subscriptions;
  const evm::abi_event& event; ///< names the event and its arguments
  /// In the order of `event.inputs`, or why there are none.
  const evm::result<std::vector<evm::abi_value>>& args;
  const std::vector<policy>& confirmations;
  evm::decode_notes notes = {};
};
std::string render_log(const log_story& s);

/// The same of a transaction.
struct transaction_story {
  std::uint64_t chain_id = 0;
  std::string_view chain;
  const evm::transaction& transaction;
  std::uint64_t block_time = 0; ///< seconds since 1970
  const std::vector<std::string>& subscriptions;
  const std::vector<policy>& confirmations;
};
std::string render_transaction(const transaction_story& s);

/// The member `confirmations`, with the comma before it.
void append_confirmations(std::string& out, const std::vector<policy>& applied);

} // namespace tidemark::tide
