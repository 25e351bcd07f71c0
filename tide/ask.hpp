// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "tide/interest.hpp"
#include "tide/transaction_rules.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What a Tide asks of a chain's endpoints, and what comes back.  One ask is read on one endpoint
// (tide/reading.hpp says with which calls); an answer is what that endpoint said, checked for
// shape, believed by nobody yet.

namespace tidemark::tide {

struct ask_head {
  bool safe = false, finalized = false;
};
/// Canonical headers by number, ascending, at least one or a failure. A height inside that no
/// parent names is void and left out; at the end they may be void, or not there yet.
struct ask_headers {
  std::uint64_t from = 0, to = 0;
};
/// Blocks read whole: the header by *number* (so that it is the canonical one), the logs by *hash*,
/// without a filter. `sealed`: the logs are taken from the receipts, and what the header's hash and
/// the receipts root and the transactions root prove is recomputed. `transactions`: those that the
/// rules may want are told too, with what their receipts say.
struct ask_blocks {
  std::vector<evm::block_id> ids;
  bool sealed = false;
  std::shared_ptr<const transaction_rules> transactions = {};
};
/// Headers and filtered logs of [from, to'], to' ≤ to as the endpoint's limits allow, the last
/// header before and once more behind them. `sealed`: the headers' hashes are recomputed, and with
/// `transactions` (as of `ask_blocks`) the transactions roots.
struct ask_range {
  std::uint64_t from = 0, to = 0;
  interest::filter filter;
  bool sealed = false;
  std::shared_ptr<const transaction_rules> transactions = {};
};
/// The filtered logs of a range once more, without headers: a second word on what the first left
/// out. All of them or a failure.
struct ask_logs {
  std::uint64_t from = 0, to = 0;
  interest::filter filter;
};
/// Every endpoint's word on where the chain is, and on one height: what a quorum is counted from.
struct ask_votes {
  bool safe = false, finalized = false;
  std::optional<std::uint64_t> number;
};
struct ask_receipts {
  std::vector<evm::hash32> transactions;
};

using ask_what =
    std::variant<ask_head, ask_headers, ask_blocks, ask_range, ask_receipts, ask_logs, ask_votes>;

struct ask {
  std::uint64_t n = 0; ///< the answer carries it
  ask_what what;
  std::optional<std::size_t>
      endpoint; ///< the one that gave an earlier answer, where the two belong together
  std::optional<std::size_t> rather_not; ///< another one than this, where there is one
};

struct head_answer {
  evm::header head;
  std::optional<evm::block_id> safe, finalized;
};
struct headers_answer {
  std::vector<evm::header> headers;
};
struct block_reading {
  evm::header header;
  std::vector<evm::log> logs;
  bool from_receipts = false;
  std::optional<evm::hash32> receipts_root;        ///< `sealed`: recomputed from the receipts
  std::vector<std::uint64_t> receipt_types = {};   ///< `sealed`: in the order of the transactions
  bool watched = false;                            ///< `transactions` was asked for
  std::vector<evm::transaction> transactions = {}; ///< those that may be wanted, ascending
};
struct blocks_answer {
  std::vector<block_reading> blocks;
}; ///< as asked, one each
struct range_answer {
  std::vector<evm::header> headers;
  std::vector<evm::log> logs;
  evm::block_id last_again;
  std::vector<evm::transaction> transactions = {}; ///< as of `block_reading`
};
struct receipts_answer {
  std::vector<std::optional<evm::receipt>> receipts;
}; ///< as asked; absent: the endpoint has none

struct logs_answer {
  std::vector<evm::log> logs;
};
/// What one endpoint says; those that did not answer have none.
struct vote {
  std::size_t endpoint = 0;
  std::string endpoint_name;
  head_answer says;
  std::optional<evm::header> there; ///< its header at the height asked for, where it has one
};
struct votes_answer {
  std::vector<vote> votes;
  std::string silent; ///< who said nothing, and why, for a person
};

/// No endpoint answered. `text` is for a person.
struct no_answer {
  std::string text;
};

using answer_what = std::variant<no_answer, head_answer, headers_answer, blocks_answer,
                                 range_answer, receipts_answer, logs_answer, votes_answer>;

struct answer {
  std::uint64_t n = 0;
  answer_what what;
  std::size_t endpoint = 0;
  std::string endpoint_name;
  std::uint64_t endpoint_head = 0; ///< the highest block that it has named
};

} // namespace tidemark::tide
