// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"
#include "evm/bloom.hpp"
#include "evm/hex.hpp"
#include "evm/keccak.hpp"
#include "tests/evm/abi_show.hpp"
#include "tests/evm/show_result.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

// Logs and blooms of public chains, kept beside the project; see README.md there.

using namespace tidemark::evm;
namespace json = boost::json;

namespace {

const std::filesystem::path folder = TIDEMARK_SOURCE_DIR "/../shared/chain";

bool absent() {
  if (std::filesystem::exists(folder)) return false;
  WARN("skipped: there is no " << folder);
  return true;
}

json::value read(const std::string& name) {
  std::ifstream in(folder / name);
  REQUIRE(in);
  std::stringstream text;
  text << in.rdbuf();
  return json::parse(text.str());
}

std::string_view text(const json::value& object, const char* key) {
  return object.at(key).as_string();
}

std::vector<hash32> topics(const json::value& log) {
  std::vector<hash32> out;
  for (const auto& t : log.at("topics").as_array()) {
    out.push_back(parse_hash(t.as_string()).value());
  }
  return out;
}

void add(bloom& b, const json::value& log) {
  b.add(parse_address(text(log, "address")).value().view());
  for (const auto& t : topics(log))
    b.add(t.view());
}

} // namespace

TEST_CASE("chain files: the bloom made of a block's logs is the header's") {
  if (absent()) return;
  const struct {
    std::string block;
    std::size_t logs;
  } rows[] = {{"mainnet-18000000", 291}, {"arb-sepolia-185232421", 46}};
  for (const auto& row : rows) {
    CAPTURE(row.block);
    bloom made;
    std::size_t logs = 0;
    const auto receipts = read(row.block + "-receipts.json");
    for (const auto& receipt : receipts.as_array()) {
      bloom of_receipt;
      for (const auto& log : receipt.at("logs").as_array()) {
        add(of_receipt, log);
        add(made, log);
        ++logs;
      }
      CHECK(to_hex(of_receipt.bits) == text(receipt, "logsBloom"));
    }
    const auto header = read(row.block + "-header.json");
    CHECK(to_hex(made.bits) == text(header, "logsBloom"));
    CHECK(logs == row.logs);
  }
}

TEST_CASE("chain files: a bloom holds what is in its block") {
  if (absent()) return;
  bloom b;
  b.bits = parse_fixed<256>(text(read("mainnet-18000000-header.json"), "logsBloom")).value();
  std::size_t holds = 0;
  const auto receipts = read("mainnet-18000000-receipts.json");
  for (const auto& receipt : receipts.as_array()) {
    for (const auto& log : receipt.at("logs").as_array()) {
      CHECK(b.may_contain(parse_address(text(log, "address")).value().view()));
    }
    holds += b.may_contain(parse_hash(text(receipt, "transactionHash")).value().view()) ? 1 : 0;
  }
  CHECK(holds < 10); // a transaction's hash is in no bloom: by chance alone
}

TEST_CASE("chain files: ERC-20 transfers decode") {
  if (absent()) return;
  const auto event =
      parse_event("Transfer(address indexed from, address indexed to, uint256 value)").value();
  const auto of_nft =
      parse_event("Transfer(address indexed from, address indexed to, uint256 indexed id)").value();
  std::size_t coins = 0;
  std::size_t nfts = 0;
  integer sum = 0;
  for (int file = 1; file <= 7; ++file) {
    const auto answer = read(std::string("mainnet-logs-") + std::to_string(file) + ".json");
    for (const auto& log : answer.at("logs").as_array()) {
      const auto data = parse_hex(text(log, "data")).value();
      const auto values = decode_log(event, topics(log), data);
      if (decode_log(of_nft, topics(log), data)) {
        ++nfts;
        CHECK_FALSE(values);
      }
      if (!values) continue;
      ++coins;
      sum += std::get<integer>((*values)[2].is);
      CHECK(to_hex(topic_of(event.inputs[1].type, (*values)[1])) ==
            log.at("topics").at(2).as_string());
      CHECK(to_hex(topic_of(event.inputs[2].type, (*values)[2])) == to_hex(data));
    }
  }
  // Counted and added up by other means.
  CHECK(coins == 772);
  CHECK(nfts == 132);
  CHECK(to_decimal(sum) == "24887537362911996141681171414");
}

TEST_CASE("chain files: the deposit contract's logs decode") {
  if (absent()) return;
  const auto event = parse_event("DepositEvent(bytes pubkey, bytes withdrawal_credentials, bytes "
                                 "amount, bytes signature, bytes index)")
                         .value();
  const auto little = [](const abi_value& value) {
    std::uint64_t out = 0;
    const auto& octets = std::get<bytes>(value.is);
    for (auto i = octets.size(); i-- > 0;)
      out = out << 8 | octets[i];
    return out;
  };
  std::uint64_t gwei = 0;
  std::vector<std::uint64_t> indexes;
  const auto answer = read("mainnet-logs-4.json");
  for (const auto& log : answer.at("logs").as_array()) {
    const auto values =
        decode_log(event, topics(log), parse_hex(text(log, "data")).value()).value();
    CHECK(std::get<bytes>(values[0].is).size() == 48);
    CHECK(std::get<bytes>(values[3].is).size() == 96);
    gwei += little(values[2]);
    indexes.push_back(little(values[4]));
  }
  REQUIRE(indexes.size() == 184);
  CHECK(gwei == 5888000000000);
  CHECK(indexes.front() == 807599);
  CHECK(indexes.back() == 807782);
}
