// SPDX-License-Identifier: MIT
#include "tide/rpc_error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace tidemark::tide {
namespace {

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return text.find(w) != std::string::npos; });
}

/// What is limited, and that it is: "query exceeds max results", "block range is too wide", "limited to a 10,000 range".
bool says_too_big(const std::string& t) {
  if (has_any(t, {"no backend is currently healthy", "query timeout", "response too large", "response is too big"})) return true;
  const bool what = has_any(t, {"range", "block", "result", "log", "response", "size", "limit"});
  const bool much = has_any(t, {"exceed", "too large", "too wide", "too many", "too big", "limited to", "more than", "max is set", "maximum", "max is",
                                "max range", "greater than", "smaller than", "not supported on free", "up to a", "should not greater", "max results"});
  return what && much;
}

bool says_less_often(const std::string& t) {
  return has_any(t, {"rate limit", "ratelimit", "requests per second", "too many requests", "too many concurrent", "request limit", "credits",
                     "compute units", "throughput", "quota", "daily limit", "capacity exceeded", "call rate"});
}

} // namespace

rpc_failure classify(const rpc_error& e) {
  const auto t = lower(e.message);
  if (e.http_status == 401 || e.http_status == 403) return rpc_failure::auth;
  if (e.http_status == 429 || says_less_often(t)) return rpc_failure::rate_limited;
  if (e.code == 4444 || has_any(t, {"pruned", "history unavailable", "archive", "missing trie node", "state is not available"})) return rpc_failure::pruned;
  if (has_any(t, {"beyond current head", "after last accepted", "unfinalized data", "blockoutofrange", "block is out of range", "header not found",
                  "unknown block", "could not be found", "block not found", "indexing is in progress", "not yet available", "future block"}))
    return rpc_failure::ahead;
  if (e.code == -32601 || e.code == -32004 || has_any(t, {"method not", "unsupported method", "not supported method", "does not exist/is not available", "method is not"}))
    return rpc_failure::unsupported;
  if (e.http_status == 413 || e.code == -32614 || says_too_big(t)) return rpc_failure::too_big;
  if (has_any(t, {"unauthorized", "invalid api key", "forbidden", "api key"})) return rpc_failure::auth;
  return rpc_failure::transient;
}

std::optional<std::uint64_t> span_hint(const rpc_error& e, std::uint64_t asked) {
  const auto t = lower(e.message);
  // "[0xa, 0xb]" or "range a-b": their places are of no use to us, only how far apart they are.
  std::array<std::uint64_t, 2> pair{};
  std::size_t seen = 0;
  std::optional<std::uint64_t> best;
  const auto consider = [&](std::uint64_t n) {
    if (n > 0 && n < asked && (!best || n > *best)) best = n;
  };
  for (std::size_t i = 0; i < t.size();) {
    if (!std::isdigit(static_cast<unsigned char>(t[i])) || (i > 0 && std::isalnum(static_cast<unsigned char>(t[i - 1])))) {
      ++i;
      continue;
    }
    const bool hex = t.compare(i, 2, "0x") == 0;
    if (hex) i += 2;
    std::uint64_t n = 0;
    bool fits = true;
    for (; i < t.size(); ++i) {
      const auto c = static_cast<unsigned char>(t[i]);
      if (c == ',' && !hex && i + 3 < t.size() && std::isdigit(static_cast<unsigned char>(t[i + 1]))) continue;
      const int digit = std::isdigit(c) ? c - '0' : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) break;
      if (n >> 59) fits = false;
      n = n * (hex ? 16 : 10) + static_cast<std::uint64_t>(digit);
    }
    if (i < t.size() && t[i] == 'k' && !hex) n *= 1'000;
    if (!fits) continue;
    if (!hex) consider(n);
    pair[seen++ % 2] = n;
    if (seen % 2 == 0 && pair[1] >= pair[0]) consider(pair[1] - pair[0] + 1);
  }
  return best;
}

std::string_view to_text(rpc_failure f) {
  switch (f) {
  case rpc_failure::too_big: return "too big";
  case rpc_failure::ahead: return "ahead of that endpoint";
  case rpc_failure::transient: return "a passing failure";
  case rpc_failure::rate_limited: return "rate limited";
  case rpc_failure::pruned: return "history it has dropped";
  case rpc_failure::unsupported: return "a method it does not have";
  case rpc_failure::auth: return "not authorised";
  case rpc_failure::ours: return "a call it does not understand";
  }
  return "";
}

} // namespace tidemark::tide
