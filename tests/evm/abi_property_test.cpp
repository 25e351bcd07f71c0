// SPDX-License-Identifier: MIT
#include "tests/evm/abi_encode.hpp"
#include "tests/evm/abi_show.hpp"
#include "tests/evm/show_result.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::evm;

TEST_CASE("abi property: random types and values come back as they were encoded") {
  abi_random::engine random(712);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<abi_type> types;
    for (auto n = abi_random::below(random, 5); n > 0; --n)
      types.push_back(abi_random::type(random, 4));
    std::string text = "E(";
    std::vector<const abi_type*> pointers;
    std::vector<abi_value> values;
    for (const auto& t : types) {
      text += (&t == &types.front() ? "" : ",") + t.canonical();
      pointers.push_back(&t);
      values.push_back(abi_random::value(random, t));
    }
    CAPTURE(round, text);
    const auto event = parse_event(text + ")");
    REQUIRE(event);
    CHECK(event->signature() == text + ")");
    auto data = abi_random::encode_members(pointers, values);
    decode_notes notes;
    const auto decoded = decode_log(*event, {event->topic0()}, data, &notes);
    REQUIRE(decoded);
    CHECK(*decoded == values);
    CHECK(notes == decode_notes{});
    if (data.empty()) continue;
    // One bit wrong: other values, or an error, and never more of them than the data has room for.
    data[abi_random::below(random, data.size())] ^=
        static_cast<std::uint8_t>(1u << abi_random::below(random, 8));
    const auto other = decode_log(*event, {event->topic0()}, data);
    if (other) CHECK(shown(*other).size() == values.size());
  }
}
