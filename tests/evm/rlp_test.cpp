// SPDX-License-Identifier: MIT
#include "evm/rlp.hpp"

#include "evm/hex.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

using namespace tidemark::evm;

namespace {

std::string item(std::string_view text) {
  bytes out;
  append_rlp(out, bytes(text.begin(), text.end()));
  return to_hex(out);
}
std::string number(std::uint64_t n) {
  bytes out;
  append_rlp(out, n);
  return to_hex(out);
}
bytes list(std::initializer_list<bytes> items) {
  bytes all, out;
  for (const auto& i : items)
    all.insert(all.end(), i.begin(), i.end());
  append_rlp_list(out, all);
  return out;
}
bytes text(std::string_view t) {
  bytes out;
  append_rlp(out, bytes(t.begin(), t.end()));
  return out;
}
std::string head_of_item(std::size_t size) {
  const auto all = item(std::string(size, 'x'));
  return all.substr(0, all.size() - 2 * size);
}
std::string head_of_list(std::size_t size) {
  bytes out;
  append_rlp_list_head(out, size);
  return to_hex(out);
}

} // namespace

TEST_CASE("rlp: items") {
  using namespace std::literals;
  CHECK(item("") == "0x80");
  CHECK(item("\0"sv) == "0x00");
  CHECK(item("\x0f") == "0x0f");
  CHECK(item("\x7f") == "0x7f");
  CHECK(item("\x80") == "0x8180");
  CHECK(item("\xff") == "0x81ff");
  CHECK(item("\x04\0"sv) == "0x820400");
  CHECK(item("dog") == "0x83646f67");
  CHECK(item("Lorem ipsum dolor sit amet, consectetur adipisicing elit") ==
        "0xb8384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e7365637465747572206164"
        "6970697369636"
        "96e6720656c6974");
}

TEST_CASE("rlp: numbers") {
  const struct {
    std::uint64_t n;
    const char* is;
  } rows[] = {{0, "0x80"},
              {1, "0x01"},
              {15, "0x0f"},
              {127, "0x7f"},
              {128, "0x8180"},
              {255, "0x81ff"},
              {256, "0x820100"},
              {1024, "0x820400"},
              {0xffffff, "0x83ffffff"},
              {0x100000000, "0x850100000000"},
              {0x8000000000000000, "0x888000000000000000"},
              {0xffffffffffffffff, "0x88ffffffffffffffff"}};
  for (const auto& row : rows)
    CHECK(number(row.n) == row.is);
}

TEST_CASE("rlp: lists") {
  CHECK(to_hex(list({})) == "0xc0");
  CHECK(to_hex(list({text("cat"), text("dog")})) == "0xc88363617483646f67");
  // The set of three: [ [], [[]], [ [], [[]] ] ].
  const auto none = list({}), one = list({none});
  CHECK(to_hex(list({none, one, list({none, one})})) == "0xc7c0c1c0c3c0c1c0");
  CHECK(to_hex(list({text("zw"), list({bytes{4}}), bytes{1}})) == "0xc6827a77c10401");
}

TEST_CASE("rlp: heads by size") {
  CHECK(head_of_item(55) == "0xb7");
  CHECK(head_of_item(56) == "0xb838");
  CHECK(head_of_item(255) == "0xb8ff");
  CHECK(head_of_item(256) == "0xb90100");
  CHECK(head_of_item(65'536) == "0xba010000");
  CHECK(head_of_list(0) == "0xc0");
  CHECK(head_of_list(55) == "0xf7");
  CHECK(head_of_list(56) == "0xf838");
  CHECK(head_of_list(1024) == "0xf90400");
  CHECK(head_of_list(0x1'00'00'00) == "0xfb01000000");
}

TEST_CASE("rlp: what is written before stays") {
  bytes out{1, 2};
  append_rlp(out, std::uint64_t{1024});
  append_rlp_list(out, bytes{0x80});
  CHECK(to_hex(out) == "0x0102820400c180");
}
