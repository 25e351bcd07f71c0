// SPDX-License-Identifier: MIT
#include "tide/counting.hpp"

#include "evm/hex.hpp"
#include "tide/subscription.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace tidemark::tide {
namespace {

/// Name, types and what is indexed: all that decides which logs decode so.
std::string shape_of(const evm::abi_event& e) {
  std::string out = e.signature();
  for (const auto& input : e.inputs)
    out += input.indexed ? 'i' : 'd';
  return e.anonymous ? out + " anonymous" : out;
}

// Numbers, of which a lower one lets more through.
constexpr const char* least_value = "min_value";
constexpr const char* first_creation = "factory from";

std::string word_of_list(const std::string& name) { return "list:" + name; }

/// Each of it as one word: any change of it counts as more.
void add_transaction(form& out, const transaction_filter& t) {
  for (const auto& a : t.to)
    out.axes["to"].insert(evm::to_hex(a));
  for (const auto& a : t.from)
    out.axes["from"].insert(evm::to_hex(a));
  for (const auto& name : t.to_lists)
    out.axes["to"].insert(word_of_list(name));
  for (const auto& name : t.from_lists)
    out.axes["from"].insert(word_of_list(name));
  if (t.min_value > 0) out.axes[least_value] = {evm::to_decimal(t.min_value)};
  if (t.status != outcome_wanted::any)
    out.axes["status"] = {t.status == outcome_wanted::success ? "success" : "failed"};
}

std::string word_of(const factory& f) {
  auto out = "factory " + shape_of(f.event) + ' ' + std::to_string(f.input);
  auto addresses = f.addresses;
  std::sort(addresses.begin(), addresses.end());
  for (const auto& a : addresses)
    out += ' ' + evm::to_hex(a);
  return out;
}

bool is_number(const std::set<std::string>& values) {
  return values.size() == 1 && values.begin()->find_first_not_of("0123456789") == std::string::npos;
}

/// Decimals without leading zeros.
bool is_less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

bool is_subset(const std::set<std::string>& part, const std::set<std::string>& of) {
  return std::includes(of.begin(), of.end(), part.begin(), part.end());
}

} // namespace

form form_of(const subscription& s, std::uint64_t chain_id) {
  form out;
  if (s.transaction) {
    out.axes["event"] = {"transaction"};
    add_transaction(out, *s.transaction);
    return out;
  }
  out.axes["event"] = {shape_of(s.event)};
  if (s.batch) out.axes["event"].insert(shape_of(*s.batch));
  if (const auto& addresses = s.chains.at(chain_id); !addresses.empty())
    for (const auto& a : addresses)
      out.axes["address"].insert(evm::to_hex(a));
  if (s.factory) {
    out.axes["address"] = {word_of(*s.factory)};
    out.axes[first_creation] = {s.factory->from ? std::to_string(*s.factory->from)
                                                : "as it counts"};
  }
  if (const auto lists = s.address_lists.find(chain_id); lists != s.address_lists.end())
    for (const auto& name : lists->second)
      out.axes["address"].insert(word_of_list(name));
  for (const auto& c : s.where) {
    auto name = "where " + std::to_string(c.input);
    for (const auto member : c.members)
      name += '.' + std::to_string(member);
    auto& axis = out.axes[name];
    for (const auto& list : c.lists)
      axis.insert(word_of_list(list));
    for (const auto& v : c.one_of)
      axis.insert(evm::to_hex(v));
  }
  return out;
}

bool uses_list(const form& f, const std::string& list) {
  return std::any_of(f.axes.begin(), f.axes.end(), [word = word_of_list(list)](const auto& axis) {
    return axis.second.contains(word);
  });
}

bool lets_more(const form& before, const form& now) {
  return std::any_of(before.axes.begin(), before.axes.end(), [&](const auto& axis) {
    const auto same = now.axes.find(axis.first);
    if ((axis.first == least_value || axis.first == first_creation) && same != now.axes.end() &&
        is_number(same->second) && is_number(axis.second))
      return is_less(*same->second.begin(), *axis.second.begin());
    return same == now.axes.end() || !is_subset(same->second, axis.second);
  });
}

std::string to_text(const form& f) {
  boost::json::object out;
  for (const auto& [axis, values] : f.axes) {
    boost::json::array list;
    for (const auto& v : values)
      list.emplace_back(v);
    out.emplace(axis, std::move(list));
  }
  return boost::json::serialize(out);
}

evm::result<form> parse_form(std::string_view text) {
  boost::system::error_code ec;
  const auto read = boost::json::parse(text, ec);
  if (ec || !read.is_object()) return evm::fail("a subscription's form is no JSON object");
  form out;
  for (const auto& axis : read.get_object()) {
    if (!axis.value().is_array()) return evm::fail("an axis of a form is no array");
    auto& values = out.axes[std::string(axis.key())];
    for (const auto& v : axis.value().get_array()) {
      if (!v.is_string()) return evm::fail("a value of a form is no text");
      values.insert(std::string(v.get_string()));
    }
  }
  return out;
}

counting_change count_from(const std::optional<counted>& before, const form& wanted,
                           std::optional<std::uint64_t> given, const chain_place& chain,
                           std::optional<std::uint64_t> unfinished) {
  counting_change out;
  out.now = {wanted, given, given, {}};
  if (before && !given) out.now.earlier = before->earlier;
  if (!chain.start) return out;
  const auto next = chain.next();
  if (!before || lets_more(before->is, wanted)) {
    auto from = given.value_or(next);
    // What it counted before is not given up half read.
    if (!given && unfinished) from = std::min(from, *unfinished);
    out.now.from = from;
    if (before && !given && !before->earlier) out.now.earlier = before->from;
    out.widened = true;
    if (from < next) out.backfill = block_span{from, next - 1};
    return out;
  }
  const auto from = before->from.value_or(*chain.start);
  out.now.from = given.value_or(from);
  if (*out.now.from < from) {
    out.widened = true;
    // What a factory made there has logs above too.
    const auto to = wanted.axes.contains(first_creation) ? next : std::min(from, next);
    if (*out.now.from < next) out.backfill = block_span{*out.now.from, to - 1};
  }
  return out;
}

counted count_after_fork(counted before, std::uint64_t ancestor) {
  if (before.earlier && before.from && *before.from > ancestor + 1)
    before.from = std::max(ancestor + 1, *before.earlier);
  return before;
}

counting_change count_at_start(const counted& before, std::uint64_t start) {
  counting_change out{before, false, std::nullopt};
  out.now.from = before.from.value_or(start);
  if (*out.now.from < start) out.backfill = block_span{*out.now.from, start - 1};
  return out;
}

void advance(std::vector<backfill>& all, const std::string& subscription, std::uint64_t from,
             std::uint64_t to) {
  for (auto& b : all)
    if (b.subscription == subscription && from <= b.at && b.at <= to) b.at = to + 1;
  std::erase_if(all, [](const backfill& b) { return b.at > b.to; });
}

} // namespace tidemark::tide
