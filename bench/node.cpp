// SPDX-License-Identifier: MIT
// An Ethereum node without a chain behind it: it replays blocks that follow from a seed
// (replay_chain.hpp), on one path a chain: /1, /2, … are chains of that id. `bench_mine N`,
// `bench_every MS`, `bench_reorg DEPTH` move them.
#include "beast_server.hpp"
#include "replay_chain.hpp"

#include "evm/hex.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using namespace tidemark;
using namespace tidemark::bench;
namespace json = boost::json;

std::string text_at(const json::array& params, std::size_t n) {
  if (n >= params.size() || !params[n].is_string()) return {};
  return std::string(params[n].get_string());
}

std::optional<std::uint64_t> height(replay_chain& chain, const std::string& text) {
  if (text == "latest" || text == "pending") return chain.head();
  const auto head = chain.head();
  if (text == "safe") return head > 32 ? head - 32 : 0;
  if (text == "finalized") return head > 64 ? head - 64 : 0;
  if (text == "earliest") return 0;
  return evm::parse_quantity(text);
}

template <typename T, typename Parse>
std::vector<T> one_or_many(const json::value* v, const Parse& parse) {
  std::vector<T> values;
  const auto add = [&](const json::value& one) {
    if (!one.is_string()) return;
    if (const auto parsed = parse(std::string_view(one.get_string()))) values.push_back(*parsed);
  };
  if (v && v->is_array())
    for (const auto& one : v->get_array())
      add(one);
  else if (v)
    add(*v);
  return values;
}

/// False: it is an error.
bool logs(std::string& out, replay_chain& chain, const json::array& params) {
  if (params.empty() || !params[0].is_object()) return false;
  const auto& filter = params[0].get_object();
  std::uint64_t from = 0, to = 0;
  if (const auto* hash = filter.if_contains("blockHash"); hash && hash->is_string()) {
    const auto parsed = evm::parse_hash(std::string_view(hash->get_string()));
    const auto number = parsed ? chain.number_of(*parsed) : std::nullopt;
    if (!number) return false;
    from = to = *number;
  } else {
    const auto at = [&](const char* name) {
      const auto* v = filter.if_contains(name);
      return height(chain, v && v->is_string() ? std::string(v->get_string()) : "latest");
    };
    const auto low = at("fromBlock"), high = at("toBlock");
    if (!low || !high || *high > chain.head()) return false;
    from = *low;
    to = *high;
  }
  log_query query;
  query.addresses = one_or_many<evm::address20>(filter.if_contains("address"), evm::parse_address);
  if (const auto* topics = filter.if_contains("topics"); topics && topics->is_array())
    for (const auto& place : topics->get_array())
      query.topics.push_back(one_or_many<evm::hash32>(&place, evm::parse_hash));
  out += '[';
  chain.append_logs(out, from, to, query);
  out += ']';
  return true;
}

/// A block by its number, a tag or its hash.
std::optional<std::uint64_t> block_at(replay_chain& chain, const std::string& text) {
  if (const auto hash = evm::parse_hash(text)) return chain.number_of(*hash);
  return height(chain, text);
}

bool call(std::string& out, std::vector<std::unique_ptr<replay_chain>>& all, replay_chain& chain,
          std::string_view method, const json::array& params) {
  const auto text = text_at(params, 0);
  const auto number = [&] { return evm::parse_quantity(text).value_or(0); };
  if (method == "eth_chainId") {
    out += '"' + evm::to_quantity(chain.chain_id()) + '"';
  } else if (method == "eth_blockNumber") {
    out += '"' + evm::to_quantity(chain.head()) + '"';
  } else if (method == "eth_getBlockByNumber" || method == "eth_getBlockByHash") {
    const auto n = block_at(chain, text);
    if (n)
      chain.append_block(out, *n);
    else
      out += "null";
  } else if (method == "eth_getBlockReceipts") {
    const auto n = block_at(chain, text);
    if (n)
      chain.append_receipts(out, *n);
    else
      out += "null";
  } else if (method == "eth_getTransactionReceipt") {
    chain.append_receipt(out, evm::parse_hash(text).value_or(evm::hash32{}));
  } else if (method == "eth_getLogs") {
    return logs(out, chain, params);
  } else if (method == "bench_mine") {
    chain.mine(number());
    out += "true";
  } else if (method == "bench_every") {
    for (auto& one : all)
      one->mine_every(number());
    out += "true";
  } else if (method == "bench_reorg") {
    chain.reorg(number());
    out += "true";
  } else {
    return false;
  }
  return true;
}

void answer_one(std::string& out, std::vector<std::unique_ptr<replay_chain>>& all,
                replay_chain& chain, const json::value& request) {
  const auto* object = request.if_object();
  const auto* id = object ? object->if_contains("id") : nullptr;
  const auto* method = object ? object->if_contains("method") : nullptr;
  const auto* params = object ? object->if_contains("params") : nullptr;
  const auto start = out.size();
  const auto head = "{\"jsonrpc\":\"2.0\",\"id\":" + (id ? json::serialize(*id) : "null");
  out += head + ",\"result\":";
  static const json::array none;
  if (method && method->is_string() &&
      call(out, all, chain, std::string_view(method->get_string()),
           params && params->is_array() ? params->get_array() : none)) {
    out += '}';
    return;
  }
  out.resize(start);
  out += head + R"(,"error":{"code":-32000,"message":"unknown block or method"}})";
}

} // namespace

int main(int argc, char** argv) {
  const auto number = [&](const char* name, std::uint64_t otherwise) {
    return option(argc, argv, name, otherwise, 1'000'000'000);
  };
  replay_settings s;
  s.seed = number("--seed", s.seed);
  s.blocks = number("--blocks", s.blocks);
  s.logs = number("--logs", s.logs);
  s.logs_a_tx = number("--logs-a-tx", s.logs_a_tx);
  s.contracts = number("--contracts", s.contracts);
  s.keys = number("--keys", s.keys);
  s.hot_percent = number("--hot-percent", s.hot_percent);
  s.quiet_every = number("--quiet-every", s.quiet_every);
  std::vector<std::unique_ptr<replay_chain>> chains;
  for (std::uint64_t id = 1; id <= number("--chains", 1); ++id) {
    s.chain_id = id;
    chains.push_back(std::make_unique<replay_chain>(s));
  }
  const auto threads = static_cast<unsigned>(option(argc, argv, "--threads", 2, 256));
  const auto port = static_cast<std::uint16_t>(option(argc, argv, "--port", 0, 65'535));
  return serve(port, threads, [&chains](std::string_view target, std::string_view body) {
    const auto id = std::strtoull(std::string(target.substr(1)).c_str(), nullptr, 10);
    if (id < 1 || id > chains.size()) return answer{404, "{}"};
    boost::system::error_code ec;
    const auto request = json::parse({body.data(), body.size()}, ec);
    if (ec) return answer{400, "{}"};
    answer said;
    if (const auto* batch = request.if_array()) {
      said.body += '[';
      for (std::size_t i = 0; i < batch->size(); ++i) {
        if (i > 0) said.body += ',';
        answer_one(said.body, chains, *chains[id - 1], (*batch)[i]);
      }
      said.body += ']';
    } else {
      answer_one(said.body, chains, *chains[id - 1], request);
    }
    return said;
  });
}
