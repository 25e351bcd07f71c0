// SPDX-License-Identifier: MIT
#include "net/chunk_reader.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using tidemark::net::chunk_reader;

namespace {

struct outcome {
  chunk_reader::step step = chunk_reader::step::need_more;
  std::string body;
  std::size_t used = 0;
};

outcome read(const std::string& text, std::size_t piece) {
  chunk_reader reader;
  outcome out;
  const auto size = [](std::uint64_t n) { return n <= 1000; };
  const auto data = [&out](const char* d, std::size_t n) {
    out.body.append(d, n);
    return true;
  };
  while (out.used < text.size() && out.step == chunk_reader::step::need_more) {
    std::size_t used = 0;
    const std::size_t n = std::min(piece, text.size() - out.used);
    out.step = reader.feed(text.data() + out.used, n, used, size, data);
    out.used += used;
  }
  return out;
}

} // namespace

TEST_CASE("chunks, whole and in pieces", "[chunks]") {
  using step = chunk_reader::step;
  struct row {
    const char* name;
    std::string text;
    step is;
    std::string body;
  };
  const std::string end = "0\r\n\r\n";
  const row rows[] = {
      {"empty", end, step::complete, ""},
      {"one", "3\r\nabc\r\n" + end, step::complete, "abc"},
      {"several", "3\r\nabc\r\n1\r\nd\r\n" + end, step::complete, "abcd"},
      {"hex of both cases, leading zeros", "000a\r\n0123456789\r\nB\r\n0123456789a\r\n00\r\n\r\n",
       step::complete, "01234567890123456789a"},
      {"line breaks in the data", "4\r\n\r\n\r\n\r\n" + end, step::complete, "\r\n\r\n"},
      {"extensions", "3;a=b;c=\"d e\"\r\nabc\r\n0 ;x\r\n\r\n", step::complete, "abc"},
      {"trailers", "3\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n", step::complete, "abc"},
      {"not over", "3\r\nabc\r\n0\r\n", step::need_more, "abc"},
      {"in a chunk", "5\r\nabc", step::need_more, "abc"},
      {"no size", "\r\nabc\r\n" + end, step::malformed, ""},
      {"extension alone", ";a\r\n" + end, step::malformed, ""},
      {"no digit", "g\r\n" + end, step::malformed, ""},
      {"sign", "-1\r\n" + end, step::malformed, ""},
      {"prefix", "0x1\r\na\r\n" + end, step::malformed, ""},
      {"bare LF after the size", "1\na\r\n" + end, step::malformed, ""},
      {"bare LF in an extension", "1;\n\r\na\r\n" + end, step::malformed, ""},
      {"bare CR after the size", "1\rXa\r\n" + end, step::malformed, ""},
      {"longer than said", "1\r\nab\r\n" + end, step::malformed, "a"},
      {"bare LF after the data", "1\r\na\n" + end, step::malformed, "a"},
      {"bare LF in a trailer", "0\r\nA: b\n\r\n", step::malformed, ""},
      {"bare CR at the end", "0\r\n\rX", step::malformed, ""},
      {"size beyond 64 bits", "10000000000000000\r\n", step::malformed, ""},
      {"size of 64 bits", "ffffffffffffffff\r\n", step::unwanted, ""},
      {"more than wanted", "3e9\r\n", step::unwanted, ""},
      {"endless extension", "1;" + std::string(9000, 'x'), step::malformed, ""},
      {"endless trailers", "0\r\n" + std::string(9000, 'x'), step::malformed, ""},
  };
  for (const auto& r : rows) {
    for (const std::size_t piece :
         {std::size_t{100'000}, std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
      INFO(r.name << " by " << piece);
      const outcome o = read(r.text, piece);
      CHECK(o.step == r.is);
      CHECK(o.body == r.body);
    }
  }
}

TEST_CASE("what follows the last chunk is left", "[chunks]") {
  const std::string text = "1\r\na\r\n0\r\n\r\n";
  CHECK(read(text + "GET / HTTP/1.1\r\n", 1000).used == text.size());
}
