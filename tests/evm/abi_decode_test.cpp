// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"
#include "evm/hex.hpp"
#include "tests/evm/abi_show.hpp"
#include "tests/evm/abi_vectors.hpp"
#include "tests/evm/show_result.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace tidemark::evm;

namespace {

/// Words written short: "20" is 0x00…20, "ff.." is 0xff00…, anything of 64 digits itself.
bytes words(const std::vector<std::string>& texts) {
  std::string all = "0x";
  for (auto text : texts) {
    const bool left = text.size() > 2 && text.substr(text.size() - 2) == "..";
    if (left) text.resize(text.size() - 2);
    const std::string zeros(64 - text.size(), '0');
    all += left ? text + zeros : zeros + text;
  }
  return parse_hex(all).value();
}

result<std::vector<abi_value>> decode_data(const std::string& inputs, const bytes& data) {
  const auto event = parse_event("E(" + inputs + ")").value();
  return decode_log(event, {event.topic0()}, data);
}

const std::string all_f(64, 'f');

} // namespace

TEST_CASE("abi decode: logs as ethers and viem encode them") {
  for (const auto& row : abi_vectors()) {
    CAPTURE(row.text);
    const auto event = parse_event(row.text).value();
    auto data = parse_hex(row.data).value();
    const auto values = decode_log(event, hashes(row.topics), data);
    REQUIRE(values);
    CHECK(shown(*values) == row.values);
    data.push_back(0xab); // trailing octets change nothing
    CHECK(shown(decode_log(event, hashes(row.topics), data).value()) == row.values);
  }
}

TEST_CASE("abi decode: data that ends early is an error or, within padding, the same values") {
  for (const auto& row : abi_vectors()) {
    const auto event = parse_event(row.text).value();
    const auto data = parse_hex(row.data).value();
    for (std::size_t size = 0; size < data.size(); ++size) {
      CAPTURE(row.text, size);
      const auto values = decode_log(event, hashes(row.topics), bytes_view(data).first(size));
      if (values) CHECK(shown(*values) == row.values);
      if (size + 32 <= data.size()) CHECK_FALSE(values);
    }
  }
}

TEST_CASE("abi decode: topics must be the event's") {
  const auto event =
      parse_event("Transfer(address indexed from, address indexed to, uint256 v)").value();
  const hash32 any;
  const auto data = words({"1"});
  CHECK(decode_log(event, {event.topic0(), any, any}, data));
  CHECK_THAT(decode_log(event, {event.topic0(), any, any, any}, data).error().text,
             Catch::Contains("3 topics"));
  CHECK_FALSE(decode_log(event, {event.topic0(), any}, data));
  CHECK_THAT(decode_log(event, {any, any, any}, data).error().text,
             Catch::Contains("Transfer(address,address,uint256)"));
  CHECK_FALSE(decode_log(event, {}, data));
  CHECK(decode_args(event, {any, any, any}, data));

  const auto nameless = parse_event("E(address indexed a, uint8 b) anonymous").value();
  CHECK(shown(decode_log(nameless, {any}, data).value()[1]) == "1");
  CHECK_FALSE(decode_log(nameless, {}, data));
  CHECK_FALSE(decode_log(nameless, {any, any}, data));
}

TEST_CASE("abi decode: padding that is not zero is left out") {
  const struct {
    const char* type;
    std::string word;
    const char* value;
  } rows[] = {
      {"uint8", all_f, "255"},
      {"uint24", "ff00000000000000000000000000000000000000000000000000000000123456", "1193046"},
      {"int8", "000000000000000000000000000000000000000000000000000000000000007f", "127"},
      {"int8", "0000000000000000000000000000000000000000000000000000000000000080", "-128"},
      {"int24", all_f, "-1"},
      {"int256", all_f, "-1"},
      {"bool", "0", "false"},
      {"bool", "2", "true"},
      {"bool", "01..", "true"},
      {"address", all_f, "0xffffffffffffffffffffffffffffffffffffffff"},
      {"address", "aa..", "0x0000000000000000000000000000000000000000"},
      {"bytes2", all_f, "0xffff"},
      {"bytes32", all_f, "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type, row.word);
    CHECK(shown(decode_data(row.type, words({row.word})).value()[0]) == row.value);
    const auto event = parse_event(std::string("E(") + row.type + " indexed x)").value();
    hash32 topic;
    const auto word = words({row.word});
    std::copy(word.begin(), word.end(), topic.octets.begin());
    CHECK(shown(decode_log(event, {event.topic0(), topic}, {}).value()[0]) == row.value);
  }
}

TEST_CASE("abi decode: offsets and lengths are held to the data") {
  const struct {
    const char* inputs;
    std::vector<std::string> data;
    const char* value; ///< of the last input; null: an error
    std::size_t at;
  } rows[] = {
      {"string s", {"20", "2", "6869.."}, "\"hi\"", 0},
      {"bytes s", {"20", "0"}, "0x", 0},
      {"bytes s", {"40", all_f, "1", "77.."}, "0x77", 0},              // room between head and tail
      {"bytes a, bytes b", {"40", "40", "1", "77.."}, nullptr, 64},    // two that share one tail
      {"bytes a, bytes b", {"80", "40", "1", "77..", "0"}, "0x77", 0}, // tails in another order
      {"bytes a, bytes b", {"40", "60", "21", "0", "0"}, nullptr, 96}, // one within the other
      {"bytes s", {"0"}, nullptr, 0},                                  // points at itself
      {"uint8[] a", {"20", "2", "1", "2"}, "[1 2 ]", 0},
      {"uint8[] a", {"20", "0"}, "[]", 0},
      {"uint8[2] a", {"1", "2"}, "[1 2 ]", 0},
      {"uint8[2] a", {"1"}, nullptr, 0},
      {"uint8[] a", {"20", "3", "1", "2"}, nullptr, 64},
      {"uint8[] a", {"20", all_f, "1", "2"}, nullptr, 32},
      {"uint8[1000000000][] a", {"20", "1", "1"}, nullptr, 64},
      {"uint8[1000000000][1000000000] a", {"1", "2"}, nullptr, 0},
      {"string[1000000000] a", {"20", "20"}, nullptr, 32},
      {"(uint8,string)[] a", {"20", "1", "20", "7", "40", "1", "78.."}, "[[7 \"x\" ] ]", 0},
      {"uint8[][] a", {"20", "2", "40", "40", "0"}, nullptr, 128}, // one list, twice
      {"uint8[][] a", {"20", "2", "0", "0"}, nullptr, 64},         // its own heads
      {"uint8[][] a", {"20", "2", "40", "60", "0", "1", "9"}, "[[] [9 ] ]", 0},
      {"uint8[][2] a", {"20", "40", "60", "0", "0"}, "[[] [] ]", 0},
      {"bytes s",
       {"20", "20", all_f},
       "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
       0},
      {"bytes s", {}, nullptr, 0},
      {"bytes s", {"20"}, nullptr, 32},
      {"bytes s", {"21", "0"}, nullptr, 33},
      {"bytes s", {"40", "0"}, nullptr, 64},
      {"bytes s", {"41", "0"}, nullptr, 0},
      {"bytes s", {"20", "1"}, nullptr, 64},
      {"bytes s", {"20", "21", "0"}, nullptr, 64},
      {"bytes s", {"20", "60", "0", "0"}, nullptr, 64},
      {"bytes s", {"20", "ffffffffffffffff", "0"}, nullptr, 32},
      {"bytes s", {"20", "ffffffffffffffe0", "0"}, nullptr, 32},
      {"bytes s", {"20", "10000000000000000", "0"}, nullptr, 32},
      {"bytes s", {"20", all_f, "0"}, nullptr, 32},
      {"bytes s", {"ffffffffffffffe0", "0"}, nullptr, 0},
      {"bytes s", {"10000000000000020", "0"}, nullptr, 0},
      {"bytes s", {"01..", "0"}, nullptr, 0},
      {"bytes s", {all_f, "0"}, nullptr, 0},
      {"uint8 a, string s", {"1"}, nullptr, 32},
      {"uint8 a, uint8 b", {"1"}, nullptr, 32},
  };
  for (const auto& row : rows) {
    CAPTURE(row.inputs, row.data);
    const auto values = decode_data(row.inputs, words(row.data));
    CHECK(values.has_value() == (row.value != nullptr));
    if (values && row.value) CHECK(shown(values->back()) == row.value);
    if (!values) CHECK(values.error().at == row.at);
  }
  CHECK_THAT(decode_data("uint8 amount", {}).error().text, Catch::StartsWith("amount: "));
}

TEST_CASE("abi decode: lists that point at themselves do not multiply") {
  // Each level's two elements are one and the same list: 2^16 values out of 2 KiB, were it not
  // refused.
  std::string type = "uint8";
  for (int i = 0; i < 16; ++i)
    type += "[]";
  std::vector<std::string> data{"20"};
  for (int i = 0; i < 15; ++i)
    data.insert(data.end(), {"2", "40", "40"});
  data.push_back("0");
  CHECK_THAT(decode_data(type + " a", words(data)).error().text, Catch::Contains("share"));
}

TEST_CASE("abi decode: odd padding and what trails are noted, and change nothing") {
  const struct {
    const char* inputs;
    std::vector<std::string> data;
    const char* value;
    decode_notes notes;
  } rows[] = {
      {"uint8 a", {"7"}, "7", {false, false}},
      {"uint8 a", {"107"}, "7", {true, false}},
      {"uint8 a", {"7", "0"}, "7", {false, true}},
      {"int8 a", {all_f}, "-1", {false, false}},
      {"int8 a", {"ff"}, "-1", {true, false}},
      {"bool a", {"2"}, "true", {true, false}},
      {"bytes1 a", {"ff.."}, "0xff", {false, false}},
      {"bytes1 a", {"ff01.."}, "0xff", {true, false}},
      {"address a", {"01.."}, "0x0000000000000000000000000000000000000000", {true, false}},
      {"string s", {"20", "1", "78.."}, "\"x\"", {false, false}},
      {"string s", {"20", "1", "7879.."}, "\"x\"", {true, false}},
      {"string s", {"20", "1", "78..", "0"}, "\"x\"", {false, true}},
      {"uint8[] a", {"20", "1", "1ff", "0"}, "[255 ]", {true, true}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.inputs, row.data);
    const auto event = parse_event(std::string("E(") + row.inputs + ")").value();
    decode_notes notes;
    const auto values = decode_log(event, {event.topic0()}, words(row.data), &notes);
    REQUIRE(values);
    CHECK(shown(values->back()) == row.value);
    CHECK(notes == row.notes);
  }
}

TEST_CASE("abi decode: topics alone tell what is indexed") {
  const auto event = parse_event("E(uint8 a, address indexed b, string indexed c)").value();
  const auto known = decode_topics(event, {event.topic0(), hash32{}, event.topic0()});
  REQUIRE(known.size() == 3);
  CHECK_FALSE(known[0]);
  CHECK(shown(*known[1]) == "0x0000000000000000000000000000000000000000");
  CHECK(shown(*known[2]) == "#" + to_hex(event.topic0()));
}

TEST_CASE("abi decode: a string is its octets, UTF-8 or not") {
  const auto values = decode_data("string s", words({"20", "3", "ff00fe.."})).value();
  CHECK(std::get<std::string>(values[0].is) == std::string("\xff\0\xfe", 3));
}

TEST_CASE("abi decode: octets of any kind give values within the data or an error") {
  std::mt19937 random(20231112);
  const auto event = parse_event("E(bytes a, uint16 b, string c)").value();
  int good = 0;
  for (int round = 0; round < 20'000; ++round) {
    bytes data(160 + random() % 240);
    for (std::size_t i = 0; i < data.size(); ++i) {
      // Mostly small words, so that many offsets and lengths point into the data.
      if (i % 32 == 31) data[i] = static_cast<std::uint8_t>(random() % 8 * 32);
      if (i % 32 == 30) data[i] = random() % 64 == 0 ? 1 : 0;
    }
    const auto values = decode_log(event, {event.topic0()}, data);
    if (!values) continue;
    ++good;
    CHECK(std::get<bytes>((*values)[0].is).size() <= data.size());
    CHECK(std::get<std::string>((*values)[2].is).size() <= data.size());
  }
  CHECK(good > 100);
}
