// SPDX-License-Identifier: MIT
#include "evm/hex.hpp"
#include "tests/evm/abi_show.hpp"
#include "tests/evm/show_result.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace tidemark::evm;

namespace {

std::vector<std::string> parts(const std::string& text, char between) {
  std::vector<std::string> out{""};
  for (const char c : text) {
    if (c == between)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

} // namespace

// vectors/generate.mjs says what a line is.
TEST_CASE("abi vectors: what ethers and viem both encode is decoded to what they were given") {
  std::ifstream in(TIDEMARK_SOURCE_DIR "/tests/evm/abi_vectors.txt");
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) {
    CAPTURE(line);
    const auto row = parts(line, '\t');
    REQUIRE(row.size() >= 3);
    const auto event = parse_event(row[0]);
    REQUIRE(event);
    const auto topics = row[1].empty() ? std::vector<hash32>{} : hashes(parts(row[1], ','));
    const auto data = parse_hex(row[2]).value();
    decode_notes notes;
    const auto values = decode_log(*event, topics, data, &notes);
    REQUIRE(values);
    CHECK(shown(*values) == std::vector<std::string>(row.begin() + 3, row.end()));
    CHECK(notes == decode_notes{});
    // Half of it is an error, or as much as the topics and the first words hold.
    if (!data.empty())
      CHECK_FALSE(decode_log(*event, topics, bytes_view(data).first(data.size() - 32)));
    ++lines;
  }
  CHECK(lines >= 500);
}
