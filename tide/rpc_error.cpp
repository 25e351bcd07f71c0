// SPDX-License-Identifier: MIT
#include "tide/rpc_error.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <vector>

namespace tidemark::tide {
namespace {

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return text.find(w) != std::string::npos; });
}

/// What is limited, and that it is: "query exceeds max results", "block range is too wide",
/// "limited to a 10,000 range". What took the endpoint too long counts as well.
bool says_too_big(const std::string& t) {
  if (has_any(t, {"no backend is currently healthy", "query timeout", "request timed out",
                  "response too large", "response is too big"}))
    return true;
  const bool what = has_any(
      t, {"range", "block", "result", "log", "response", "size", "limit", "query", "batch"});
  const bool much = has_any(
      t, {"exceed", "too large", "too wide", "too many", "too big", "limited to", "more than",
          "max is set", "maximum", "max is", "max range", "greater than", "smaller than",
          "not supported on free", "up to a", "should not greater", "max results"});
  return what && much;
}

/// geth: "exceed max addresses or topics per search position".
bool says_long_list(const std::string& t) {
  return has_any(t, {"addresses or topics", "max addresses", "too many addresses",
                     "number of addresses", "addresses exceed", "addresses limit", "address list",
                     "maximum addresses", "max topics", "too many topics", "number of topics"});
}

bool says_less_often(const std::string& t) {
  return has_any(t,
                 {"rate limit", "ratelimit", "requests per second", "too many requests",
                  "too many concurrent", "request limit", "credits", "compute units", "throughput",
                  "quota", "daily limit", "capacity exceeded", "call rate", "rate exceeded"});
}

struct number {
  std::uint64_t value = 0;
  std::size_t at = 0, end = 0; ///< in the text
  bool hex = false;
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Three digits and no fourth.
bool is_thousands(const std::string& t, std::size_t i) {
  return i + 3 < t.size() && t[i] == ',' && is_digit(t[i + 1]) && is_digit(t[i + 2]) &&
         is_digit(t[i + 3]) && !(i + 4 < t.size() && is_word(t[i + 4]));
}

/// "0x2a", "2048", "10,000", "2k"; those of more than 52 bits are left out, and what follows a
/// letter is part of a word.
std::vector<number> numbers_in(const std::string& t) {
  std::vector<number> out;
  for (std::size_t i = 0; i < t.size();) {
    if (!is_digit(t[i]) || (i > 0 && is_word(t[i - 1]))) {
      ++i;
      continue;
    }
    number n;
    n.at = i;
    n.hex = t.compare(i, 2, "0x") == 0;
    if (n.hex) i += 2;
    bool fits = true;
    for (; i < t.size(); ++i) {
      if (!n.hex && i - n.at <= 3 && is_thousands(t, i)) continue;
      const char c = t[i];
      const int digit = is_digit(c) ? c - '0' : n.hex && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) break;
      if (n.value >> 48) fits = false;
      n.value = n.value * (n.hex ? 16 : 10) + static_cast<std::uint64_t>(digit);
    }
    if (!n.hex && i < t.size() && t[i] == 'k' && !(i + 1 < t.size() && is_word(t[i + 1]))) {
      n.value *= 1'000;
      ++i;
    }
    n.end = i;
    if (fits) out.push_back(n);
  }
  return out;
}

/// "a - b", "a, b", "a to b", "from":"a","to":"b": a range, so places.
bool is_pair(const std::string& t, const number& a, const number& b) {
  if (a.hex != b.hex || b.value < a.value) return false;
  std::string between = t.substr(a.end, b.at - a.end);
  between.erase(std::remove_if(between.begin(), between.end(),
                               [](char c) { return c == ' ' || c == '"' || c == '\\'; }),
                between.end());
  return between == "-" || between == "," || between == "to" || between == ".." ||
         between == ",to:";
}

/// "10000 results", "150MB", "10 s": a limit, and none of blocks.
bool counts_other_things(const std::string& t, const number& n) {
  const auto first = t.find_first_not_of(" -", n.end);
  if (first == std::string::npos) return false;
  std::size_t last = first;
  while (last < t.size() && is_word(t[last]))
    ++last;
  const auto unit = t.substr(first, last - first);
  return has_any(unit,
                 {"result", "log", "byte", "second", "request", "credit", "address", "topic"}) ||
         unit == "kb" || unit == "mb" || unit == "gb" || unit == "s" || unit == "sec" ||
         unit == "ms";
}

} // namespace

rpc_failure classify(const rpc_error& e) {
  const auto t = lower(e.message);
  if (e.http_status == 401 || e.http_status == 403) return rpc_failure::auth;
  if (e.http_status == 429 || says_less_often(t)) return rpc_failure::rate_limited;
  if (e.code == 4444 || has_any(t, {"pruned", "history unavailable", "archive", "missing trie node",
                                    "state is not available"}))
    return rpc_failure::pruned;
  if (has_any(t,
              {"beyond current head", "after last accepted", "unfinalized data", "blockoutofrange",
               "block is out of range", "header not found", "unknown block", "could not be found",
               "block not found", "indexing is in progress", "not yet available", "future block"}))
    return rpc_failure::ahead;
  if (says_long_list(t)) return rpc_failure::long_list;
  if (e.code == -32601 || e.code == -32004 ||
      has_any(t,
              {"method not", "unsupported method", "not supported method",
               "does not exist/is not available", "method is not", "not supported on pre-merge"}))
    return rpc_failure::unsupported;
  if (e.http_status == 413 || e.code == -32614 || says_too_big(t)) return rpc_failure::too_big;
  if (has_any(t, {"unauthorized", "invalid api key", "forbidden", "api key"}))
    return rpc_failure::auth;
  if (has_any(t, {"invalid block range", "invalid tag", "invalid block tag"}))
    return rpc_failure::ours;
  return rpc_failure::transient;
}

std::optional<std::uint64_t> span_hint(const rpc_error& e, std::uint64_t asked) {
  auto t = lower(e.message);
  t.resize(std::min(t.size(), t.find(" (http ")));
  const auto numbers = numbers_in(t);
  // "Try with this block range [a, b]": of those only how far apart they are is of use.
  auto suggestion = std::min(t.find("try with"), t.find("should work"));
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const auto &a = numbers[i], &b = numbers[i + 1];
    if (a.at < suggestion) continue;
    if (a.value > 0 && b.value > a.value && b.value - a.value + 1 < asked)
      return b.value - a.value + 1;
    break;
  }
  // Else the least that is no place and counts no other thing: what was asked is often said beside
  // it.
  std::optional<std::uint64_t> least;
  for (std::size_t i = 0; i < numbers.size() && numbers[i].at < suggestion; ++i) {
    if (i + 1 < numbers.size() && is_pair(t, numbers[i], numbers[i + 1])) {
      ++i;
      continue;
    }
    const auto& n = numbers[i];
    if (n.hex || n.value == 0 || n.value >= asked || counts_other_things(t, n)) continue;
    if (!least || n.value < *least) least = n.value;
  }
  return least;
}

excess excess_of(const rpc_error& e) {
  const auto t = lower(e.message);
  // Alchemy and Infura name a block range beside what they mean: the answer's size.
  if (has_any(t, {"result", "response", "logs matched", "returned more", "bytes", "timeout",
                  "timed out", "too many logs", "size exceeded"}))
    return excess::volume;
  return e.code == -32614 || has_any(t, {"range", "block"}) ? excess::blocks : excess::volume;
}

std::string_view to_text(rpc_failure f) {
  switch (f) {
  case rpc_failure::too_big:
    return "too big";
  case rpc_failure::long_list:
    return "too long a list";
  case rpc_failure::ahead:
    return "ahead of that endpoint";
  case rpc_failure::transient:
    return "a passing failure";
  case rpc_failure::rate_limited:
    return "rate limited";
  case rpc_failure::pruned:
    return "history it has dropped";
  case rpc_failure::unsupported:
    return "a method it does not have";
  case rpc_failure::auth:
    return "not authorised";
  case rpc_failure::ours:
    return "a call it does not understand";
  }
  return "";
}

} // namespace tidemark::tide
