// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "tide/ask.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace tidemark::tide {

/// How much a block read whole has to prove.
enum class proof : std::uint8_t { none, bloom };

/// Checks a block that was read whole against itself (design §5): every log is of this block,
/// indexes are 0…n−1, transaction hashes fit the header's list, and the bloom made from the logs is
/// the header's. Sorts the logs by index and drops equal doubles. The error says what the endpoint
/// said and what the block proves.
evm::result<void> prove_whole(block_reading& reading, proof asked);

/// The bloom that these logs make.
evm::bloom bloom_of(const std::vector<evm::log>& logs);

/// Each log's place in its own transaction: its index less the lowest of that transaction. Needs
/// the whole block.
std::map<evm::hash32, std::uint32_t> first_index_by_transaction(const std::vector<evm::log>& logs);

/// Sorts a filtered answer by (block, index), drops equal doubles, and checks each log against the
/// header of its block.
evm::result<void> check_range(range_answer& range, std::uint64_t from);

} // namespace tidemark::tide
