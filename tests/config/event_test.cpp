// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

const std::string one = "subscriptions:\n  - name: a\n    chains: [ethereum]\n";

loaded with(const std::string& keys) {
  variables.clear();
  return parsed(one_chain + one + keys);
}

/// A folder with a config and an ABI beside it.
class folder {
public:
  explicit folder(const std::string& abi)
      : path_(std::filesystem::temp_directory_path() /
              ("tidemark-abi-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ / "T.json") << abi;
  }
  ~folder() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  loaded load(const std::string& keys) const {
    return parse(one_chain + one + keys, path_ / "t.yaml", look_up);
  }

private:
  std::filesystem::path path_;
};

} // namespace

TEST_CASE("event: presets and what they name") {
  const struct {
    const char* name;
    const char* signature;
    std::size_t topics;
  } rows[] = {
      {"erc20-transfer", "Transfer(address,address,uint256)", 3},
      {"erc20-approval", "Approval(address,address,uint256)", 3},
      {"erc721-transfer", "Transfer(address,address,uint256)", 4},
      {"erc1155-transfer", "TransferSingle(address,address,address,uint256,uint256)", 4},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto l = with(std::string("    preset: ") + row.name + "\n");
    REQUIRE(problems_of(l) == "");
    const auto& s = l.value->subscriptions[0];
    CHECK(s.event.signature() == row.signature);
    CHECK(s.event.topic_count() == row.topics);
    CHECK(s.batch.has_value() == (std::string(row.name) == "erc1155-transfer"));
    if (s.batch)
      CHECK(s.batch->signature() == "TransferBatch(address,address,address,uint256[],uint256[])");
  }
}

TEST_CASE("event: from a file beside the config") {
  const folder f(R"({"abi":[{"type":"event","name":"T","inputs":[{"name":"a","type":"uint8"}]},
                             {"type":"event","name":"T","inputs":[]}]})");
  auto l = f.load("    abi: T.json\n    event: T(uint8)\n");
  REQUIRE(problems_of(l) == "");
  CHECK(l.value->subscriptions[0].event.inputs[0].name == "a");
  const struct {
    const char* keys;
    const char* says;
  } rows[] = {
      {"    abi: T.json\n", "subscriptions[0].abi: needs event"},
      {"    abi: T.json\n    event: U\n",
       ":10:12: subscriptions[0].event: T.json has no event 'U', did you mean 'T'?"},
      {"    abi: T.json\n    event: T\n", "give the full signature: T(uint8); T()"},
      {"    abi: U.json\n    event: T\n", "No such file"},
      {"    abi: .\n    event: T\n", "is no regular file"},
      {"    abi: T.json\n    preset: erc20-transfer\n", "give abi or preset, not both"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.keys);
    l = f.load(row.keys);
    REQUIRE(l.problems.size() == 1);
    CHECK_THAT(problems_of(l), Catch::Contains(row.says));
  }
}

TEST_CASE("where: a field of a tuple, by its name or its place") {
  const std::string event =
      "    event: \"E((address maker, (uint8 kind, bool)) order, uint8[] n)\"\n";
  const auto l = with(event + "    where: {order.1.kind: [1, 2], order.1.1: true}\n");
  REQUIRE(problems_of(l) == "");
  const auto& s = l.value->subscriptions[0];
  REQUIRE(s.where.size() == 2);
  CHECK(s.where[0].members == std::vector<std::size_t>{1, 0});
  CHECK(s.where[0].one_of.size() == 2);
  CHECK(s.where[1].members == std::vector<std::size_t>{1, 1});
  const struct {
    const char* where;
    const char* says;
  } rows[] = {
      {"order.makr: 1", ":10:13: subscriptions[0].where: 'order' has no field 'makr', did you mean "
                        "'maker'?"},
      {"order: 1", "name a field of a tuple"},
      {"n: 1", "cannot be written as one value"},
      {"order.1.kind: 300", "uint8 is 0 to 255"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.where);
    const auto bad = with(event + "    where: {" + row.where + "}\n");
    REQUIRE(bad.problems.size() == 1);
    CHECK_THAT(problems_of(bad), Catch::Contains(row.says));
  }
}

TEST_CASE("escalate: expressions and policies, and where a mistake stands") {
  const std::string preset = "    preset: erc20-transfer\n    escalate:\n";
  const auto l = with(preset + "      - {when: value >= 1_000_000e6, confirmations: 64}\n"
                               "      - when: not (to == from)\n"
                               "        confirmations: finalized\n");
  REQUIRE(problems_of(l) == "");
  const auto& s = l.value->subscriptions[0];
  REQUIRE(s.escalations.size() == 2);
  CHECK(s.escalations[0].when.text() == "value >= 1_000_000e6");
  CHECK(s.escalations[0].adds.asks() == tide::needs{64, tide::tag::none});
  CHECK(s.escalations[1].adds.asks() == tide::needs{0, tide::tag::finalized});
  const struct {
    const char* item;
    const char* expected;
  } rows[] = {
      {"{when: valu > 1, confirmations: 64}",
       "t.yaml:11:16: subscriptions[0].escalate[0].when: there is no argument 'valu', did you mean "
       "'value'? (at character 1)\n"},
      {"{when: value > 1 and to == 5, confirmations: 64}",
       "t.yaml:11:36: subscriptions[0].escalate[0].when: 'to' is address and cannot be compared "
       "with a number (at character 21)\n"},
      {"{when: \"value > x\", confirmations: 64}",
       "t.yaml:11:25: subscriptions[0].escalate[0].when: there is no argument 'x', did you mean "
       "'to'? (at character 9)\n"},
      {"{confirmations: 64}", "t.yaml:11:9: subscriptions[0].escalate[0]: 'when' is missing\n"},
      {"{when: value > 1}",
       "t.yaml:11:9: subscriptions[0].escalate[0]: 'confirmations' is missing\n"},
      {"{when: value > 1, confirmations: high}",
       "t.yaml:11:42: subscriptions[0].escalate[0].confirmations: there is no policy 'high'\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.item);
    CHECK(problems_of(with(preset + "      - " + row.item + "\n")) == row.expected);
  }
}
