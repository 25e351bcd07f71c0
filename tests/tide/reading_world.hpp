// SPDX-License-Identifier: MIT
#pragma once

#include "tide/reading.hpp"

#include "tests/tide/rpc_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <list>
#include <map>

namespace tidemark::rpc_test {

using namespace tide;
using step = reading::step;

inline const std::string too_big = "!query returned more than 10000 results";
inline const std::string no_method = "!the method does not exist/is not available";

/// An endpoint that knows blocks 10 to 19 of branch A (two transactions each), unless it is told
/// otherwise: a call's answer by its method and parameters; '!' and words are an error.
struct endpoint {
  std::map<std::string, std::string> says;
  std::vector<std::string> heard; ///< "method params", in order
  std::vector<std::size_t> stages;
  std::list<boost::json::value> kept;
  bool backwards = false;

  endpoint() {
    for (std::uint64_t n = 10; n < 20; ++n)
      set(block_of(n, 2));
  }
  void set(const made_block& b) {
    const auto& id = b.header.id();
    header(id.number) = of(call_block_by_number(id.number, true)) = to_json(b.header);
    logs(id) = to_json(b.logs);
    receipts(id) = receipts_json(b);
    for (std::size_t i = 0; i < b.header.transactions.size(); ++i)
      receipt(b.header.transactions[i]) = receipt_json(b, i);
  }
  std::string& of(const rpc_call& c) { return says[c.method + c.params]; }
  std::string& header(std::uint64_t n) { return of(call_block_by_number(n)); }
  std::string& tag(const char* t) { return of(call_block_by_tag(t)); }
  std::string& logs(const evm::block_id& id) { return of(call_logs_of_block(id.hash)); }
  std::string& range(std::uint64_t from, std::uint64_t to) { return of(call_logs(from, to, {})); }
  std::string& receipts(const evm::block_id& id) { return of(call_receipts_of_block(id.hash)); }
  std::string& receipt(const evm::hash32& tx) { return of(call_receipt(tx)); }

  call_result answer(const rpc_call& c) {
    heard.push_back(c.method + c.params);
    const auto it = says.find(c.method + c.params);
    const std::string text = it == says.end() ? "null" : it->second;
    if (text[0] == '!') return {nullptr, {200, 0, text.substr(1)}};
    kept.push_back(boost::json::parse(text));
    return {&kept.back(), {}};
  }
  step run(reading& r) {
    step s = step::more;
    for (int i = 0; s == step::more && i < 100; ++i) {
      const auto calls = r.calls().size();
      REQUIRE(calls > 0);
      stages.push_back(calls);
      for (std::size_t n = 0; n < calls; ++n) {
        const auto at = backwards ? calls - 1 - n : n; // they come in any order
        if (!r.take(at, answer(r.calls()[at]))) return step::failed;
      }
      s = r.next();
    }
    return s;
  }
  /// The answer, or the test ends with the endpoint's words.
  template <class T> T done(ask_what what, reading::limits l = {}) {
    reading r(std::move(what), l);
    const auto s = run(r);
    INFO(r.text());
    REQUIRE(s == step::done);
    return std::get<T>(r.answer());
  }
  /// "class: words".
  std::string failed(ask_what what, reading::limits l = {}) {
    reading r(std::move(what), l);
    if (run(r) != step::failed) return "it did not fail";
    return std::string(to_text(r.failure())) + ": " + r.text();
  }
  std::size_t count(const std::string& part) const {
    return static_cast<std::size_t>(
        std::count_if(heard.begin(), heard.end(),
                      [&](const std::string& h) { return h.find(part) != std::string::npos; }));
  }
};

using sizes = std::vector<std::size_t>;
inline ask_blocks blocks(std::uint64_t from, std::uint64_t to) {
  ask_blocks a;
  for (; from <= to; ++from)
    a.ids.push_back(id_of(from));
  return a;
}

} // namespace tidemark::rpc_test
