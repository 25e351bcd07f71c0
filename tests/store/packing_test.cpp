// SPDX-License-Identifier: MIT
#include "store/packing.hpp"

#include "store/sql.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>

using namespace tidemark;

namespace {

const std::string transfer =
    R"({"event_id":"1:0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060:7",)"
    R"("logical_id":null,"kind":"log","chain":"ethereum","chain_id":1,"subscriptions":["usdc"],)"
    R"("block":{"number":46147,"hash":"0x4e3a3754410177e6937ef1f84bba68ea139e8d1a2258c5f85db9f1cd715a1bdd",)"
    R"("timestamp":1438918233},"transaction":{"hash":)"
    R"("0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060","index":0},"log_index":7,)"
    R"("address":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","topics":[)"
    R"("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",)"
    R"("0x000000000000000000000000a1e4380a3b1f749673e270229993ee55f35663b4",)"
    R"("0x0000000000000000000000005df9b87991262f6ba471f09758cde1c0fc1de734"],)"
    R"("data":"0x0000000000000000000000000000000000000000000000000000000000007a69","event":"Transfer",)"
    R"("args":{"from":"0xa1e4380a3b1f749673e270229993ee55f35663b4",)"
    R"("to":"0x5df9b87991262f6ba471f09758cde1c0fc1de734","value":"31337"},)"
    R"("confirmations":[{"policy":null,"blocks":12,"tag":null}]})";

std::string bytes_of(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

} // namespace

TEST_CASE("data is packed, and comes back byte by byte") {
  std::mt19937 random(1);
  for (const auto& json :
       {transfer, std::string("{}"), "{\"a\":\"" + std::string(300'000, 'x') + "\"}"}) {
    const auto packed = store::pack(json);
    CHECK(store::unpack(packed) == json);
    CHECK(packed.size() <= json.size());
    CHECK(store::pack(packed) == packed); // a second time nothing
  }
  CHECK(store::pack(transfer).size() * 3 < transfer.size());
  for (int i = 0; i < 200; ++i) { // what does not shrink is kept as it is
    std::string noise = "{";
    for (auto n = random() % 100; n > 0; --n)
      noise += static_cast<char>(random());
    CHECK(store::unpack(store::pack(noise)) == noise);
  }
}

TEST_CASE("what the first version packed can be read for ever") {
  // Made once by store::pack(transfer); a changed dictionary or framing breaks it.
  const std::string once =
      "0128b52ffd64c5028d07005392296380c218b080052e68c16aefea942cdebe973964eadd706ed3a94552f4985a"
      "752f973e9ea79a7732ffafbbcd68ed6fb5714f9523c4875f84b1bc92de1b2adf6f04bdcbcbe8152e5353ddca85"
      "c8de1957f3a17b2992b56eea74f1e49386d38c94f3f7157956520af2a9f37badbf5b5488b947ee71b114fd0e2e"
      "bc1d5f053c7e7d90925929528e6b7d29ff5390cf23d91741772a24fc4948d33185af2a8bb1437fa4349907f9a8"
      "1cfca4402c53242415edf607f2b6babc045a4c3d344760c7c6589ae14c00a9c3baa026f7969b34b50ac301bde9"
      "6575edb19cfe1232a5f2f30f9bb69a984ec2d46030f411ab1b3e54a744f2cd";
  CHECK(store::unpack(bytes_of(once)) == transfer);
}

TEST_CASE("damaged data is an error, never a crash or another event") {
  const auto packed = store::pack(transfer);
  CHECK_THROWS_AS(store::unpack(""), store::sql_error);
  CHECK_THROWS_AS(store::unpack("\x02" + packed.substr(1)), store::sql_error); // no such dictionary
  for (std::size_t size = 1; size < packed.size(); ++size)
    CHECK_THROWS_AS(store::unpack(packed.substr(0, size)), store::sql_error);
  std::mt19937 random(2);
  for (int i = 0; i < 5'000; ++i) {
    auto bad = packed;
    bad[1 + random() % (bad.size() - 1)] = static_cast<char>(random());
    bool refused_or_same = true; // an octet that says nothing may differ
    try {
      refused_or_same = store::unpack(bad) == transfer;
    } catch (const store::sql_error&) {
    }
    CHECK(refused_or_same);
  }
}

TEST_CASE("retention takes the details, once") {
  const auto less = store::without_details(transfer);
  CHECK(less.find("topics") == std::string::npos);
  CHECK(less.find("args") == std::string::npos);
  CHECK(less.find(R"("data")") == std::string::npos);
  CHECK(less.find(R"("block":{"number":46147)") != std::string::npos);
  CHECK(less.ends_with(R"("pruned":true})"));
  CHECK(store::without_details(less) == less);
}
