// SPDX-License-Identifier: MIT
#include "tide/whole.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace tidemark::tide {
namespace {

std::string name(const evm::block_id& id) {
  return std::to_string(id.number) + " " + evm::to_hex(id.hash);
}

/// Equal doubles are an endpoint's carelessness; unequal ones at one index are a contradiction.
evm::result<void> sort_logs(std::vector<evm::log>& logs) {
  const auto place = [](const evm::log& l) { return std::tie(l.block.number, l.log_index); };
  std::sort(logs.begin(), logs.end(),
            [&](const evm::log& a, const evm::log& b) { return place(a) < place(b); });
  logs.erase(std::unique(logs.begin(), logs.end()), logs.end());
  for (std::size_t i = 1; i < logs.size(); ++i)
    if (place(logs[i - 1]) == place(logs[i]))
      return evm::fail("two different logs claim index " + std::to_string(logs[i].log_index) +
                       " of block " + name(logs[i].block));
  return {};
}

evm::result<void> fits_header(const evm::log& l, const evm::header& h) {
  if (l.block != h.id())
    return evm::fail("a log says block " + name(l.block) + ", its header says " + name(h.id()));
  // Some chains number transactions oddly or leave synthetic ones out of the list: only a listed
  // index can contradict.
  if (l.tx_index < h.transactions.size() && h.transactions[l.tx_index] != l.tx)
    if (std::find(h.transactions.begin(), h.transactions.end(), l.tx) == h.transactions.end())
      return evm::fail("a log of block " + name(h.id()) + " names transaction " +
                       evm::to_hex(l.tx) + ", which the block does not list");
  return {};
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

evm::result<void> prove_whole(block_reading& reading, proof asked) {
  if (auto sorted = sort_logs(reading.logs); !sorted) return sorted;
  for (const auto& l : reading.logs)
    if (auto fits = fits_header(l, reading.header); !fits) return fits;
  if (asked == proof::none) return {};
  for (std::size_t i = 0; i < reading.logs.size(); ++i)
    if (reading.logs[i].log_index != i)
      return evm::fail("block " + name(reading.header.id()) + " was read whole, but its log " +
                       std::to_string(i) + " has index " +
                       std::to_string(reading.logs[i].log_index));
  if (bloom_of(reading.logs) != reading.header.logs_bloom)
    return evm::fail("block " + name(reading.header.id()) + " was read whole with " +
                     std::to_string(reading.logs.size()) +
                     " logs, but the bloom they make is not its header's");
  return {};
}

std::map<evm::hash32, std::uint32_t> first_index_by_transaction(const std::vector<evm::log>& logs) {
  std::map<evm::hash32, std::uint32_t> first;
  for (const auto& l : logs) {
    const auto [it, fresh] = first.try_emplace(l.tx, l.log_index);
    if (!fresh) it->second = std::min(it->second, l.log_index);
  }
  return first;
}

evm::result<void> check_range(range_answer& range, std::uint64_t from) {
  const auto& headers = range.headers;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (headers[i].number != from + i)
      return evm::fail("header " + std::to_string(from + i) + " is missing from the answer");
    if (i > 0 && headers[i].parent != headers[i - 1].hash)
      return evm::fail("the answer mixes forks: block " + name(headers[i].id()) +
                       " is no child of " + name(headers[i - 1].id()));
  }
  if (headers.empty()) return evm::fail("the answer has no headers");
  if (range.last_again != headers.back().id())
    return evm::fail("the chain moved while it was read: block " + name(headers.back().id()) +
                     " is " + name(range.last_again) + " now");
  if (auto sorted = sort_logs(range.logs); !sorted) return sorted;
  for (const auto& l : range.logs) {
    if (l.block.number < from || l.block.number > headers.back().number)
      return evm::fail("a log of block " + name(l.block) + " was not asked for");
    if (auto fits = fits_header(l, headers[l.block.number - from]); !fits) return fits;
  }
  return {};
}

} // namespace tidemark::tide
