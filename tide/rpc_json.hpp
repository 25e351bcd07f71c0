// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "evm/result.hpp"
#include "tide/interest.hpp"
#include "tide/seal_json.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

// What JSON-RPC says, as values. Only the fields that Tidemark needs are read, and those strictly:
// a header without a hash, a log of a pending block, a number out of range is an error that says
// which field it was. Source: the Ethereum execution API.

namespace tidemark::tide {

/// The receipts root is zero where the answer has no right one. `sealed` asks for every field of
/// the header and for what they hash to (seal_json.hpp): then a missing or wrong one is an error.
evm::result<evm::header> header_from(const boost::json::value& v, bool sealed = false);
evm::result<evm::log> log_from(const boost::json::value& v);
/// A failed transaction may have logs: Polygon and zkSync log its fee, and so does Tempo.
evm::result<evm::receipt> receipt_from(const boost::json::value& v);

/// One call of JSON-RPC 2.0.
struct rpc_call {
  std::string method;
  std::string params; ///< a JSON array, as it goes on the wire
};

/// `full`: with whole transactions in place of their hashes.
rpc_call call_block_by_number(std::uint64_t number, bool full = false);
rpc_call call_block_by_tag(std::string_view tag); ///< latest, safe or finalized; never for logs
rpc_call call_logs_of_block(const evm::hash32& hash);
rpc_call call_logs(std::uint64_t from, std::uint64_t to, const interest::filter& filter);
rpc_call call_receipts_of_block(const evm::hash32& hash);
rpc_call call_receipt(const evm::hash32& tx);
rpc_call call_chain_id();
rpc_call call_subscribe_heads(); ///< over a WebSocket alone

/// The request's text; `id` comes back with the answer.
void append_request(std::string& out, std::uint64_t id, const rpc_call& call);

} // namespace tidemark::tide
