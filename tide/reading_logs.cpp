// SPDX-License-Identifier: MIT
#include "tide/reading.hpp"

#include <algorithm>
#include <utility>

// Filtered logs: cut to what the endpoint takes, halved where it refuses, read again where the
// answer has a number of logs at which endpoints have been seen to end without a word.

namespace tidemark::tide {
namespace {

constexpr std::size_t round_counts[] = {25,    100,    1'000,  1'024,  2'000,
                                        5'000, 10'000, 20'000, 50'000, 100'000};
constexpr std::uint32_t most_halvings = 5; // of the lists at one block; its receipts hold all of it

bool is_round(std::size_t logs) {
  return std::find(std::begin(round_counts), std::end(round_counts), logs) !=
         std::end(round_counts);
}

std::size_t longest_topic(const interest::filter& f) {
  return std::max({f.topics[0].size(), f.topics[1].size(), f.topics[2].size()});
}

template <class T> std::vector<std::vector<T>> chunks_of(const std::vector<T>& all, std::size_t n) {
  std::vector<std::vector<T>> out;
  for (std::size_t i = 0; i < all.size(); i += std::min(n, all.size() - i))
    out.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                     all.begin() + static_cast<std::ptrdiff_t>(i + std::min(n, all.size() - i)));
  if (out.empty()) out.emplace_back(); // no list: one call without one
  return out;
}

} // namespace

std::uint64_t reading::blocks_of(std::size_t call) const {
  if (todos_[call].is != kind::piece) return 0;
  const auto& p = asked_[todos_[call].at];
  return p.to - p.from + 1;
}

std::size_t reading::list_of(std::size_t call) const {
  if (todos_[call].is != kind::piece) return 0;
  const auto& f = asked_[todos_[call].at].filter;
  return std::max({f.addresses.size(), f.topic0.size(), longest_topic(f)});
}

std::vector<evm::log>& reading::filtered() {
  auto* range = std::get_if<range_answer>(&made_);
  return range ? range->logs : std::get<logs_answer>(made_).logs;
}

void reading::cut_pieces(std::uint64_t from, std::uint64_t to, const interest::filter& f) {
  const auto addresses = chunks_of(f.addresses, limits_.list);
  const auto topics = chunks_of(f.topic0, limits_.list);
  const auto narrow = longest_topic(f) > limits_.list ? decltype(f.topics){} : f.topics;
  for (auto first = from;; first += limits_.span) {
    const auto last = to - first < limits_.span ? to : first + limits_.span - 1;
    for (const auto& a : addresses)
      for (const auto& t : topics)
        pieces_.push_back({first, last, {a, t, narrow}});
    if (last == to) break;
  }
}

void reading::halve_blocks(const piece& p, std::size_t in) {
  const auto middle = p.from + (p.to - p.from) / 2;
  pieces_.push_back({p.from, middle, p.filter, in, p.halvings});
  pieces_.push_back({middle + 1, p.to, p.filter, in, p.halvings});
}

void reading::halve(const piece& p, std::vector<evm::address20> interest::filter::*list) {
  const auto half = (p.filter.*list).size() / 2;
  for (auto& part : chunks_of(p.filter.*list, half + (p.filter.*list).size() % 2)) {
    auto one = p;
    ++one.halvings;
    one.filter.*list = std::move(part);
    pieces_.push_back(std::move(one));
  }
}

void reading::halve(const piece& p, std::vector<evm::hash32> interest::filter::*list) {
  const auto half = (p.filter.*list).size() / 2;
  for (auto& part : chunks_of(p.filter.*list, half + (p.filter.*list).size() % 2)) {
    auto one = p;
    ++one.halvings;
    one.filter.*list = std::move(part);
    pieces_.push_back(std::move(one));
  }
}

/// What the endpoint would not answer at once, in parts. False: it can only be asked for less of
/// the range, or not at all.
bool reading::split(piece p, rpc_failure f, const call_result& r) {
  const auto addresses = p.filter.addresses.size(), topics = p.filter.topic0.size();
  if (f == rpc_failure::long_list && longest_topic(p.filter) > 1 &&
      longest_topic(p.filter) >= std::max(addresses, topics)) {
    p.filter.topics = {}; // more than is wanted comes then, and is left out here
    return pieces_.push_back(std::move(p)), true;
  }
  const auto longer_first = [&] {
    addresses >= topics ? halve(p, &interest::filter::addresses)
                        : halve(p, &interest::filter::topic0);
  };
  if (f == rpc_failure::long_list && std::max(addresses, topics) > 1) {
    const auto halvings = p.halvings;
    longer_first();
    for (auto it = pieces_.end() - 2; it != pieces_.end(); ++it)
      it->halvings = halvings; // those count what one block is cut into
    return true;
  }
  if (p.to > p.from) {
    const bool may_end_early = std::holds_alternative<ask_range>(what_) && p.group == none;
    if (may_end_early)
      return fail(rpc_failure::too_big,
                  r.value ? "an answer that it is known to cut" : r.error.message);
    return halve_blocks(p, p.group), true;
  }
  const bool by_lists = f != rpc_failure::unsupported && p.halvings < most_halvings;
  if (by_lists && addresses > 1) return halve(p, &interest::filter::addresses), true;
  if (by_lists && topics > 1) return halve(p, &interest::filter::topic0), true;
  const auto there = std::find_if(works_.begin(), works_.end(), [&](const work& w) {
    return !w.block && w.number == p.from && !w.done;
  });
  if (there != works_.end()) return there->pieces.push_back(std::move(p)), true;
  work w;
  w.number = p.from;
  w.pieces.push_back(std::move(p));
  works_.push_back(std::move(w));
  return true;
}

bool reading::take_piece(piece p, const call_result& r) {
  if (!r.value) {
    const auto means = r.means.value_or(classify(r.error));
    const bool at_one = p.from == p.to && means == rpc_failure::unsupported;
    if (means == rpc_failure::too_big || means == rpc_failure::long_list || at_one)
      return split(std::move(p), means, r);
    return fail(r);
  }
  std::vector<evm::log> logs;
  if (!read_logs(r, logs)) return false;
  const auto n = logs.size();
  if (n > 0 && n == limits_.silent_cap) return split(std::move(p), rpc_failure::too_big, r);
  if (is_round(n) && n > limits_.proved_logs) {
    if (p.to > p.from) {
      groups_.push_back({n, 0, p.group});
      return halve_blocks(p, groups_.size() - 1), true;
    }
    if (p.group != none) return split(std::move(p), rpc_failure::too_big, r);
  } else {
    most_logs_ = std::max(most_logs_, n);
  }
  count(p.group, n);
  logs_ += n;
  auto& out = filtered();
  out.insert(out.end(), std::make_move_iterator(logs.begin()), std::make_move_iterator(logs.end()));
  return true;
}

void reading::count(std::size_t in, std::size_t logs) {
  for (; in != none; in = groups_[in].parent)
    groups_[in].found += logs;
}

/// Were the suspicious answers whole?
bool reading::settle_groups() {
  for (const auto& g : groups_) {
    if (g.found < g.said)
      return fail(rpc_failure::transient, "a range has " + std::to_string(g.said) +
                                              " logs, its two halves have " +
                                              std::to_string(g.found));
    if (g.found > g.said)
      found_cap_ = found_cap_ == 0 ? g.said : std::min(found_cap_, g.said);
    else
      most_logs_ = std::max(most_logs_, g.said);
  }
  if (found_cap_ > 0) most_logs_ = 0;
  groups_.clear();
  return true;
}

} // namespace tidemark::tide
