// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "evm/result.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <vector>

// What an answer proves of itself: a header its hash, receipts their root.

namespace tidemark::tide {

/// Puts into `h.unknown_fields` the members of `v` that may be part of the hash and that this
/// version cannot place, and those of earlier forks that `v` leaves out before a later fork's (for
/// clients differ in how they write that), comma between; into `h.sealed` the hash of the rest.
/// Where there are unknown ones, a `sealed` that is not `h.hash` says nothing. `h` is what `v` says
/// already. The error names the field that is missing or wrong.
evm::result<void> seal(evm::header& h, const boost::json::value& v);

/// The receipts root of a block's whole answer to eth_getBlockReceipts, in any order; Polygon's
/// pseudo receipt of state sync is left out, for it is in no root. An error where a receipt cannot
/// be read or is of another block, where transaction indexes are not 0…n−1, where a bloom is not
/// its logs', where gas falls, and where log indexes, which the root does not prove, count neither
/// through the block nor through each transaction. Transaction hashes are not proved by it either.
evm::result<evm::hash32> receipts_root_from(const boost::json::array& receipts,
                                            const evm::block_id& block);
/// The types of such receipts, in the order of their transactions; they are part of the root.
std::vector<std::uint64_t> receipt_types_of(const boost::json::array& receipts,
                                            const evm::block_id& block);

/// The receipts' types whose encoding this version does not know, each once, comma between. They
/// are put into the root as Ethereum's are; where there are any, a root that is not the header's
/// says nothing.
std::string unknown_receipt_types(const boost::json::array& receipts);

} // namespace tidemark::tide
