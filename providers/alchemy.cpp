// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

// Alchemy's OpenAPI writes some names without the underscore; samples write them with it.
constexpr known_chain networks[] = {{"MAINNET", 1},
                                    {"ETH_MAINNET", 1},
                                    {"ETHMAINNET", 1},
                                    {"ETH_SEPOLIA", 11155111},
                                    {"ETHSEPOLIA", 11155111},
                                    {"OPT_MAINNET", 10},
                                    {"OPTMAINNET", 10},
                                    {"OPT_SEPOLIA", 11155420},
                                    {"OPTSEPOLIA", 11155420},
                                    {"MATIC_MAINNET", 137},
                                    {"MATICMAINNET", 137},
                                    {"MATIC_AMOY", 80002},
                                    {"MATICAMOY", 80002},
                                    {"ARB_MAINNET", 42161},
                                    {"ARBMAINNET", 42161},
                                    {"ARB_SEPOLIA", 421614},
                                    {"ARBSEPOLIA", 421614},
                                    {"BASE_MAINNET", 8453},
                                    {"BASEMAINNET", 8453},
                                    {"BASE_SEPOLIA", 84532},
                                    {"BASESEPOLIA", 84532},
                                    {"BNB_MAINNET", 56},
                                    {"BNBMAINNET", 56},
                                    {"BNB_TESTNET", 97},
                                    {"BNBTESTNET", 97},
                                    {"AVAX_MAINNET", 43114},
                                    {"AVAXMAINNET", 43114},
                                    {"AVAX_FUJI", 43113},
                                    {"AVAXFUJI", 43113},
                                    {"GNOSIS_MAINNET", 100},
                                    {"GNOSISMAINNET", 100},
                                    {"ZKSYNC_MAINNET", 324},
                                    {"ZKSYNCMAINNET", 324},
                                    {"LINEA_MAINNET", 59144},
                                    {"LINEAMAINNET", 59144},
                                    {"SCROLL_MAINNET", 534352},
                                    {"SCROLLMAINNET", 534352},
                                    {"BLAST_MAINNET", 81457},
                                    {"BLASTMAINNET", 81457}};

/// ADDRESS_ACTIVITY, NFT_ACTIVITY: a transfer each, with its log where it has one.
evm::result<void> read_activity(const json::value& one, hint h, hints& out) {
  hint_fields fields{one, h};
  fields.block_number({"blockNum"}).tx({"hash"});
  const auto* log = member(one, "log");
  if (fields.trouble || !log || !log->is_object()) return add(out, fields);
  hint_fields inner{*log, h};
  inner.block_number({"blockNumber"}).block_hash({"blockHash"}).tx({"transactionHash"});
  inner.log_index({"logIndex"}).removed({"removed"});
  return add(out, inner);
}

/// MINED_TRANSACTION, DROPPED_TRANSACTION.
evm::result<void> read_transaction(const json::value& tx, hint h, hints& out) {
  if (!tx.is_object()) return evm::fail("the transaction is no object");
  hint_fields fields{tx, h};
  fields.chain({"chainId"}).block_number({"blockNumber"}).block_hash({"blockHash"}).tx({"hash"});
  return add(out, fields);
}

evm::result<void> read_graphql_log(const json::value& log, hint h, hints& out) {
  hint_fields fields{log, h};
  fields.log_index({"index"});
  const auto* tx = member(log, "transaction");
  if (fields.trouble || !tx) return add(out, fields);
  hint_fields inner{*tx, h};
  inner.tx({"hash"});
  return add(out, inner);
}

evm::result<void> read_graphql_transaction(const json::value& tx, hint h, hints& out) {
  hint_fields fields{tx, h};
  fields.tx({"hash"});
  const auto* logs = member(tx, "logs");
  if (fields.trouble || !logs) return add(out, fields);
  const auto before = out.size();
  if (auto done = read_each(*logs, h, out, read_graphql_log); !done) return done;
  return out.size() > before ? evm::result<void>{} : add(out, fields);
}

/// GRAPHQL: the user's query selects what comes. A block without logs and transactions is what was
/// asked for itself; with lists that are empty it is a heartbeat.
evm::result<void> read_graphql(const json::value& data, hint h, hints& out) {
  const auto* block = member(data, "block");
  if (!block) return evm::fail("the query's data has no block");
  if (block->is_null()) return {};
  if (!block->is_object()) return evm::fail("the block is no object");
  hint_fields fields{*block, h};
  fields.block_number({"number"}).block_hash({"hash"});
  if (fields.trouble) return *fields.trouble;
  const auto* logs = member(*block, "logs");
  const auto* transactions = member(*block, "transactions");
  if (!logs && !transactions) {
    if (!h.block_number && !h.block_hash)
      return evm::fail("the query selects no place in the chain");
    return add(out, fields);
  }
  if (logs)
    if (auto done = read_each(*logs, h, out, read_graphql_log); !done) return done;
  if (transactions) return read_each(*transactions, h, out, read_graphql_transaction);
  return {};
}

evm::result<hints> read(const json::value& body) {
  // Hooks made before April 2022 (V1) have no `event`: its members are the body's own.
  const auto* inner = member(body, "event");
  const auto& event = inner && inner->is_object() ? *inner : body;
  hint h;
  hint_fields fields{event, h};
  fields.chain({"network"});
  if (fields.trouble) return *fields.trouble;
  hints out;
  evm::result<void> done;
  if (const auto* activity = member(event, "activity"))
    done = read_each(*activity, h, out, read_activity);
  else if (const auto* tx = member(event, "transaction"))
    done = read_transaction(*tx, h, out);
  else if (const auto* old = member(event, "fullTransaction"))
    done = read_transaction(*old, h, out);
  else if (const auto* data = member(event, "data"))
    done = read_graphql(*data, h, out);
  // The notice that the month's capacity is used up.
  else if (!member(event, "error"))
    done = evm::fail("neither activity, transaction, data nor error");
  if (!done) return done.error();
  return out;
}

} // namespace

provider alchemy() {
  static const scheme signs{.header = "X-Alchemy-Signature"};
  return {.name = "alchemy", .signs = &signs, .networks = networks, .read = read};
}

} // namespace tidemark::providers
