// SPDX-License-Identifier: MIT
#include "tide/scan.hpp"

#include "evm/seal.hpp"

#include <algorithm>
#include <utility>

// An empty answer is a claim to be proved: what a range answer left out, or made up, is found by
// blooms, by a second word, and by blocks read whole.

namespace tidemark::tide {
namespace {

constexpr std::size_t read_singly = 20; // blocks that are cheaper read whole than the range again

words words_of(std::span<const sighting> some, bool with_transactions) {
  words out;
  for (const auto& x : some)
    if (with_transactions || x.log_index >= 0) out[{x.tx, x.log_index}] = x.digest;
  return out;
}

} // namespace

bool excludes(const evm::header& h, const evm::log& l, const chain_ways& ways,
              evm::bloom_memory& known) {
  if (ways.bloom != blooms::hold) return false;
  if (ways.state_sync && evm::is_state_sync(l.tx, l.block)) return false;
  const auto has = [&](const auto& value) {
    return evm::may_contain(h.logs_bloom, known.of(value));
  };
  return !has(l.address) || !std::all_of(l.topics.begin(), l.topics.end(), has);
}

/// A block that proved itself, against what the range said of it; false: the range lacks what the
/// block has. Either way the endpoint that said so is counted.
bool tide::hold_against_range(const scan& s, const block_reading& b) {
  auto said = words_of(s.seen_in(b.header.number), true);
  said.merge(s.creations_in(b.header.number));
  words is;
  for (const auto& l : b.logs)
    if (s.seeks->wants(l, &nursery_))
      is[{l.tx, static_cast<std::int32_t>(l.log_index)}] = digest_of(l);
  for (const auto& t : b.transactions)
    if (s.seeks->wants(t)) is[{t.hash, -1}] = digest_of(t);
  if (said == is) return true;
  out_.push_back(
      caught_lying{s.from_whom.endpoint, "logs",
                   "a range answer has " + std::to_string(said.size()) + " events of ours in " +
                       place(b.header.id()) + ", which read whole has " +
                       (said.size() == is.size() ? "others" : std::to_string(is.size()))});
  return std::includes(said.begin(), said.end(), is.begin(), is.end());
}

/// Reads blocks whole. Within max_depth what only that reading found is read once more: nothing is
/// confirmed from the answer that discovered it.
task<bool> tide::read_proofs(scan& s, const std::vector<evm::block_id>& ids) {
  auto readings = co_await read_whole(ids, std::nullopt, s.asked);
  if (!readings) co_return false;
  std::vector<evm::block_id> again;
  for (auto& b : *readings) {
    if (!hold_against_range(s, b) && !s.settles) again.push_back(b.header.id());
    s.proven.insert_or_assign(b.header.number, std::move(b));
  }
  auto second = co_await read_whole(again, std::nullopt, s.asked);
  if (!second) co_return false;
  for (const auto& b : *second)
    if (const auto& first = s.proven.at(b.header.number);
        first.logs != b.logs || first.transactions != b.transactions) {
      fail("two readings of " + place(b.header.id()) + " differ; the mark waits below it");
      co_return false;
    }
  co_return true;
}

task<bool> tide::prove(scan& s) {
  if (s.settles) co_return co_await prove_deep(s);
  co_return co_await prove_near(s);
}

/// Within max_depth: each block that may hold something of ours, and that nobody has read whole
/// yet, is.
task<bool> tide::prove_near(scan& s) {
  if (s.asked == proof::none) co_return true;
  std::vector<evm::block_id> unread;
  for (const auto& h : s.headers) {
    const auto* held = held_.find(h.number);
    if (held && held->whole) continue;
    if (may_have(*s.seeks, h, s.asked) || s.answered_in(h.number)) unread.push_back(h.id());
  }
  co_return co_await read_proofs(s, unread);
}

/// Deeper a block is not read whole, unless two words on it differ, or its bloom excludes what the
/// answer has in it. `receipts` proves each block whose proved bloom may hold something; `bloom`
/// asks for the range once more where blooms may hold what the answer lacks.
task<bool> tide::prove_deep(scan& s) {
  if (s.asked == proof::none || s.seeks->empty()) co_return true;
  std::vector<evm::block_id> unread, silent;
  for (const auto& h : s.headers) {
    const auto* held = held_.find(h.number);
    if (held && held->whole) continue;
    const bool may = may_have_logs(*s.seeks, ways_, h, s.asked);
    if (s.asked == proof::receipts ? may || s.answered_in(h.number) : s.excluded.contains(h.number))
      unread.push_back(h.id());
    // What a block's own list of transactions says needs no second word: it is no index of its own.
    else if (may && !s.logs_in(h.number))
      silent.push_back(h.id());
  }
  if (silent.size() > (settings_.endpoints > 1 ? 1 : read_singly)) {
    const bool asked = co_await differ_from_second(s, silent);
    if (!asked) co_return false;
  }
  unread.insert(unread.end(), silent.begin(), silent.end());
  co_return co_await read_proofs(s, unread);
}

/// Another endpoint's word on a range; a sole one is asked without the addresses, which is another
/// index. `differ`: the blocks of which the two do not say the same.
task<bool> tide::differ_from_second(scan& s, std::vector<evm::block_id>& differ) {
  ask_logs second{s.headers.front().number, s.headers.back().number, s.filter};
  if (settings_.endpoints == 1) {
    if (!second.filter.topic0.empty()) second.filter.addresses.clear();
    if (!second.filter.topic0.empty() || !second.filter.addresses.empty())
      second.filter.topics = {};
  }
  ask_for(second, std::nullopt, s.from_whom.endpoint);
  answer a = co_await the_answer{*this};
  auto* logs = std::get_if<logs_answer>(&a.what);
  if (!logs) {
    fail(std::get<no_answer>(a.what).text);
    co_return false;
  }
  if (auto fits = check_logs(logs->logs, s.headers, ways_, true); !fits) {
    fail(a.endpoint_name + ": " + fits.error().text);
    co_return false;
  }
  for (const auto& l : logs->logs)
    for (const auto& c : wants_->births(l))
      nursery_.add(c);
  std::map<std::uint64_t, words> said;
  for (const auto& l : logs->logs)
    if (s.seeks->wants(l, &nursery_))
      said[l.block.number][{l.tx, static_cast<std::int32_t>(l.log_index)}] = digest_of(l);
  differ.clear();
  for (const auto& h : s.headers) {
    auto first = words_of(s.seen_in(h.number), false);
    first.merge(s.creations_in(h.number));
    if (!s.excluded.contains(h.number) && first != said[h.number]) differ.push_back(h.id());
  }
  co_return true;
}

/// Reads whole what the store contradicts; false: nothing can settle it now.
task<bool> tide::settle(scan& s, const disputed& differs) {
  for (const auto& id : differs.left) {
    // Deeper than what is held nothing links the answer to our chain, and no fork is followed
    // there.
    if (mark_ && id.number <= mark_->number &&
        (held_.empty() || id.number < held_.all().begin()->first)) {
      doubted_ = s.from_whom.endpoint;
      fail(s.from_whom.endpoint_name + " names another block at height " +
           std::to_string(id.number) + " than " + place(id) +
           ", in which events were told; so deep it is not believed");
      co_return false;
    }
    s.left_behind[id.number] = id;
  }
  std::vector<evm::block_id> unread;
  for (const auto& id : differs.read_whole)
    if (!s.proven.count(id.number)) unread.push_back(id);
  if (unread.empty() && differs.left.empty()) {
    fail("two readings of " + place(differs.read_whole.front()) +
         " differ, both of which prove themselves; the mark waits below it");
    co_return false;
  }
  co_return co_await read_proofs(s, unread);
}

} // namespace tidemark::tide
