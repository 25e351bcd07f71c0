// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"
#include "tide/rpc_error.hpp"
#include "tide/rpc_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tide {

/// What one call brought: a result, or the endpoint's error.
struct call_result {
  const boost::json::value* value = nullptr; ///< null: `error` says why; valid while it is taken
  rpc_error error;
  std::optional<rpc_failure> means = {}; ///< of the error, where more is known than it says
};

/// One ask on one endpoint, as calls in stages and what their results make. No I/O: whoever reads
/// sends `calls()` of a stage in any grouping and order, gives each result to `take`, and when it
/// has them all goes on with `next()`.
class reading {
public:
  /// What the endpoint allows for.
  struct limits {
    std::uint64_t span = 2'000;                                 ///< blocks of one eth_getLogs
    std::size_t list = std::numeric_limits<std::size_t>::max(); ///< addresses or topics of one
    std::size_t silent_cap = 0;  ///< logs at which it ends an answer without a word; 0: unknown
    std::size_t proved_logs = 0; ///< so many it gave at once: it does not cut at less
  };
  enum class step : std::uint8_t { more, done, failed };

  reading(ask_what what, const limits& l);

  const std::vector<rpc_call>& calls() const { return calls_; } ///< none: nothing is asked
  /// To be sent in a request of its own: its answer may be large.
  bool apart(std::size_t call) const { return todos_[call].is == kind::piece; }
  /// An error is an answer to this call.
  bool may_fail(std::size_t call) const {
    return todos_[call].is == kind::safe || todos_[call].is == kind::finalized;
  }
  /// At most so many calls go well into one post: whole transactions are large.
  std::size_t most_together() const { return full_ ? 10 : std::numeric_limits<std::size_t>::max(); }
  /// So many calls of this stage, from an even place on, belong together.
  std::size_t unit() const { return std::holds_alternative<ask_blocks>(what_) ? 2 : 1; }
  std::uint64_t blocks_of(std::size_t call) const; ///< of a filtered eth_getLogs; others: 0
  std::size_t list_of(std::size_t call) const;     ///< its longer list

  /// False: it has failed.
  bool take(std::size_t call, const call_result& r);
  /// After all of a stage were taken.
  step next();

  answer_what answer() { return std::move(made_); }  ///< after done
  rpc_failure failure() const { return failure_; }   ///< after failed
  const std::string& text() const { return text_; }  ///< after failed
  std::uint64_t highest() const { return highest_; } ///< the highest block it named
  std::size_t logs() const { return logs_; }
  std::size_t most_logs() const { return most_logs_; } ///< of one answer that was not cut
  std::size_t found_cap() const { return found_cap_; } ///< it was seen to cut at; 0: it was not
  std::uint64_t span() const { return span_; }         ///< of a range: the blocks asked for

private:
  enum class stage : std::uint8_t { last_first, headers, body, last_again };
  enum class kind : std::uint8_t {
    latest,
    safe,
    finalized,
    there,      ///< a vote's header
    header,     ///< of headers or of a range; at: its place
    again,      ///< the last header of a range
    piece,      ///< filtered logs; at: of asked_
    block,      ///< a block's header by number; at: of ids
    block_logs, ///< at: of ids
    base,       ///< the header that receipts belong to; at: of works_
    of_block,   ///< its receipts; at: of works_
    of_one,     ///< one transaction's receipt; at: of works_, sub: its place
    receipt,    ///< asked for as such; at: of transactions
    status      ///< of a transaction that may be wanted; at: of found_
  };
  struct todo {
    kind is;
    std::size_t at = 0, sub = 0;
  };
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// Filtered logs still to be asked for, by one call.
  struct piece {
    std::uint64_t from = 0, to = 0;
    interest::filter filter;
    std::size_t group = none;   ///< the answer it is a part of
    std::uint32_t halvings = 0; ///< of its lists, at one block
  };
  /// An answer of a suspicious number of logs, read again in halves.
  struct group {
    std::size_t said = 0, found = 0, parent = none;
  };
  /// The logs of one block out of its receipts.
  struct work {
    std::uint64_t number = 0;
    std::optional<std::size_t> block; ///< of ids; absent: of filtered logs
    std::vector<piece> pieces;        ///< that they are for
    std::optional<evm::header> header;
    bool one_by_one = false;
    boost::json::array found; ///< one by one
    std::size_t missing = 0;
    bool done = false;
  };
  struct block_slot {
    block_reading reading;
    std::optional<call_result> refused; ///< its logs
  };

  /// A transaction that may be wanted.
  struct found_transaction {
    std::size_t at = 0; ///< its block's slot
    evm::transaction is;
    bool by_block_receipts = false; ///< all receipts of its block are read anyway
    bool known = false;             ///< what its receipt says
  };

  void add(kind is, rpc_call call, std::size_t at = 0, std::size_t sub = 0);
  void plan();
  void plan_work(std::size_t w);
  step plan_next(stage s);
  bool unfinished() const;
  bool fail(rpc_failure f, std::string text);
  bool fail(const call_result& r);
  bool read_header(const call_result& r, std::uint64_t number, bool sealed,
                   std::optional<evm::header>& out);
  bool read_logs(const call_result& r, std::vector<evm::log>& out);
  bool take_head(const todo& t, const call_result& r);
  bool take_receipt(std::size_t at, const call_result& r);

  // reading_headers.cpp
  bool take_header(const todo& t, const call_result& r);
  bool settle_headers();
  std::size_t first_there() const;
  bool reach_further();
  step next_of_range();

  // reading_logs.cpp
  void cut_pieces(std::uint64_t from, std::uint64_t to, const interest::filter& f);
  bool take_piece(piece p, const call_result& r);
  bool split(piece p, rpc_failure f, const call_result& r);
  void halve(const piece& p, std::vector<evm::address20> interest::filter::*list);
  void halve(const piece& p, std::vector<evm::hash32> interest::filter::*list);
  void halve_blocks(const piece& p, std::size_t group);
  void count(std::size_t group, std::size_t logs);
  bool settle_groups();
  std::vector<evm::log>& filtered();

  // reading_blocks.cpp
  bool take_block(const todo& t, const call_result& r);
  bool settle_blocks();
  bool take_work(const todo& t, const call_result& r);
  bool finish_work(work& w, const boost::json::array& receipts);

  // reading_transactions.cpp
  bool take_transactions(const call_result& r, evm::header& h, std::size_t at);
  bool statuses_missing() const;
  void plan_statuses();
  bool take_status(std::size_t at, const call_result& r);
  bool note_status(found_transaction& f, const evm::receipt& r);
  void place_transactions();

  ask_what what_;
  limits limits_;
  stage stage_ = stage::body;
  std::vector<rpc_call> calls_;
  std::vector<todo> todos_; ///< of calls_
  answer_what made_;
  std::uint64_t first_ = 0; ///< the height of the first slot
  std::vector<std::optional<evm::header>> slots_;
  std::size_t headers_planned_ = 0; ///< of slots_
  bool headers_settled_ = false, planned_ = false, sealed_ = false;
  bool full_ = false; ///< headers come with whole transactions
  std::shared_ptr<const transaction_rules> watched_;
  std::vector<found_transaction> found_;
  std::vector<piece> pieces_, asked_;
  std::vector<group> groups_;
  std::vector<work> works_;
  std::vector<block_slot> blocks_;
  std::uint64_t highest_ = 0, span_ = 0, to_ = 0;
  std::size_t logs_ = 0, most_logs_ = 0, found_cap_ = 0;
  rpc_failure failure_ = rpc_failure::transient;
  std::string text_;
};

} // namespace tidemark::tide
