// SPDX-License-Identifier: MIT
#include "tide/reading.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <utility>

// Blocks read whole: their logs by hash, or out of their receipts, or of one transaction's receipt
// after the other.

namespace tidemark::tide {
namespace {

std::string block_name(const evm::block_id& id) {
  return "block " + std::to_string(id.number) + " " + evm::to_hex(id.hash);
}

bool fits(const interest::filter& f, const evm::log& l) {
  const bool at =
      f.addresses.empty() || std::binary_search(f.addresses.begin(), f.addresses.end(), l.address);
  const auto has = [&](std::size_t n, const std::vector<evm::hash32>& one_of) {
    return one_of.empty() ||
           (l.topics.size() > n && std::binary_search(one_of.begin(), one_of.end(), l.topics[n]));
  };
  return at && has(0, f.topic0) && has(1, f.topics[0]) && has(2, f.topics[1]) &&
         has(3, f.topics[2]);
}

} // namespace

bool reading::take_block(const todo& t, const call_result& r) {
  auto& b = blocks_[t.at];
  const auto& id = std::get<ask_blocks>(what_).ids[t.at];
  if (t.is == kind::block) {
    std::optional<evm::header> h;
    if (!read_header(r, id.number, sealed_, h)) return false;
    if (!h)
      return fail(rpc_failure::ahead, "it has no block " + std::to_string(id.number) + " (yet)");
    b.reading.header = std::move(*h);
    return b.reading.header.id() != id || take_transactions(r, b.reading.header, t.at);
  }
  // Whether its error matters is known with the header.
  if (!r.value) return b.refused = r, true;
  return read_logs(r, b.reading.logs);
}

/// The end of the first stage. Where another block is canonical the asker sees it by its hash.
bool reading::settle_blocks() {
  auto& out = std::get<blocks_answer>(made_).blocks;
  if (!out.empty()) return true;
  const auto& ids = std::get<ask_blocks>(what_).ids;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    auto& b = blocks_[i];
    const bool ours = b.reading.header.id() == ids[i];
    bool by_receipts = sealed_ && ours;
    if (!ours) {
      b.reading.logs.clear();
    } else if (b.refused) {
      const auto means = b.refused->means.value_or(classify(b.refused->error));
      if (means != rpc_failure::too_big && means != rpc_failure::unsupported)
        return fail(*b.refused);
      by_receipts = true;
    }
    if (by_receipts) {
      work w;
      w.number = ids[i].number;
      w.block = i;
      w.header = b.reading.header;
      works_.push_back(std::move(w));
      for (auto& f : found_)
        f.by_block_receipts = f.by_block_receipts || f.at == i;
    }
    logs_ += b.reading.logs.size();
    out.push_back(std::move(b.reading));
  }
  return true;
}

void reading::plan_work(std::size_t at) {
  auto& w = works_[at];
  if (const auto* range = std::get_if<range_answer>(&made_); range && !w.header) {
    const auto& all = range->headers;
    const auto it =
        std::lower_bound(all.begin(), all.end(), w.number,
                         [](const evm::header& h, std::uint64_t n) { return h.number < n; });
    if (it != all.end() && it->number == w.number) w.header = *it;
  }
  if (!w.header) return add(kind::base, call_block_by_number(w.number), at);
  if (!w.one_by_one) return add(kind::of_block, call_receipts_of_block(w.header->hash), at);
  w.found = boost::json::array(w.header->transactions.size(), nullptr);
  w.missing = w.found.size();
  for (std::size_t i = 0; i < w.found.size(); ++i)
    add(kind::of_one, call_receipt(w.header->transactions[i]), at, i);
}

bool reading::take_work(const todo& t, const call_result& r) {
  auto& w = works_[t.at];
  if (t.is == kind::base) {
    if (!read_header(r, w.number, false, w.header)) return false;
    return w.header
               ? true
               : fail(rpc_failure::ahead, "it has no block " + std::to_string(w.number) + " (yet)");
  }
  if (t.is == kind::of_one) {
    if (!r.value) return fail(r);
    if (r.value->is_null())
      return fail(rpc_failure::transient, "it has no receipt of transaction " +
                                              evm::to_hex(w.header->transactions[t.sub]) + " of " +
                                              block_name(w.header->id()));
    w.found[t.sub] = *r.value;
    return --w.missing > 0 || finish_work(w, std::exchange(w.found, {}));
  }
  if (!r.value) {
    const auto means = r.means.value_or(classify(r.error));
    if (means != rpc_failure::too_big && means != rpc_failure::unsupported) return fail(r);
    // Without transactions there is nothing to ask for one by one.
    w.one_by_one = true;
    return w.header->transactions.empty() ? finish_work(w, {}) : true;
  }
  const auto* list = r.value->if_array();
  if (!list)
    return fail(rpc_failure::transient, "it has no receipts of " + block_name(w.header->id()));
  return finish_work(w, *list);
}

/// Partial receipts look like success: there must be one for each transaction of the block, each of
/// that block. One more is Polygon's of state sync, for a transaction that no block lists.
bool reading::finish_work(work& w, const boost::json::array& receipts) {
  const auto& h = *w.header;
  const auto name = block_name(h.id());
  if (receipts.size() < h.transactions.size())
    return fail(rpc_failure::transient,
                "it has " + std::to_string(receipts.size()) + " receipts for the " +
                    std::to_string(h.transactions.size()) + " transactions of " + name);
  std::vector<evm::hash32> told;
  std::vector<evm::log> logs;
  for (const auto& v : receipts) {
    auto one = receipt_from(v);
    if (!one) return fail(rpc_failure::transient, one.error().text);
    told.push_back(one->tx);
    if (one->block != h.id())
      return fail(rpc_failure::transient, "a receipt of " + name + " says " +
                                              std::to_string(one->block.number) + " " +
                                              evm::to_hex(one->block.hash));
    if (w.block)
      for (auto& f : found_)
        if (f.at == *w.block && f.is.hash == one->tx && !note_status(f, *one)) return false;
    logs.insert(logs.end(), std::make_move_iterator(one->logs.begin()),
                std::make_move_iterator(one->logs.end()));
  }
  auto listed = h.transactions;
  std::sort(told.begin(), told.end());
  std::sort(listed.begin(), listed.end());
  const bool doubled = std::adjacent_find(told.begin(), told.end()) != told.end();
  if (doubled || !std::includes(told.begin(), told.end(), listed.begin(), listed.end()))
    return fail(rpc_failure::transient, "its receipts of " + name + " are of other transactions");
  w.done = true;
  if (!w.block) {
    for (const auto& p : w.pieces) {
      const auto before = filtered().size();
      std::copy_if(logs.begin(), logs.end(), std::back_inserter(filtered()),
                   [&](const evm::log& l) { return fits(p.filter, l); });
      count(p.group, filtered().size() - before);
      logs_ += filtered().size() - before;
    }
    return true;
  }
  auto& b = std::get<blocks_answer>(made_).blocks[*w.block];
  if (sealed_) {
    auto root = receipts_root_from(receipts, h.id());
    if (!root) return fail(rpc_failure::transient, root.error().text);
    b.receipts_root = *root;
    b.receipt_types = receipt_types_of(receipts, h.id());
  }
  b.from_receipts = true;
  logs_ += logs.size();
  b.logs = std::move(logs);
  return true;
}

} // namespace tidemark::tide
