// SPDX-License-Identifier: MIT
#include "tests/providers/words.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::providers;
using namespace tidemark::providers::testing;

// What the vectors do not show: other shapes of the same providers, and where they end.

TEST_CASE("quicknode") {
  const std::string log = R"({"topics":["0xdd"],"blockNumber":"0x5","blockHash":$B,)"
                          R"("transactionHash":$T,"logIndex":"0x7"})";
  const auto stream = [](const std::string& data, const std::string& reorgs = "null") {
    return R"({"data":)" + data + R"(,"metadata":{"network":"base-mainnet","reorgs":)" + reorgs +
           "}}";
  };
  check("quicknode",
        {
            {stream("[[[" + log + "],[]]]"), "base-mainnet/5/B/T/7"},
            {stream(R"([[{"transactionHash":$T,"blockNumber":"0x5","logs":[)" + log + "]}]]"),
             "base-mainnet/5/B/T/7"},
            {stream(R"([{"block":{"number":"0x5","hash":$B,"parentHash":$U,"transactions":[]},)"
                    R"("receipts":[{"transactionHash":$T,"logs":[)" +
                    log + "]}]}]"),
             "base-mainnet/5/B/-/- base-mainnet/5/B/T/7"},
            {stream(R"([{"matchingReceipts":[{"transactionHash":$T,"logs":[]}]}])"),
             "base-mainnet/-/-/T/-"},
            {stream("[]"), ""},
            {stream("null"), ""},
            {stream("[[[" + log + "]]]", R"([{"block_number":5,"block_hash":$U}])"),
             "base-mainnet/5/B/T/7"},
            {stream("[]", R"([{"block_number":5,"block_hash":$U}])"), "base-mainnet/5/U/-/-!"},
            {stream("[]", R"([{"block_number":"five"}])"), "error"},
            {R"({"transfers":[{"transactionHash":$T,"blockNumber":"0x5"},{"note":"x"}]})",
             "-/5/-/T/-"},
            {R"({"deep":{"er":[$T,"text",1]}})", "-/-/-/T/-"},
            {R"({"topics":[$T],"blockNumber":"0x5"})", "-/5/-/-/-"},
            {R"({"what":"else"})", "error"},
            {R"("prose")", "error"},
            {R"({"transactionHash":"0x12"})", "error"},
        });
}

TEST_CASE("moralis") {
  const std::string place = R"("chainId":"0x89","block":{"number":"5","hash":$B},)";
  check("moralis",
        {
            {"{" + place +
                 R"("logs":[{"logIndex":"7","transactionHash":$T}],"txs":[{"hash":$U}],)"
                 R"("txsInternal":[{"transactionHash":$T}],"erc20Transfers":[{"logIndex":"7"}]})",
             "137/5/B/T/7 137/5/B/U/- 137/5/B/T/-"},
            {"{" + place + R"("logs":null})", ""},
            {R"({"chainId":"","block":{"number":"","hash":""},"logs":[]})", ""},
            {"{" + place + R"("logs":[{"logIndex":"7x","transactionHash":$T}]})", "error"},
            {"{" + place + R"("logs":{}})", "error"},
            {"{" + place + R"("erc20Transfers":[]})", "error"},
        });
}

TEST_CASE("tenderly") {
  const std::string tx = R"("network":"10","block_number":5,"block_hash":$B,"hash":$T)";
  check("tenderly", {
                        {R"({"event_type":"ALERT","transaction":{)" + tx + R"(,"logs":[{},{}]}})",
                         "10/5/B/T/- 10/5/B/T/-"},
                        {R"({"event_type":"ALERT","transaction":{)" + tx + "}}", "10/5/B/T/-"},
                        {R"({"event_type":"TEST","transaction":{)" + tx + "}}", ""},
                        {R"({"event_type":"ALERT"})", "error"},
                    });
}

TEST_CASE("goldsky") {
  check("goldsky",
        {
            {R"({"op":"UPDATE","data":{"old":{"id":"a"},"new":{"id":"a","block_number":"5",)"
             R"("transaction_hash":$T}}})",
             "-/5/-/T/-?"},
            {R"({"op":"DELETE","data":{"old":{"id":"$t-7","log_index":7},"new":null}})",
             "-/-/-/T/7?"},
            {R"({"op":"INSERT","data":{"old":null,"new":{"blockNumber":5}}})", "-/5/-/-/-"},
            {R"({"op":"INSERT","data":{"old":null,"new":{"owner":"x"}}})", "error"},
            {R"({"op":"INSERT","data":{"old":null,"new":null}})", "error"},
            {R"({"id":"log_$t_5","block_number":5,"log_index":5})", "-/5/-/T/5"},
            {R"([{"transaction_hash":$T,"chain_id":10},{"transaction_hash":$U}])",
             "10/-/-/T/- -/-/-/U/-"},
            {"[]", ""},
            {"[17]", "error"},
        });
}

TEST_CASE("cdp, thirdweb, tatum, nodit, circle") {
  check("cdp",
        {{R"({"network":"base-mainnet","transaction_hash":$T,"log_index":7})",
          "base-mainnet/-/-/T/7"},
         {R"({"data":{"networkId":"base-sepolia","blockNumber":5}})", "base-sepolia/5/-/-/-"},
         {R"({"id":"x"})", "error"}});
  check("thirdweb-insight",
        {{R"({"data":[{"status":"reverted","data":{"chain_id":"1","hash":$T}}]})", "1/-/-/T/-!"},
         {R"({"data":[]})", ""},
         {R"({"data":[{"status":"new"}]})", "error"},
         {"{}", "error"}});
  check("thirdweb-engine",
        {{R"({"type":"event-log","data":{"chainId":10,"transactionHash":$T,"logIndex":7}})",
          "10/-/-/T/7"},
         {R"({"queueId":"q","status":"queued","chainId":"10","transactionHash":null})", ""},
         {R"({"queueId":"q","status":"mined","chainId":"10","transactionHash":$T})", "10/-/-/T/-"},
         {R"({"hello":1})", "error"}});
  check("tatum", {{R"({"chain":"bsc-mainnet","txId":$T,"blockNumber":5,"reorg":true})",
                   "bsc-mainnet/5/-/T/-?"},
                  {R"({"chain":"bitcoin-mainnet","txId":"00ff"})", "error"},
                  {"{}", "error"}});
  check("nodit",
        {{R"({"protocol":"BASE","network":"MAINNET","event":{"messages":[{"transactionHash":$T,)"
          R"("blockNumber":5,"logIndex":7,"removed":true}]}})",
          "BASE/MAINNET/5/-/T/7!"},
         {R"({"event":{"messages":[]}})", ""},
         {R"({"event":{}})", "error"}});
  check("circle",
        {{R"({"notification":{"blockchain":"ETH","txHash":$T,"blockHeight":5}})", "ETH/5/-/T/-"},
         {R"({"notificationType":"webhooks.test","notification":{"hello":"world"}})", ""},
         {"{}", "error"}});
}

TEST_CASE("ozmonitor, rindexer, sim") {
  check("ozmonitor",
        {{R"({"EVM":{"network_slug":"base_mainnet","transaction":{"hash":$T,"blockNumber":"0x5"},)"
          R"("logs":[]}})",
          "base_mainnet/5/-/T/-"},
         {R"({"EVM":{"network_slug":"x","transaction":{"hash":$T},"logs":[{"logIndex":"0x7",)"
          R"("removed":true,"blockHash":$B}]}})",
          "x/-/B/T/7!"},
         {R"({"title":"t","body":"b"})", ""},
         {R"({"Stellar":{}})", "error"}});
  check(
      "rindexer",
      {{R"({"event_name":"__rindexer_reorg","event_data":[{"network":"base","fork_block":5,)"
        R"("affected_tx_hashes":[$T,$U]}]})",
        "base/-/-/T/-! base/-/-/U/-!"},
       {R"({"event_name":"__rindexer_reorg","event_data":[{"network":"base","fork_block":5,)"
        R"("affected_tx_hashes":[]}]})",
        "base/5/-/-/-!"},
       {R"({"event_name":"__rindexer_reorg","event_data":[{"affected_tx_hashes":[17]}]})", "error"},
       {R"({"event_name":"T","network":"base","event_data":{"transaction_information":{)"
        R"("log_index":"0x1c","transaction_hash":$T}}})",
        "base/-/-/T/28"},
       {R"({"event_name":"T","event_data":[{}]})", "error"},
       {"[]", "error"}});
  check("sim",
        {{R"({"transactions":[{"chain_id":1,"hash":$T,"logs":[{},{}]}]})", "1/-/-/T/- 1/-/-/T/-"},
         {R"({"activities":[{"chain_id":1,"tx_hash":$T}],"balance_changes":[)"
          R"({"transaction_hash":$U}]})",
          "1/-/-/T/- -/-/-/U/-"},
         {"{}", "error"}});
}

TEST_CASE("a header that names the chain") {
  const auto& sim = *find("sim");
  const std::string body = R"({"balance_changes":[{"block_number":5},{"block_number":6,)"
                           R"("chain_id":10}]})";
  const auto named = [&](std::string_view chain) {
    const auto found = extract(sim, body, chain);
    return found ? words(found->at(0)) + " " + words(found->at(1)) : "error";
  };
  CHECK(named("8453") == "8453/5/-/-/- 10/6/-/-/-");
  CHECK(named("base") == "base/5/-/-/- 10/6/-/-/-");
  CHECK(named("") == "-/5/-/-/- 10/6/-/-/-");
  CHECK(named("8453x") == "error");
}

TEST_CASE("text that is cut in a character") {
  const auto raw = [](const std::string& name) {
    return std::vector<row>{{R"({"hash":$T,"name":")" + name + "\"}", "-/-/-/T/-"}};
  };
  for (const char* name : {R"(\ud83d)", R"(\ud83dx)", R"(\ude00)", R"(\ud83d\ud83d\ude00)",
                           R"(\ud83d\n)", R"(\\\ud83d)", R"(\ud83d\ude00)", R"(\\ud83d)", "偽"})
    check("raw", raw(name));
  check("raw", {{R"({"hash":$T,"name":"\ud8"})", "error"},
                {"{\"hash\":$T,\"name\":\"\xff\"}", "error"},
                {R"({"hash":$T,"\ud83d":1,"\ud83d":2})", "error"}});
}
