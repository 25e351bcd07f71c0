// SPDX-License-Identifier: MIT
#include "node.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <algorithm>

// What a node says of logs and receipts.

namespace tidemark::sim {
namespace {

namespace json = boost::json;

/// As endpoints word it (N: the limit in blocks). The code, the HTTP status aside, says little.
struct wording {
  std::int64_t code;
  std::string_view text;
};
constexpr wording range_words[] = {
    {-32602, "exceed maximum block range: N"},
    {-32602, "eth_getLogs is limited to N block range"},
    {-32600, "block range is too wide"},
    {-32614, "eth_getLogs is limited to a N range"},
    {-32005, "limit exceeded"},
    {-32000, "Block range limit exceeded."},
    {-32047, "Max range: N"},
    {35, "ranges over N blocks are not supported on freetier"},
    {-32602, "query exceeds max block range N"},
    {-32000, "requested too many blocks, maximum is set to N"},
    {-32000, "block range too large"},
    {-32602, "up to a N block range"},
    {-32603, "eth_getLogs range is too large, max is N blocks"},
    {-32005, "Requested range exceeds maximum range limit"},
};
constexpr wording result_words[] = {
    {-32005, "query returned more than 10000 results. Try with this block range [F, T]"},
    {-32602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block "
             "range and no limit on the response size, or you can request any block range with a "
             "cap of 10K logs in the response. Based on your parameters and the response size "
             "limit, this block range should work: [F, T]"},
    {-32000, "query exceeds max results 20000, retry with the range F-T"},
    {-32000, "logs matched by query exceeds limit of 10000"},
    {-32020, "backend response too large"},
    {-32002, "query timeout exceeded"},
};

std::string put(std::string text, std::string_view what, std::string_view value) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + value.size()))
    text.replace(at, what.size(), value);
  return text;
}

std::string error_of(std::int64_t code, const std::string& message) {
  return "\"error\":{\"code\":" + std::to_string(code) + ",\"message\":\"" + message + "\"}";
}

std::optional<std::uint64_t> quantity(const json::object& o, std::string_view name) {
  const auto* v = o.if_contains(name);
  return v && v->is_string() ? evm::parse_quantity(v->get_string()) : std::nullopt;
}

/// A string, or one of a list of strings; null and absent: anything.
bool takes(const json::value* wanted, const std::string& value) {
  if (!wanted || wanted->is_null()) return true;
  if (const auto* s = wanted->if_string()) return *s == value;
  const auto& list = wanted->get_array();
  return list.empty() || std::any_of(list.begin(), list.end(), [&](const json::value& v) {
           return v.is_string() && v.get_string() == value;
         });
}

bool takes(const json::object& filter, const evm::log& l) {
  if (const auto* a = filter.if_contains("address"); a && !takes(a, evm::to_hex(l.address)))
    return false;
  const auto* topics = filter.if_contains("topics");
  if (!topics || !topics->is_array()) return true;
  const auto& list = topics->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_null()) continue;
    if (i >= l.topics.size() || !takes(&list[i], evm::to_hex(l.topics[i]))) return false;
  }
  return true;
}

} // namespace

const block* node::known(std::string_view hash) {
  const auto h = evm::parse_hash(hash);
  const auto* b = h && !foreign_ ? world_.by_hash(*h) : nullptr;
  if (!b || b->header.number > view_.head) return nullptr;
  const auto* here = block_at(view_, b->header.number);
  const bool dead = !here || here->header.hash != *h;
  return dead && !traits_.keeps_dead_blocks ? nullptr : b;
}

std::optional<std::vector<evm::log>> node::lie(const block& b, source s) {
  const auto number = b.header.number;
  if (b.logs.empty() && !troubles_.on(feature::invented, now_)) return std::nullopt;
  if (!traits_.lies_anywhere && number + traits_.lies_within < world_.highest())
    return std::nullopt;
  // The same lie about the same block for as long as the episode lasts.
  const auto coin = [&](feature f, unsigned percent) {
    if (traits_.always_lies) return !b.logs.empty();
    if (!troubles_.on(f, now_)) return false;
    return stream(troubles_.value(f), "lie", b.salt).chance(percent);
  };
  const auto told = [&](feature f, std::vector<evm::log> logs) {
    met_.count(f);
    was_wrong_ = true;
    return logs;
  };
  const auto hide = s == source::range     ? feature::hidden_in_ranges
                    : s == source::by_hash ? feature::hidden_by_hash
                                           : feature::hidden_in_receipts;
  if (!b.logs.empty() && coin(hide, 70)) {
    // A bloom does not show that one of several is missing.
    if (!traits_.lies_anywhere || b.salt % 2 == 0) return told(hide, {});
    auto some = b.logs;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(b.salt / 2 % some.size()));
    return told(hide, std::move(some));
  }
  if (!b.transactions.empty() && coin(feature::invented, 40)) {
    auto more = b.logs;
    auto extra = b.logs.empty() ? evm::log{} : b.logs.back();
    extra.address = world::token();
    extra.block = b.header.id();
    extra.tx_index = static_cast<std::uint32_t>(b.transactions.size()) - 1;
    extra.tx = b.header.transactions.back();
    extra.topics = {evm::keccak256("Transfer(address,address,uint256)"), world::topic(1),
                    world::topic(b.salt)};
    extra.data.assign(32, 0x77);
    extra.log_index = static_cast<std::uint32_t>(b.logs.size());
    more.push_back(std::move(extra));
    return told(feature::invented, std::move(more));
  }
  if (b.logs.empty()) return std::nullopt;
  if ((s == source::range || traits_.lies_anywhere) && coin(feature::changed_data, 60)) {
    auto others = b.logs;
    others.back().data.back() ^= 1;
    return told(feature::changed_data, std::move(others));
  }
  if (coin(feature::wrong_transaction, 60)) {
    auto others = b.logs;
    others.back().tx = evm::keccak256("nobody's " + std::to_string(b.salt));
    return told(feature::wrong_transaction, std::move(others));
  }
  return std::nullopt;
}

void node::append_logs(std::string& out, std::size_t& count, const block& b, source s,
                       const json::object& filter) {
  const auto add = [&](const std::string& text) {
    if (out.size() > 1) out += ',';
    out += text;
    ++count;
  };
  if (const auto lies = lie(b, s)) {
    for (const auto& l : *lies)
      if (takes(filter, l)) add(log_text(l));
    return;
  }
  if (b.logs.empty()) return;
  const auto& text = texts_.of(b);
  const bool careless = troubles_.on(feature::careless_logs, now_);
  for (std::size_t i = 0; i < b.logs.size(); ++i) {
    const auto at = careless ? b.logs.size() - 1 - i : i;
    if (!takes(filter, b.logs[at])) continue;
    add(text.logs[at]);
    if (careless && b.salt % 3 == 0) add(text.logs[at]);
  }
  if (careless && b.logs.size() > 1) met_.count(feature::careless_logs);
}

std::string node::finish_logs(std::string out) { return "\"result\":" + out + "]"; }

std::string node::logs(const json::object& filter) {
  const auto* hash = filter.if_contains("blockHash");
  if (!hash) return logs_of_range(filter);
  const auto* b = hash->is_string() ? known(hash->get_string()) : nullptr;
  if (!b) return error_of(-32000, "unknown block");
  std::string out = "[";
  std::size_t count = 0;
  append_logs(out, count, *b, source::by_hash, filter);
  return finish_logs(std::move(out));
}

std::string node::logs_of_range(const json::object& filter) {
  const auto from = quantity(filter, "fromBlock"), to = quantity(filter, "toBlock");
  if (!from || !to || *to < *from) return error_of(-32602, "invalid block range params");
  const auto span = *to - *from + 1;
  if (hit(feature::range_cap)) {
    const auto value = troubles_.value(feature::range_cap);
    const auto most = 1 + value % 12;
    if (span > most) {
      const auto& w = range_words[value / 16 % std::size(range_words)];
      return error_of(w.code, put(std::string(w.text), "N", std::to_string(most)));
    }
  }
  // Beyond its head a node of today errs, and one of yesterday says nothing.
  if (*to > view_.head && traits_.index % 2 == 0)
    return error_of(-32602, "block range extends beyond current head block");
  if (*to > view_.head) was_wrong_ = true;
  const bool capped = troubles_.on(feature::silent_cap, now_);
  const auto few = 1 + troubles_.value(feature::silent_cap) % 5;
  std::string out = "[";
  std::size_t count = 0;
  for (auto n = *from; n <= std::min(*to, view_.head); ++n) {
    const auto* b = block_at(view_, n);
    if (!b) continue;
    if (capped && count >= few && !b->logs.empty() &&
        (traits_.lies_anywhere || n + traits_.lies_within >= world_.highest())) {
      hit(feature::silent_cap);
      continue;
    }
    append_logs(out, count, *b, source::range, filter);
  }
  if (troubles_.on(feature::result_cap, now_) && span > 1) {
    const auto value = troubles_.value(feature::result_cap);
    if (count > 1 + value % 6) {
      hit(feature::result_cap);
      const auto& w = result_words[value / 8 % std::size(result_words)];
      const auto half = *from + span / 2;
      return error_of(w.code, put(put(std::string(w.text), "F", evm::to_quantity(*from)), " T",
                                  " " + evm::to_quantity(half)));
    }
  }
  return finish_logs(std::move(out));
}

std::string node::receipt_in(const block& b, std::size_t i) {
  const auto lies = lie(b, source::receipts);
  if (!lies) return texts_.of(b).receipts[i];
  std::vector<evm::log> logs;
  std::copy_if(lies->begin(), lies->end(), std::back_inserter(logs),
               [&](const evm::log& l) { return l.tx_index == i; });
  return receipt_text(b, i, logs);
}

std::string node::receipts_of(const block& b) {
  std::string out = "[";
  for (std::size_t i = 0; i < b.transactions.size(); ++i) {
    if (i > 0) out += ',';
    out += receipt_in(b, i);
  }
  return finish_logs(std::move(out));
}

std::string node::receipt_of(std::string_view hash) {
  const auto tx = foreign_ ? std::nullopt : evm::parse_hash(hash);
  if (!tx) return "\"result\":null";
  const block* b = nullptr;
  if (view_.side) // per-transaction look-ups are the first to show a dead fork
    for (const auto& h : view_.side->hashes)
      if (const auto* old = world_.by_hash(h);
          old && old->header.number <= view_.head &&
          std::count(old->header.transactions.begin(), old->header.transactions.end(), *tx) > 0)
        b = block_at(view_, old->header.number) == old ? old : b;
  if (const auto number = world_.where(*tx); !b && number) {
    const auto* here = block_at(view_, *number);
    if (here && world_.is_canonical(here->header.id())) b = here;
  }
  if (!b) return "\"result\":null";
  const auto& all = b->header.transactions;
  const auto i = static_cast<std::size_t>(std::find(all.begin(), all.end(), *tx) - all.begin());
  return "\"result\":" + receipt_in(*b, i);
}

} // namespace tidemark::sim
