// SPDX-License-Identifier: MIT
#include "tide/abi_json.hpp"

#include "tests/evm/show_result.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;

namespace {

const std::string transfers = R"json([
  {"type":"function","name":"transfer","inputs":[],"outputs":[],"stateMutability":"view"},
  {"type":"event","name":"Transfer","anonymous":false,"inputs":[
    {"indexed":true,"internalType":"address","name":"from","type":"address"},
    {"indexed":true,"name":"to","type":"address"},{"indexed":false,"name":"value","type":"uint256"}]},
  {"type":"event","name":"Transfer","inputs":[{"name":"","type":"bytes32","indexed":true}]},
  {"type":"event","name":"Filled","anonymous":true,"inputs":[
    {"name":"orders","type":"tuple[2][]","components":[
      {"name":"maker","type":"address"},
      {"name":"items","type":"tuple[]","components":[{"name":"","type":"uint8"}]}]}]},
  {"type":"event","name":"Odd","inputs":[{"name":"x","type":"uint7"}]}
])json";

std::string found(const std::string& json, const std::string& wanted) {
  const auto event = event_of_abi(json, wanted);
  if (!event) return "! " + event.error().text;
  std::string out = event->signature();
  for (const auto& p : event->inputs)
    out += " " + p.name + (p.indexed ? "*" : "");
  return out + (event->anonymous ? " anonymous" : "");
}

} // namespace

TEST_CASE("abi json: an event by its name or its signature") {
  const struct {
    const char* wanted;
    const char* event;
  } rows[] = {
      {"Transfer(address,address,uint256)", "Transfer(address,address,uint256) from* to* value"},
      {"event Transfer(address indexed a, address, uint256)",
       "Transfer(address,address,uint256) from* to* value"},
      {"Transfer(bytes32)", "Transfer(bytes32) arg0*"},
      {"Filled", "Filled((address,(uint8)[])[2][]) orders anonymous"},
      {"Transfer", "! has several events of this name; give the full signature: "
                   "Transfer(address indexed,address indexed,uint256); Transfer(bytes32 indexed)"},
      {"Transfer(uint256)",
       "! has no event of this signature; of this name it has "
       "Transfer(address indexed,address indexed,uint256); Transfer(bytes32 indexed)"},
      {"Transfers", "! has no event 'Transfers', did you mean 'Transfer'?"},
      {"Odd", "! Odd: 'uint7' is no type: an integer has 8, 16, 24 … 256 bits"},
      {"Transfer(", "! expected a type, found the end"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.wanted);
    CHECK(found(transfers, row.wanted) == row.event);
    CHECK(found(R"({"contractName":"T","abi":)" + transfers + R"(,"bytecode":{"object":"0x"}})",
                row.wanted) == row.event);
  }
}

TEST_CASE("abi json: two that differ in indexed alone, and one that is there twice") {
  const std::string both = R"json(["event T(uint256 a)", "event T(uint256 indexed a)", "error E()",
                              "event U()", "event U()"])json";
  CHECK(found(both, "T(uint256)") == "T(uint256) a");
  CHECK(found(both, "T(uint256 indexed)") == "T(uint256) a*");
  CHECK(found(both, "U") == "U()");
  CHECK(found(both, "T").substr(0, 24) == "! has several events of ");
}

TEST_CASE("abi json: what is none says so") {
  CHECK(found("", "E").substr(0, 12) == "! is no JSON");
  CHECK(found("[", "E").substr(0, 12) == "! is no JSON");
  CHECK(found("{}", "E").substr(0, 11) == "! is no ABI");
  CHECK(found(R"({"abi":"[]"})", "E").substr(0, 11) == "! is no ABI");
  CHECK(found("[]", "E") == "! has no events");
  CHECK(found("[1,null,{},[]]", "E") == "! has no events");
  CHECK(found(R"([{"type":"event","name":"E"}])", "E") == "! E: has no list of parameters");
  CHECK(found(R"([{"type":"event","name":"E","inputs":[1]}])", "E") ==
        "! E: has a parameter that is no object");
  CHECK(found(R"([{"type":"event","name":"E","inputs":[{"type":"tuple","name":"t"}]}])", "E") ==
        "! E: has no list of parameters");
}
