// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"
#include "tide/rpc_error.hpp"
#include "tide/rpc_json.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tide {

/// What one call brought: a result, or the endpoint's error.
struct call_result {
  const boost::json::value* value = nullptr; ///< null: `error` says why; valid while it is taken
  rpc_error error;
};

/// One ask on one endpoint, as calls in stages and what their results make. No I/O: whoever reads
/// sends `calls()`, gives their results to `take`, and goes on until it is done.
class reading {
public:
  struct limits {
    std::size_t calls_a_stage = 50;
    std::uint64_t span = 2'000; ///< blocks of one eth_getLogs
  };
  enum class step : std::uint8_t { more, done, failed };

  reading(ask_what what, const limits& l);

  const std::vector<rpc_call>& calls() const { return calls_; }
  /// One result a call, in the order of calls().
  step take(const std::vector<call_result>& results);

  answer_what answer() { return std::move(made_); } ///< after done
  rpc_failure failure() const { return failure_; }  ///< after failed
  const std::string& text() const { return text_; } ///< after failed
  const rpc_error& error() const {
    return error_;
  } ///< after failed: what the endpoint said, if it did
  std::uint64_t highest() const { return highest_; } ///< the highest block it named
  std::size_t logs() const { return logs_; }
  std::uint64_t span() const { return span_; } ///< of a range: the blocks asked for

private:
  enum class stage : std::uint8_t {
    head,
    headers,
    logs,
    last_header,
    blocks,
    receipts_of_blocks,
    receipts
  };

  void plan();
  bool take_header(const call_result& r, std::uint64_t number, evm::header& out);
  bool take_logs(const call_result& r, std::vector<evm::log>& out);
  bool take_block_receipts(const call_result& r, const evm::header& h, std::vector<evm::log>& out);
  step take_head(const std::vector<call_result>& results);
  step take_headers(const std::vector<call_result>& results);
  step take_blocks(const std::vector<call_result>& results);
  step take_receipts(const std::vector<call_result>& results);
  step next(stage s);
  bool fail(rpc_failure f, std::string text);
  bool fail(const rpc_error& e);

  ask_what what_;
  limits limits_;
  stage stage_ = stage::head;
  std::vector<rpc_call> calls_;
  answer_what made_;
  std::size_t done_ = 0;                 ///< of headers, blocks or receipts
  std::vector<std::size_t> by_receipts_; ///< blocks whose logs come from their receipts
  std::uint64_t highest_ = 0, span_ = 0;
  std::size_t logs_ = 0;
  rpc_failure failure_ = rpc_failure::transient;
  rpc_error error_;
  std::string text_;
};

} // namespace tidemark::tide
