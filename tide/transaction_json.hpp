// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "evm/result.hpp"
#include "evm/transaction.hpp"
#include "tide/transaction_rules.hpp"

#include <boost/json/value.hpp>

#include <vector>

// A block's whole transactions, as eth_getBlockByNumber(…, true) says them.

namespace tidemark::tide {

/// Those that `rules` may want, ascending; `success` and `created` are a receipt's to say. `h` is
/// what the same value says as a header. An error where transactions are hashes alone.
evm::result<std::vector<evm::transaction>> transactions_from(const boost::json::value& block,
                                                             const evm::header& h,
                                                             const transaction_rules& rules);

/// Puts into `h` the transactions root as the block's whole transactions make it, or why they make
/// none: they are hashes alone, or of a type that this version cannot encode. An error where one
/// cannot be read, stands at another place than it says, or does not make its own hash.
evm::result<void> seal_transactions(evm::header& h, const boost::json::value& block);

} // namespace tidemark::tide
