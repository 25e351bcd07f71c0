// SPDX-License-Identifier: MIT
#include "tide/whole.hpp"

#include "evm/hex.hpp"
#include "evm/seal.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace tidemark::tide {
namespace {

std::string name(const evm::block_id& id) {
  return std::to_string(id.number) + " " + evm::to_hex(id.hash);
}

objection lie(std::string text) { return {objection::kind::lie, std::move(text)}; }

/// Ascending as the chain counts. Equal doubles are an endpoint's carelessness; unequal ones at one
/// place are a contradiction.
evm::result<void> sort_logs(std::vector<evm::log>& logs, numbering known) {
  const auto place = [known](const evm::log& l) {
    const bool within = known == numbering::transaction;
    return std::tuple(l.block.number, within ? l.tx_index : l.log_index,
                      within ? l.log_index : l.tx_index, l.tx);
  };
  std::sort(logs.begin(), logs.end(),
            [&](const evm::log& a, const evm::log& b) { return place(a) < place(b); });
  logs.erase(std::unique(logs.begin(), logs.end()), logs.end());
  for (std::size_t i = 1; i < logs.size(); ++i) {
    const auto &a = logs[i - 1], &b = logs[i];
    if (a.block.number == b.block.number && a.log_index == b.log_index && a.tx == b.tx)
      return evm::fail("two different logs claim index " + std::to_string(b.log_index) +
                       " of block " + name(b.block));
  }
  return {};
}

/// Some chains number transactions oddly: the hash counts, not the index.
bool lists(const evm::header& h, const evm::log& l) {
  if (l.tx_index < h.transactions.size() && h.transactions[l.tx_index] == l.tx) return true;
  return std::find(h.transactions.begin(), h.transactions.end(), l.tx) != h.transactions.end();
}

evm::result<void> fits_header(const evm::log& l, const evm::header& h, const chain_ways& ways,
                              bool listed) {
  if (l.block != h.id())
    return evm::fail("a log says block " + name(l.block) + ", its header says " + name(h.id()));
  if (listed && !lists(h, l) && !(ways.state_sync && evm::is_state_sync(l.tx, l.block)))
    return evm::fail("a log of block " + name(h.id()) + " names transaction " + evm::to_hex(l.tx) +
                     ", which the block does not list");
  return {};
}

/// Logs of no transaction (zkSync's system logs): their id would not be one.
void drop_nameless(std::vector<evm::log>& logs) {
  std::erase_if(logs, [](const evm::log& l) { return l.tx == evm::hash32{}; });
}

bool count_within_transactions(const std::vector<evm::log>& logs) {
  std::map<evm::hash32, std::uint32_t> next;
  return std::all_of(logs.begin(), logs.end(),
                     [&](const evm::log& l) { return l.log_index == next[l.tx]++; });
}

/// 0…n−1 in the block, or within each transaction on a chain that counts so.
std::optional<objection> object_to_indexes(const block_reading& reading, numbering known) {
  const auto& logs = reading.logs;
  std::size_t i = 0;
  while (i < logs.size() && logs[i].log_index == i)
    ++i;
  const bool by_block = i == logs.size();
  const bool by_transaction = known != numbering::block && count_within_transactions(logs);
  if (known == numbering::transaction ? by_transaction : by_block) return std::nullopt;
  const auto text = "block " + name(reading.header.id()) + " was read whole, but its log " +
                    std::to_string(i) + " has index " +
                    (i < logs.size() ? std::to_string(logs[i].log_index) : std::string("none"));
  return objection{by_transaction ? objection::kind::numbering : objection::kind::lie, text};
}

objection unproved_transactions(const evm::header& h) {
  return {
      objection::kind::unprovable,
      "the transactions of block " + name(h.id()) + " prove nothing (" + h.unproved_transactions +
          "); `integrity: bloom` (and `backfill_integrity`) take them as the endpoint says them"};
}

/// Receipts prove no hash: the transactions do, which the header's root holds. A type that cannot
/// be encoded is borne where nothing rests on it but logs, and where the receipts, whose types are
/// proved, say it too.
std::optional<objection> object_to_transactions(const block_reading& reading) {
  const auto& h = reading.header;
  if (h.made_transactions_root || h.transactions.empty()) return std::nullopt;
  if (h.transaction_types.size() == h.transactions.size() &&
      h.transaction_types == reading.receipt_types)
    return std::nullopt;
  return unproved_transactions(h);
}

std::optional<objection> object_to_seal(const block_reading& reading) {
  const auto& h = reading.header;
  if (auto no = object_to(h, reading.watched)) return no;
  // The root does not hold transactions' hashes: by their place in the list, which an index names.
  for (const auto& l : reading.logs)
    if (lists(h, l) && (l.tx_index >= h.transactions.size() || h.transactions[l.tx_index] != l.tx))
      return lie("a receipt of block " + name(h.id()) + " is not that of transaction " +
                 std::to_string(l.tx_index));
  if (reading.receipts_root != reading.header.receipts_root)
    return lie("the receipts of block " + name(reading.header.id()) + " make the root " +
               (reading.receipts_root ? evm::to_hex(*reading.receipts_root) : "of none") +
               ", its header says " + evm::to_hex(reading.header.receipts_root));
  return object_to_transactions(reading);
}

/// More logs would make it fit.
bool may_lack(const evm::header& h, const evm::bloom& made) {
  const auto all = h.logs_bloom.bits.view(), some = made.bits.view();
  const auto has = [](std::uint8_t a, std::uint8_t b) { return (a & b) == b; };
  const bool is_full = std::all_of(all.begin(), all.end(), [](auto byte) { return byte == 0xff; });
  return !h.transactions.empty() && !is_full &&
         std::equal(all.begin(), all.end(), some.begin(), has);
}

} // namespace

evm::bloom bloom_of(const std::vector<evm::log>& logs) {
  evm::bloom made;
  for (const auto& l : logs) {
    made.add(l.address.view());
    for (const auto& t : l.topics)
      made.add(t.view());
  }
  return made;
}

std::optional<objection> object_to(const evm::header& h, bool watched) {
  if (h.sealed == h.hash) {
    if (!h.made_transactions_root)
      return watched && !h.transactions.empty() ? std::optional(unproved_transactions(h))
                                                : std::nullopt;
    if (*h.made_transactions_root == h.transactions_root) return std::nullopt;
    return lie("the transactions of block " + name(h.id()) + " make the root " +
               evm::to_hex(*h.made_transactions_root) + ", its header says " +
               evm::to_hex(h.transactions_root));
  }
  if (!h.unknown_fields.empty())
    return objection{objection::kind::unprovable,
                     "the header of block " + name(h.id()) +
                         " has fields that this version cannot put into its hash (" +
                         h.unknown_fields +
                         "), so it proves nothing; `integrity: bloom` (and `backfill_integrity`) "
                         "take it as the endpoint says it"};
  return lie("the fields of block " + name(h.id()) + " make the hash " +
             (h.sealed ? evm::to_hex(*h.sealed) : "of none"));
}

std::optional<objection> object_to(block_reading& reading, proof asked, const chain_ways& ways) {
  const auto& h = reading.header;
  if (auto sorted = sort_logs(reading.logs, ways.indexes); !sorted) return lie(sorted.error().text);
  if (asked != proof::none) drop_nameless(reading.logs);
  for (const auto& l : reading.logs)
    if (auto fits = fits_header(l, h, ways, asked != proof::none); !fits)
      return lie(fits.error().text);
  if (asked == proof::none) return std::nullopt;
  if (auto no = object_to_indexes(reading, ways.indexes)) return no;
  if (asked == proof::receipts) return object_to_seal(reading);
  if (ways.bloom == blooms::do_not_hold) return std::nullopt;
  evm::bloom made;
  for (const auto& l : reading.logs) {
    if (!lists(h, l)) continue; // a state-sync log: in no bloom, in no root
    made.add(l.address.view());
    for (const auto& t : l.topics)
      made.add(t.view());
  }
  if (made == h.logs_bloom) return std::nullopt;
  return objection{may_lack(h, made) ? objection::kind::lack : objection::kind::bloom,
                   "block " + name(h.id()) + " was read whole with " +
                       std::to_string(reading.logs.size()) +
                       " logs, but the bloom they make is not its header's"};
}

std::map<evm::hash32, std::uint32_t> first_index_by_transaction(const std::vector<evm::log>& logs) {
  std::map<evm::hash32, std::uint32_t> first;
  for (const auto& l : logs) {
    const auto [it, fresh] = first.try_emplace(l.tx, l.log_index);
    if (!fresh) it->second = std::min(it->second, l.log_index);
  }
  return first;
}

evm::result<void> check_range(range_answer& range, std::uint64_t from, std::uint64_t to,
                              const chain_ways& ways, bool listed) {
  const auto& headers = range.headers;
  if (headers.empty()) return evm::fail("the answer has no headers");
  if (headers.front().number < from || headers.back().number > to)
    return evm::fail("the answer is of other blocks than those asked for");
  for (std::size_t i = 1; i < headers.size(); ++i)
    if (headers[i].number <= headers[i - 1].number || headers[i].parent != headers[i - 1].hash)
      return evm::fail("the answer mixes forks: block " + name(headers[i].id()) +
                       " is no child of " + name(headers[i - 1].id()));
  if (range.last_again != headers.back().id())
    return evm::fail("the chain moved while it was read: block " + name(headers.back().id()) +
                     " is " + name(range.last_again) + " now");
  return check_logs(range.logs, headers, ways, listed);
}

evm::result<void> check_logs(std::vector<evm::log>& logs, const std::vector<evm::header>& headers,
                             const chain_ways& ways, bool listed) {
  if (auto sorted = sort_logs(logs, ways.indexes); !sorted) return sorted;
  if (listed) drop_nameless(logs);
  auto h = headers.begin();
  for (const auto& l : logs) {
    while (h != headers.end() && h->number < l.block.number)
      ++h;
    if (h == headers.end() || h->number != l.block.number)
      return evm::fail("a log of block " + name(l.block) + " was not asked for");
    if (auto fits = fits_header(l, *h, ways, listed); !fits) return fits;
  }
  return {};
}

} // namespace tidemark::tide
