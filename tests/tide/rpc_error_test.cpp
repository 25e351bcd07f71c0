// SPDX-License-Identifier: MIT
#include "tide/rpc_error.hpp"

#include <catch2/catch.hpp>

#include <ostream>
#include <set>

using namespace tidemark::tide;
using f = rpc_failure;

namespace {

struct said {
  std::string_view where;
  std::string message;
  f means = f::too_big;
  std::uint64_t hint = 0; ///< 0: none
  std::int64_t code = 0;
  int http = 200;
  std::uint64_t asked = 200'000;
};

const std::string alchemy_words =
    "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and "
    "no limit on the response size, or you can request any block range with a cap of 10K logs in "
    "the response. Based on your parameters and the response size limit, this block range should "
    "work: ";
const std::string infura_words =
    "query returned more than 10000 results. Try with this block range ";

// What endpoints and clients have been seen to say when a range, or its answer, is too much.
const std::vector<said> limits{
    {"Alchemy", alchemy_words + "[0xf4240, 0xf4629]", f::too_big, 1'002, -32602},
    {"Alchemy, inverted", alchemy_words + "[0xf4629, 0xf4240]", f::too_big, 2'000, -32602},
    {"Alchemy, 0-based", alchemy_words + "[0x0, 0x63]", f::too_big, 2'000, -32602},
    {"Alchemy, not smaller", alchemy_words + "[0xf4240, 0xf4627]", f::too_big, 0, -32602, 200,
     1'000},
    {"Alchemy, an older one", "Log response size exceeded 150MB. Use 2K blocks or 10K logs at most",
     f::too_big, 2'000},
    {"Alchemy, free",
     "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. "
     "Based on your parameters, this block range should work: [0xa, 0x13]",
     f::too_big, 10, -32600},
    {"Alchemy, time", "query timeout exceeded. Consider reducing your block range. (10 seconds)",
     f::too_big},
    {"Infura", infura_words + "[0x10, 0x13].", f::too_big, 4, -32005},
    {"Infura, in data too",
     infura_words + R"([0x10, 0x13]. {"from":"0x10","limit":10000,"to":"0x13"})", f::too_big, 4,
     -32005},
    {"Infura, inverted", infura_words + "[0x13, 0x10].", f::too_big, 0, -32005},
    {"Infura, range", "range 199999 exceeds limit of 10000", f::too_big, 10'000, -32602},
    {"QuickNode", "eth_getLogs is limited to a 10,000 range", f::too_big, 10'000, -32614},
    {"QuickNode, by status", "eth_getLogs is limited to a 5 range (HTTP 413)", f::too_big, 5,
     -32614, 413},
    {"QuickNode, without words", "no JSON (HTTP 413): <html>", f::too_big, 0, 0, 413},
    {"Ankr", "block range is too wide", f::too_big, 0, -32600},
    {"Ankr, results", "query exceeds max results", f::too_big, 0, -32600},
    {"Ankr, distance", "maximum [from, to] blocks distance: 3000", f::too_big, 3'000, -32600},
    {"Chainstack",
     "Block range limit exceeded. See more details at https://docs.example.com/limits#evm-range",
     f::too_big},
    {"Cloudflare", "Max range: 800", f::too_big, 800, -32047},
    {"Blast",
     R"x(Invalid params {"range":"the range 1000 - 200999 exceeds the range allowed for your plan (199999 > 500)"} (HTTP 400))x",
     f::too_big, 500, -32602, 400},
    {"Blast, from the first block",
     R"x(Invalid params {"range":"the range 0 - 199999 exceeds the range allowed for your plan (199999 > 500)"})x",
     f::too_big, 500, -32602, 400},
    {"LlamaNodes", "query exceeds max results", f::too_big},
    {"dRPC", "ranges over 10000 blocks are not supported on freetier", f::too_big, 10'000, 35},
    {"dRPC, results", "query exceeds max results 20000, retry with the range 5000-5099", f::too_big,
     100},
    {"BlockPI", "eth_getLogs is limited to 1024 block range", f::too_big, 1'024, -32602},
    {"publicnode", "exceed maximum block range: 50000", f::too_big, 50'000, -32701},
    {"publicnode, shorter", "maximum block range: 10000", f::too_big, 10'000},
    {"1RPC", "eth_getLogs is limited to a 1000 blocks range", f::too_big, 1'000},
    {"1RPC, bytes", "response size should not greater than 10000 bytes", f::too_big},
    {"merkle", "eth_getLogs range is too large, max is 1k blocks", f::too_big, 1'000, -32603},
    {"Base", "block range too large", f::too_big, 0, -32000},
    {"proxyd", "backend response too large", f::too_big, 0, -32020},
    {"proxyd, no backend", "no backend is currently healthy to serve traffic", f::too_big, 0,
     -32011, 503},
    {"Arbitrum", "logs matched by query exceeds limit of 10000", f::too_big, 10'000, -32000},
    {"Avalanche", "requested too many blocks from 7 to 200006, maximum is set to 2048", f::too_big,
     2'048, -32000},
    {"Avalanche, from the first block",
     "requested too many blocks from 0 to 199999, maximum is set to 2048", f::too_big, 2'048,
     -32000},
    {"BSC", "exceed maximum block range: 5000", f::too_big, 5'000, -32701},
    {"BSC, short", "limit exceeded", f::too_big, 0, -32005},
    {"zkSync", "Query returned more than 10000 results. Try with this block range [0x10,0x1f].",
     f::too_big, 16, -32602},
    {"Harmony", "query must be smaller than size 1024", f::too_big, 1'024},
    {"Moonbeam", "block range is too wide (maximum 1024)", f::too_big, 1'024},
    {"Tron", "up to a 5000 block range", f::too_big, 5'000},
    {"Swell", "exceed max block range: 1000", f::too_big, 1'000},
    {"Somnia", "block range greater than 1000 max", f::too_big, 1'000},
    {"Somnia, exceeds", "block range exceeds 1000", f::too_big, 1'000},
    {"Hyperliquid", "query exceeds max block range 1000", f::too_big, 1'000},
    {"geth", "exceed maximum block range 10000", f::too_big, 10'000, -32602},
    {"geth, bytes of a batch", "response too large", f::too_big, 0, -32003},
    {"geth, calls of a batch", "batch too large", f::too_big, 0, -32600},
    {"geth, time", "request timed out", f::too_big, 0, -32002},
    {"reth", "query exceeds max block range 100000", f::too_big, 100'000, -32602},
    {"reth, results", "query exceeds max results 20000, retry with the range 18000000-18000999",
     f::too_big, 1'000, -32602},
    {"besu", "Requested range exceeds maximum range limit", f::too_big, 0, -32005},
    {"erigon", "query returned more than 10000", f::too_big, 10'000, -32005},
};

const std::vector<said> others{
    {"proxyd, ahead", "block is out of range", f::ahead, 0, -32019},
    {"Avalanche, ahead", "requested from=5 to=9 after last accepted block 4", f::ahead, 0, -32000},
    {"Avalanche, unfinal", "cannot query unfinalized data", f::ahead, 0, -32000},
    {"geth, ahead", "block range extends beyond current head block", f::ahead, 0, -32602},
    {"geth, a hash", "unknown block", f::ahead, 0, -32000},
    {"geth, a header", "header not found", f::ahead, 0, -32000},
    {"geth, an index", "transaction indexing is in progress", f::ahead, 0, -32000},
    {"nethermind, ahead", "185 could not be found", f::ahead, 0, -32001},
    {"anvil, ahead", "BlockOutOfRangeError: block height is 3 but requested was 2457", f::ahead, 0,
     -32602},
    {"geth, pruned", "pruned history unavailable", f::pruned, 0, 4444},
    {"by the number alone", "", f::pruned, 0, 4444},
    {"archive", "missing trie node 0xabc (path )", f::pruned, 0, -32000},
    {"geth, range", "invalid block range params", f::ours, 0, -32602},
    {"geth, list", "exceed max addresses or topics per search position", f::long_list, 0, -32602},
    {"a list, in other words", "too many addresses in filter, maximum is 100", f::long_list},
    {"a list of topics", "max topics exceeded: 4 > 3", f::long_list},
    {"geth, a tag", "finalized block not found", f::ahead, 0, -32000},
    {"geth, another tag", "safe block not found", f::ahead, 0, -32000},
    {"geth, a tag of logs", "finalized header not found", f::ahead, 0, -32000},
    {"besu, erigon, a tag", "Unknown block", f::ahead, 0, -39001},
    {"old geth, a tag", "tag not supported on pre-merge network", f::unsupported, 0, -32000},
    {"others, a tag", "invalid argument 0: invalid tag", f::ours, 0, -32602},
    {"bor, receipts", "receipts length mismatch: 1 vs 0", f::transient, 0, -32000},
    {"block receipts, no method", "the method eth_getBlockReceipts does not exist", f::unsupported,
     0, -32601},
    {"an archive's refusal", "Archive, Debug and Trace requests are not available on this plan",
     f::pruned, 0, -32000},
    {"busy", "project ID request rate exceeded {\"rate\":{\"backoff_seconds\":30}}",
     f::rate_limited, 0, -32005, 429},
    {"nethermind, busy", "ModuleRentalTimeoutException: Too many concurrent requests",
     f::rate_limited, 0, -32016},
    {"429", "an empty answer (HTTP 429)", f::rate_limited, 0, 0, 429},
    {"Alchemy, units",
     "Your app has exceeded its compute units per second capacity. If you have retries enabled",
     f::rate_limited, 0, 429},
    {"Infura, a day", "daily request count exceeded, request rate limited", f::rate_limited, 0,
     -32005},
    {"Infura, rate", "project ID request rate exceeded", f::rate_limited, 0, -32005},
    {"credits", "You have run out of credits: limit of 100000 exceeded", f::rate_limited},
    {"per second", "limited to 25 requests per second", f::rate_limited, 0, -32007},
    {"401", "invalid project id (HTTP 401)", f::auth, 0, -32002, 401},
    {"403", "block range is too wide (HTTP 403)", f::auth, 0, 0, 403},
    {"key", "Must be authenticated! Invalid API key", f::auth, 0, -32600},
    {"no method", "the method eth_getBlockReceipts does not exist/is not available", f::unsupported,
     0, -32601},
    {"no method, by number", "", f::unsupported, 0, -32601},
    {"no method, -32004", "not here", f::unsupported, 0, -32004},
    {"no method, by words", "Unsupported method: eth_getBlockReceipts on ETH", f::unsupported},
    {"broken", "internal error", f::transient, 0, -32603},
    {"502", "no JSON (HTTP 502): <html>", f::transient, 0, 0, 502},
    {"no words", "", f::transient},
};

rpc_error error_of(const said& s) { return {s.http, s.code, s.message}; }

} // namespace

TEST_CASE("rpc errors: too much") {
  for (const auto& s : limits) {
    CAPTURE(s.where, s.message);
    CHECK(to_text(classify(error_of(s))) == to_text(s.means));
    CHECK(span_hint(error_of(s), s.asked).value_or(0) == s.hint);
  }
}

TEST_CASE("rpc errors: too many blocks, or too much in them") {
  // Of all that is said above, these mean blocks; the others mean what the answer would hold.
  const std::set<std::string_view> blocks{"Alchemy, free",
                                          "Infura, range",
                                          "QuickNode",
                                          "QuickNode, by status",
                                          "Ankr",
                                          "Ankr, distance",
                                          "Chainstack",
                                          "Cloudflare",
                                          "Blast",
                                          "Blast, from the first block",
                                          "dRPC",
                                          "BlockPI",
                                          "publicnode",
                                          "publicnode, shorter",
                                          "1RPC",
                                          "merkle",
                                          "Base",
                                          "Avalanche",
                                          "Avalanche, from the first block",
                                          "BSC",
                                          "Moonbeam",
                                          "Tron",
                                          "Swell",
                                          "Somnia",
                                          "Somnia, exceeds",
                                          "Hyperliquid",
                                          "geth",
                                          "reth",
                                          "besu"};
  for (const auto& s : limits) {
    CAPTURE(s.where, s.message);
    CHECK((excess_of(error_of(s)) == excess::blocks) == (blocks.count(s.where) == 1));
  }
}

TEST_CASE("rpc errors: other things") {
  for (const auto& s : others) {
    CAPTURE(s.where, s.message);
    CHECK(to_text(classify(error_of(s))) == to_text(s.means));
  }
}

TEST_CASE("rpc errors: a hint is always less than what was asked") {
  for (const auto& s : limits)
    for (const std::uint64_t asked : {0, 1, 2, 3, 5, 9, 10, 11, 100, 1'000, 2'048, 10'000}) {
      CAPTURE(s.where, s.message, asked);
      const auto hint = span_hint(error_of(s), asked);
      if (hint) CHECK((*hint > 0 && *hint < asked));
    }
}

TEST_CASE("rpc errors: numbers that are no hint") {
  const auto hint = [](std::string text, std::uint64_t asked = 5'000) {
    return span_hint({400, 0, std::move(text)}, asked).value_or(0);
  };
  CHECK(hint("block range too large (HTTP 400)") == 0);
  CHECK(hint("block range limit exceeded, see v2 of erc20") == 0);
  CHECK(hint("range 0-4998 too large") == 0);
  CHECK(hint("range 0, 4998 too large") == 0);
  CHECK(hint("range 0 to 4998 too large") == 0);
  CHECK(hint("max is 0 blocks") == 0);
  CHECK(hint("max is 99999999999999999999999999999999 blocks") == 0);
  CHECK(hint("should work: [0xffffffffffffffffffffff, 0x1]") == 0);
  CHECK(hint("response exceeds 10 MB") == 0);
  CHECK(hint("took more than 10s") == 0);
  CHECK(hint("more than 1,000 logs") == 0);
  CHECK(hint("try with [4, 3]") == 0);
  CHECK(hint("try with") == 0);
  CHECK(hint("try with 7") == 0);
  CHECK(hint("") == 0);
  CHECK(hint("[100,200] is over the maximum of 1,000 blocks") == 1'000);
  CHECK(hint("the range of 4,999 blocks is over the maximum of 500") == 500);
  CHECK(hint("try with [100, 200]") == 101);
  CHECK(hint("try with \"100\", \"200\"") == 101);
}
