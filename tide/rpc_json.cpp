// SPDX-License-Identifier: MIT
#include "tide/rpc_json.hpp"

#include "evm/hex.hpp"
#include "tide/json_fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <limits>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

constexpr std::uint64_t highest_block = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t latest_time =
    253'402'300'799; // the end of the year 9999, the last that RFC 3339 can say
constexpr std::size_t most_topics = 4;

} // namespace

evm::result<evm::header> header_from(const json::value& v, bool sealed) {
  evm::header h;
  json_fields f(v, "the block header");
  f.quantity("number", h.number);
  f.hex("hash", h.hash);
  f.hex("parentHash", h.parent);
  f.quantity("timestamp", h.time);
  f.hex("logsBloom", h.logs_bloom.bits);
  if (const auto* root = f.find("receiptsRoot"); root && root->is_string())
    h.receipts_root = evm::parse_hash(root->get_string()).value_or(evm::hash32{});
  if (h.number > highest_block) f.wrong("number");
  if (h.time > latest_time) f.wrong("timestamp");
  if (const auto* list = f.find("transactions"); list && list->is_array())
    for (const auto& t : list->get_array()) {
      // A whole one names its hash.
      const auto* whole = t.if_object();
      const auto* name = whole ? whole->if_contains("hash") : &t;
      const auto* s = name ? name->if_string() : nullptr;
      const auto hash = s ? evm::parse_hash(*s) : std::nullopt;
      if (!hash) {
        f.wrong("transactions");
        break;
      }
      h.transactions.push_back(*hash);
    }
  if (!f.good()) return evm::fail(f.trouble());
  if (sealed)
    if (const auto done = seal(h, v); !done) return done.error();
  return h;
}

evm::result<evm::log> log_from(const json::value& v) {
  evm::log l;
  json_fields f(v, "a log");
  f.hex("address", l.address);
  f.hex("data", l.data);
  f.quantity("blockNumber", l.block.number);
  if (l.block.number > highest_block) f.wrong("blockNumber");
  f.hex("blockHash", l.block.hash);
  f.hex("transactionHash", l.tx);
  f.quantity("transactionIndex", l.tx_index);
  f.quantity("logIndex", l.log_index);
  if (l.log_index > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
    f.wrong("logIndex");
  if (const auto* removed = f.find("removed"); removed && removed->is_bool() && removed->get_bool())
    return evm::fail("a log of block " + std::to_string(l.block.number) + " is marked as removed");
  const auto* topics = f.find("topics");
  if (!topics || !topics->is_array() || topics->get_array().size() > most_topics) {
    f.wrong("topics");
  } else {
    for (const auto& t : topics->get_array()) {
      const auto* s = t.if_string();
      const auto topic = s ? evm::parse_hash(*s) : std::nullopt;
      if (!topic) {
        f.wrong("topics");
        break;
      }
      l.topics.push_back(*topic);
    }
  }
  if (!f.good()) return evm::fail(f.trouble());
  return l;
}

evm::result<evm::receipt> receipt_from(const json::value& v) {
  evm::receipt r;
  json_fields f(v, "a receipt");
  f.hex("transactionHash", r.tx);
  f.hex("blockHash", r.block.hash);
  f.quantity("blockNumber", r.block.number);
  if (r.block.number > highest_block) f.wrong("blockNumber");
  f.quantity("transactionIndex", r.tx_index);
  if (f.has("status")) {
    std::uint8_t status = 0;
    f.quantity("status", status);
    if (status > 1) f.wrong("status");
    r.success = status == 1;
  }
  if (f.has("from")) f.hex("from", r.from.emplace());
  if (f.has("to")) f.hex("to", r.to.emplace());
  if (f.has("contractAddress")) f.hex("contractAddress", r.created.emplace());
  const auto* logs = f.find("logs");
  if (!logs || !logs->is_array()) f.wrong("logs");
  if (!f.good()) return evm::fail(f.trouble());
  for (const auto& entry : logs->get_array()) {
    auto l = log_from(entry);
    if (!l) return l.error();
    if (l->block != r.block || l->tx != r.tx)
      return evm::fail("a receipt's log names another block or transaction");
    r.logs.push_back(std::move(*l));
  }
  return r;
}

rpc_call call_block_by_number(std::uint64_t number, bool full) {
  return {"eth_getBlockByNumber",
          "[\"" + evm::to_quantity(number) + (full ? "\",true]" : "\",false]")};
}
rpc_call call_block_by_tag(std::string_view tag) {
  return {"eth_getBlockByNumber", "[\"" + std::string(tag) + "\",false]"};
}
rpc_call call_logs_of_block(const evm::hash32& hash) {
  return {"eth_getLogs", "[{\"blockHash\":\"" + evm::to_hex(hash) + "\"}]"};
}
rpc_call call_receipts_of_block(const evm::hash32& hash) {
  return {"eth_getBlockReceipts", "[\"" + evm::to_hex(hash) + "\"]"};
}
rpc_call call_receipt(const evm::hash32& tx) {
  return {"eth_getTransactionReceipt", "[\"" + evm::to_hex(tx) + "\"]"};
}
rpc_call call_chain_id() { return {"eth_chainId", "[]"}; }
rpc_call call_subscribe_heads() { return {"eth_subscribe", R"(["newHeads"])"}; }

rpc_call call_logs(std::uint64_t from, std::uint64_t to, const interest::filter& filter) {
  std::string p = "[{\"fromBlock\":\"" + evm::to_quantity(from) + "\",\"toBlock\":\"" +
                  evm::to_quantity(to) + '"';
  const auto list = [&p](const auto& values) {
    p += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) p += ',';
      p += '"';
      evm::append_hex(p, values[i].view());
      p += '"';
    }
    p += ']';
  };
  // An empty list means "none" to some endpoints and "any" to others: the member is left out
  // instead.
  if (!filter.addresses.empty()) {
    p += ",\"address\":";
    list(filter.addresses);
  }
  // Its own last positions are left out: a topic that may be anything must still be there.
  std::size_t positions = filter.topics.size();
  while (positions > 0 && filter.topics[positions - 1].empty())
    --positions;
  if (!filter.topic0.empty() || positions > 0) {
    p += ",\"topics\":[";
    const auto place = [&](const std::vector<evm::hash32>& one_of) {
      if (one_of.empty())
        p += "null";
      else
        list(one_of);
    };
    place(filter.topic0);
    for (std::size_t n = 0; n < positions; ++n) {
      p += ',';
      place(filter.topics[n]);
    }
    p += ']';
  }
  p += "}]";
  return {"eth_getLogs", std::move(p)};
}

void append_request(std::string& out, std::uint64_t id, const rpc_call& call) {
  out += R"({"jsonrpc":"2.0","id":)";
  out += std::to_string(id);
  out += R"(,"method":")";
  out += call.method;
  out += R"(","params":)";
  out += call.params;
  out += '}';
}

} // namespace tidemark::tide
