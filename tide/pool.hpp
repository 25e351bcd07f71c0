// SPDX-License-Identifier: MIT
#pragma once

#include "tide/rpc_error.hpp"
#include "tide/status.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tide {

/// What is known about one endpoint before it is asked.
struct endpoint_settings {
  std::string name;
  std::optional<std::uint64_t> max_range;
  double requests_per_second = 0; ///< 0: no limit of ours
};

/// A chain's endpoints: whom to ask, how much at once, and what their failures mean. The first is
/// preferred; another takes over while it fails and gives back when it has recovered. Times are ms.
class pool {
public:
  pool(std::vector<endpoint_settings> endpoints, std::uint64_t max_range);

  /// The endpoint to ask now, passing over `tried`; nothing: none may be asked at this moment.
  std::optional<std::size_t> choose(std::int64_t now, const std::vector<bool>& tried);
  /// When the soonest of them may be asked again.
  std::int64_t ready_at(std::int64_t now) const;
  /// How long to wait before so many requests may go to it (its token bucket); takes them.
  std::int64_t take_tokens(std::size_t i, std::size_t requests, std::int64_t now);

  void succeeded(std::size_t i, double latency_ms, std::uint64_t head);
  void failed(std::size_t i, rpc_failure f, const std::string& text, std::int64_t now,
              std::optional<std::int64_t> retry_after_ms);
  void lied(std::size_t i, std::int64_t now);
  void refuse(std::size_t i, const std::string& text,
              std::int64_t now); ///< another chain's endpoint: looked at again a minute later

  // How much at once
  std::size_t batch(std::size_t i) const { return all_[i].batch; }
  void shrink_batch(std::size_t i) {
    all_[i].batch = std::max<std::size_t>(all_[i].batch / 2, 1);
    all_[i].batches_worked = 0;
  }
  /// It did not take a batch as one. Tried again when single calls have worked for a while.
  void no_batches(std::size_t i) {
    all_[i].batch = 1;
    all_[i].batches_worked = 0;
  }
  /// A full batch was answered: after a while a larger one is tried.
  void batch_worked(std::size_t i);
  std::uint64_t span(std::size_t i) const;
  /// Strictly smaller: the hint if it is one, else half. False: it was one block already.
  bool shrink_span(std::size_t i, std::uint64_t asked, std::optional<std::uint64_t> hint);
  void range_worked(std::size_t i, std::uint64_t span, std::size_t logs);

  bool known_chain(std::size_t i) const { return all_[i].checked; }
  void set_known_chain(std::size_t i, bool known) { all_[i].checked = known; }

  std::size_t size() const { return all_.size(); }
  const std::string& name(std::size_t i) const { return all_[i].told.name; }
  std::vector<endpoint_status> status() const;
  /// What those that may not be asked now last said, for a person.
  std::string troubles() const;

private:
  struct endpoint {
    endpoint_settings told;
    endpoint_status says;
    bool checked = false; ///< its chain id, since it last failed
    std::uint32_t failures = 0;
    std::int64_t not_before = 0;
    std::string words; ///< of its last failure; empty: it worked
    std::size_t batch = 50;
    std::uint32_t batches_worked = 0; ///< in a row
    std::uint64_t span = 0;           ///< what works now
    std::uint32_t worked = 0;         ///< ranges in a row
    double tokens = 0;
    std::int64_t filled_at = 0;
  };
  std::vector<endpoint> all_;
  std::uint64_t max_range_;
};

} // namespace tidemark::tide
