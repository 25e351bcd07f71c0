// SPDX-License-Identifier: MIT
#pragma once

#include "providers/provider.hpp"

namespace tidemark::providers {

/// Hints of what nodes themselves give: logs, receipts, transactions and blocks as of the execution
/// API, one or many, in JSON-RPC answers and eth_subscribe notices, or under `data log logs receipt
/// receipts transaction transactions`; what an outer object says of the place (chain, block,
/// transaction) holds for what is in it.
evm::result<hints> read_chain_things(const boost::json::value& body);

/// The same for what a user's own function makes of them, at any depth under any name; what cannot
/// be recognised is passed over, unless there is nothing else.
evm::result<hints> find_chain_things(const boost::json::value& body);

} // namespace tidemark::providers
