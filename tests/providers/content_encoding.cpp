// SPDX-License-Identifier: MIT
#include "providers/content_encoding.hpp"

#include <catch2/catch.hpp>
#include <zlib.h>

using namespace tidemark::providers;

namespace {

std::string deflated(const std::string& text, int window) {
  z_stream s{};
  REQUIRE(deflateInit2(&s, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&s, text.size()) + 64, '\0');
  std::string in = text;
  s.next_in = reinterpret_cast<Bytef*>(in.data());
  s.avail_in = static_cast<uInt>(in.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&s, Z_FINISH) == Z_STREAM_END);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

std::string gzip(const std::string& text) { return deflated(text, 15 + 16); }

std::string large() {
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i)
    text += std::to_string(i * 7919) + ",";
  return text;
}

} // namespace

TEST_CASE("every encoding that a body may have") {
  for (const std::string& text : {std::string{}, std::string{"{}"}, large()}) {
    CHECK(inflate("gzip", gzip(text), 200'000).value() == text);
    CHECK(inflate("GZip", gzip(text), 200'000).value() == text);
    CHECK(inflate("x-gzip", gzip(text), 200'000).value() == text);
    CHECK(inflate("deflate", deflated(text, 15), 200'000).value() == text);
    CHECK(inflate("deflate", deflated(text, -15), 200'000).value() == text);
    CHECK(inflate("identity", text, 200'000).value() == text);
    CHECK(inflate("", text, 200'000).value() == text);
  }
  CHECK(inflate("gzip", gzip("one ") + gzip("") + gzip("two"), 7).value() == "one two");
  CHECK(is_identity("Identity"));
  CHECK_FALSE(is_identity("gzip"));
}

TEST_CASE("an encoding that is none of ours") {
  for (const auto* name : {"br", "zstd", "compress", "gzip, gzip", "gzip,identity", " gzip", "*"}) {
    INFO(name);
    const auto out = inflate(name, gzip("{}"), 100);
    REQUIRE_FALSE(out.has_value());
    CHECK(out.error() == inflate_refusal::unknown_encoding);
  }
}

TEST_CASE("a body that does not inflate") {
  const auto whole = gzip(large());
  auto flipped = whole;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x10);
  auto wrong_sum = whole;
  wrong_sum[wrong_sum.size() - 6] = static_cast<char>(wrong_sum[wrong_sum.size() - 6] ^ 1);
  for (const auto& body :
       {std::string{}, std::string{"{}"}, whole.substr(0, 5), whole.substr(0, whole.size() / 2),
        whole.substr(0, whole.size() - 1), whole + "x", whole + whole.substr(0, 9), flipped,
        wrong_sum, deflated("{}", 15)}) {
    const auto out = inflate("gzip", body, 1'000'000);
    REQUIRE_FALSE(out.has_value());
    CHECK(out.error() == inflate_refusal::damaged);
  }
  for (const auto& body :
       {std::string{}, std::string{"{\"a\":1}"}, deflated("{}", 15) + "x",
        deflated("{}", 15) + deflated("{}", 15), deflated(large(), -15).substr(0, 100), whole}) {
    const auto out = inflate("deflate", body, 1'000'000);
    REQUIRE_FALSE(out.has_value());
    CHECK(out.error() == inflate_refusal::damaged);
  }
}

TEST_CASE("the limit is on what comes out") {
  const auto text = large();
  CHECK(inflate("gzip", gzip(text), text.size()).has_value());
  CHECK(inflate("identity", text, text.size()).has_value());
  const std::string blanks(64U << 20, ' ');
  for (const auto& out :
       {inflate("gzip", gzip(text), text.size() - 1), inflate("gzip", gzip(blanks), 4U << 20),
        inflate("deflate", deflated(blanks, 15), 0), inflate("gzip", gzip("a") + gzip("b"), 1),
        inflate("identity", text, text.size() - 1)}) {
    REQUIRE_FALSE(out.has_value());
    CHECK(out.error() == inflate_refusal::too_large);
  }
}
