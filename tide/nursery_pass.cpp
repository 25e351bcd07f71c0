// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

// What factories made before anything of it counts: read from the blocks up to the mark, twice,
// before the mark goes on.

namespace tidemark::tide {

/// The logs of factories in a range, from one endpoint and once more, from another where there is
/// one: what is missed here would be missed for ever.
task<bool> tide::read_creations(std::uint64_t from, std::uint64_t to) {
  const ask_logs what{from, to, wants_->factory_filter()};
  std::optional<std::vector<evm::log>> first;
  std::optional<std::size_t> by;
  for (int time = 0; time < 2; ++time) {
    ask_for(what, std::nullopt, by);
    answer a = co_await the_answer{*this};
    auto* got = std::get_if<logs_answer>(&a.what);
    if (!got) {
      fail(std::get<no_answer>(a.what).text);
      co_return false;
    }
    auto& logs = got->logs;
    std::sort(logs.begin(), logs.end(), [](const evm::log& x, const evm::log& y) {
      return std::tuple(x.block.number, x.tx_index, x.log_index) <
             std::tuple(y.block.number, y.tx_index, y.log_index);
    });
    logs.erase(std::unique(logs.begin(), logs.end()), logs.end());
    if (!logs.empty() && (logs.front().block.number < from || logs.back().block.number > to)) {
      fail(a.endpoint_name + " gave logs of other blocks than those asked for");
      co_return false;
    }
    if (first && *first != logs) {
      fail("two readings of what factories made in blocks " + std::to_string(from) + " to " +
           std::to_string(to) + " differ; they are read again");
      co_return false;
    }
    first = std::move(logs);
    by = a.endpoint;
  }
  for (const auto& l : *first)
    for (const auto& c : wants_->births(l))
      nursery_.add(c);
  co_return true;
}

tide::pass tide::nursery_pass() {
  const auto from = wants_->first_creation(factories_);
  const auto end = first_unmarked(); // from there on the passes see creations themselves
  for (auto at = from.value_or(end); at < end; at += settings_.max_range) {
    const auto to = std::min(at + settings_.max_range, end) - 1;
    const bool read = co_await read_creations(at, to);
    if (!read) co_return pass_end::failed;
  }
  write_set set = new_set();
  set.verdicts.push_back(raised{wants_->factories()});
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  if (!std::holds_alternative<applied>(done)) co_return pass_end::failed;
  factories_ = wants_->factories();
  co_return pass_end::done;
}

} // namespace tidemark::tide
