// SPDX-License-Identifier: MIT
#include "providers/chain_things.hpp"

#include "evm/hex.hpp"
#include "providers/json.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::providers {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 9> wrappers = {"result",   "params",      "data",
                                                      "log",      "logs",        "receipt",
                                                      "receipts", "transaction", "transactions"};

/// `anywhere`: what cannot be recognised is passed over, and looked into.
class walk {
public:
  explicit walk(bool anywhere) : anywhere_(anywhere) {}

  // The parser's depth limit bounds the recursion.
  evm::result<void> into(const json::value& v, const hint& outer) {
    if (v.is_null()) return {};
    if (v.is_object()) return into_object(v, outer);
    if (v.is_string()) return transaction_hash(v.get_string(), outer);
    const auto* array = v.if_array();
    if (!array)
      return unknown("a number or a boolean where a log, a receipt or a transaction should be");
    for (const auto& element : *array)
      if (auto done = into(element, outer); !done) return done;
    return {};
  }

  hints found;
  bool passed_over = false; ///< something that could not be recognised

private:
  bool anywhere_;

  evm::result<void> unknown(std::string text) {
    if (!anywhere_) return evm::fail(std::move(text));
    passed_over = true;
    return {};
  }

  evm::result<void> transaction_hash(std::string_view text, hint h) {
    h.tx = evm::parse_hash(text);
    if (!h.tx) return unknown("a text that is no transaction hash");
    found.push_back(std::move(h));
    return {};
  }

  evm::result<void> into_object(const json::value& v, hint h) {
    h.log_index.reset();
    h.removed.reset();
    hint_fields fields{v, h};
    fields.chain({"network", "chainId"}).removed({"removed"});
    // Only a block has a parent; its `hash` is its own, and one hint of it stands for all that is
    // in it.
    if (member(v, "parentHash")) {
      fields.block_number({"number"}).block_hash({"hash"});
      return add(fields);
    }
    fields.block_number({"blockNumber"}).block_hash({"blockHash"}).log_index({"logIndex"});
    fields.tx({"hash", "transactionHash"});
    if (fields.trouble) return *fields.trouble;

    const auto before = found.size();
    bool wraps = false;
    for (const auto& [name, inner] : v.get_object()) {
      const bool empty_answer = inner.is_null() && name == "result";
      if (!(inner.is_structured() || empty_answer) || !wrapper({name.data(), name.size()}, v, h))
        continue;
      wraps = true;
      if (auto done = into(inner, h); !done) return done;
    }
    // A receipt without logs still names its transaction.
    if (wraps && (found.size() > before || !h.tx)) return {};
    if (member(v, "jsonrpc") && member(v, "error")) return {};
    if (!member(v, "topics") && !h.tx && !h.block_hash && !h.block_number)
      return wraps && anywhere_
                 ? evm::result<void>{}
                 : unknown("no log, receipt, transaction or block that could be recognised");
    return add(fields);
  }

  /// Topics are no hashes of transactions, nor is what else is in a thing that was recognised.
  bool wrapper(std::string_view name, const json::value& of, const hint& h) const {
    if (std::find(wrappers.begin(), wrappers.end(), name) != wrappers.end()) return true;
    return anywhere_ && !h.tx && !member(of, "topics");
  }

  evm::result<void> add(const hint_fields& fields) {
    if (fields.trouble) return *fields.trouble;
    found.push_back(fields.into);
    return {};
  }
};

} // namespace

evm::result<hints> read_chain_things(const json::value& body) {
  walk w{false};
  if (auto done = w.into(body, {}); !done) return done.error();
  return std::move(w.found);
}

evm::result<hints> find_chain_things(const json::value& body) {
  walk w{true};
  if (auto done = w.into(body, {}); !done) return done.error();
  if (w.found.empty() && w.passed_over) return evm::fail("nothing that could be recognised");
  return std::move(w.found);
}

} // namespace tidemark::providers
