// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "tide/ask.hpp"
#include "tide/chain_ways.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tide {

/// What speaks against an answer.
struct objection {
  enum class kind : std::uint8_t {
    lie,       ///< it contradicts itself or the block
    numbering, ///< indexes have a hole, or are those of a chain that counts within transactions
    bloom,     ///< the bloom is not the header's, and no further logs would make it so
    lack,      ///< the header's bloom has more: logs are left out, or this chain's blooms never fit
    unprovable ///< fields that this version does not know
  };
  kind what = kind::lie;
  std::string text;
};

/// Checks a block that was read whole against itself (design §5): every log is of this block and of
/// a listed transaction, indexes are 0…n−1 as the chain counts them, and the bloom made from the
/// logs is the header's, or with `receipts` hash and root are what they claim. Sorts the logs,
/// drops equal doubles, and those of pseudo-transactions without a hash, which nothing can name.
std::optional<objection> object_to(block_reading& reading, proof asked, const chain_ways& ways);

/// The header's own fields make its hash, and its transactions, where they were read as a whole,
/// their root; `watched`: they have to.
std::optional<objection> object_to(const evm::header& sealed, bool watched = false);

/// The bloom that these logs make.
evm::bloom bloom_of(const std::vector<evm::log>& logs);

/// Each log's place in its own transaction: its index less the lowest of that transaction. Needs
/// the whole block.
std::map<evm::hash32, std::uint32_t> first_index_by_transaction(const std::vector<evm::log>& logs);

/// Sorts a filtered answer as the chain counts, drops equal doubles, and checks each log
/// against the header of its block; the headers link by parents, whatever heights are void.
/// `listed`: transactions must be in their block's list.
evm::result<void> check_range(range_answer& range, std::uint64_t from, std::uint64_t to,
                              const chain_ways& ways, bool listed);
/// The same for logs that came without headers.
evm::result<void> check_logs(std::vector<evm::log>& logs, const std::vector<evm::header>& headers,
                             const chain_ways& ways, bool listed);

} // namespace tidemark::tide
