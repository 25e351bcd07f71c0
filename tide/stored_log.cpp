// SPDX-License-Identifier: MIT
#include "tide/stored_log.hpp"

#include "evm/hex.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

std::string_view text_at(const json::object& o, const char* name) {
  const auto& s = o.at(name).as_string();
  return {s.data(), s.size()};
}

template <class T> T must(std::optional<T> read) {
  if (!read) throw std::invalid_argument("a hex value is none");
  return std::move(*read);
}

stored_log read(const json::object& o) {
  stored_log out;
  const auto& block = o.at("block").as_object();
  const auto& transaction = o.at("transaction").as_object();
  out.log.block.number = json::value_to<std::uint64_t>(block.at("number"));
  out.log.block.hash = must(evm::parse_hash(text_at(block, "hash")));
  out.block_time = json::value_to<std::uint64_t>(block.at("timestamp"));
  out.log.tx = must(evm::parse_hash(text_at(transaction, "hash")));
  out.log.tx_index = json::value_to<std::uint32_t>(transaction.at("index"));
  out.log.log_index = json::value_to<std::uint32_t>(o.at("log_index"));
  out.log.address = must(evm::parse_address(text_at(o, "address")));
  for (const auto& topic : o.at("topics").as_array()) {
    const auto& t = topic.as_string();
    out.log.topics.push_back(must(evm::parse_hash({t.data(), t.size()})));
  }
  out.log.data = must(evm::parse_hex(text_at(o, "data")));
  return out;
}

/// Contract §4.2: as contract means `to`, or what it created.
std::string transaction_key(const recipient& to, const json::object& o,
                            std::string_view subscription) {
  auto chain = std::to_string(json::value_to<std::uint64_t>(o.at("chain_id")));
  switch (to.order) {
  case order_by::chain:
    return chain;
  case order_by::subscription:
    return chain + ':' + std::string(subscription);
  case order_by::none:
    return std::string(text_at(o, "event_id"));
  case order_by::contract:
  case order_by::argument:
    break;
  }
  const char* at = o.at("to").is_string() ? "to" : "created";
  return o.at(at).is_string() ? chain + ':' + std::string(text_at(o, at)) : chain;
}

/// Did `to` lack any of `from`?
bool add_missing(json::array& to, const json::array& from) {
  const auto before = to.size();
  for (const auto& one : from)
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
  return to.size() > before;
}

evm::result<stored_log> read_text(std::string_view data, bool pruned_too) {
  try {
    auto o = json::parse(data).as_object();
    if (pruned_too && o.contains("pruned")) {
      o["topics"] = json::array();
      o["data"] = "0x";
    }
    return read(o);
  } catch (const std::exception& e) {
    return evm::fail(std::string("no log can be read of a stored event: ") + e.what());
  }
}

} // namespace

std::optional<route> route_of_transaction(const recipient& to, std::string_view data,
                                          const std::vector<std::string>& having) {
  try {
    const auto value = json::parse(data);
    const auto& o = value.as_object();
    if (text_at(o, "kind") != "transaction") return std::nullopt;
    for (const auto& wanted : to.subscriptions)
      if (std::find(having.begin(), having.end(), wanted) != having.end())
        return route{to.name, transaction_key(to, o, wanted), wanted, to.pending, to.confirmed};
    return std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> amended(std::string_view held, std::string_view read) {
  try {
    auto was = json::parse(held).as_object();
    const auto now = json::parse(read).as_object();
    bool more = false;
    for (const char* member : {"subscriptions", "confirmations"})
      more |= add_missing(was.at(member).as_array(), now.at(member).as_array());
    return more ? std::optional(json::serialize(was)) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

evm::result<stored_log> log_of_data(std::string_view data) { return read_text(data, false); }

evm::result<stored_log> place_of_data(std::string_view data) { return read_text(data, true); }

} // namespace tidemark::tide
