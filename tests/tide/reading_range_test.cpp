// SPDX-License-Identifier: MIT
#include "tests/tide/reading_world.hpp"

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

namespace {

/// Block n with the one before `gap` heights lower: those between are void.
std::string after_gap(std::uint64_t n, std::uint64_t gap) {
  auto b = block_of(n, 2);
  b.header.parent = id_of(n - gap - 1).hash;
  return to_json(b.header);
}

std::vector<std::uint64_t> heights(const std::vector<evm::header>& headers) {
  std::vector<std::uint64_t> out;
  for (const auto& h : headers)
    out.push_back(h.number);
  return out;
}
using numbers = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("reading headers: a height that no parent names is void") {
  struct row {
    const char* name;
    numbers nulls;
    std::uint64_t jumps = 0, over = 0; ///< this block's parent is so many heights lower
    numbers of_headers;                ///< 11 to 16; none: ahead
    numbers of_range;                  ///< the same
  };
  const row rows[] = {
      {"one", {13}, 14, 1, {11, 12, 14, 15, 16}, {11, 12, 14, 15, 16}},
      {"three", {12, 13, 14}, 15, 3, {11, 15, 16}, {11, 15, 16}},
      {"a null that nobody jumps over", {13}, 0, 0, {}, {}},
      {"jumped over another one", {13, 14}, 15, 1, {}, {}},
      {"the first", {11}, 12, 1, {12, 13, 14, 15, 16}, {12, 13, 14, 15, 16}},
      {"the last", {16}, 0, 0, {11, 12, 13, 14, 15}, {11, 12, 13, 14, 15}},
      {"the last three", {14, 15, 16}, 0, 0, {11, 12, 13}, {11, 12, 13}},
      {"inside and at the end", {12, 16}, 13, 1, {11, 13, 14, 15}, {11, 13, 14, 15}},
      {"all but the first", {12, 13, 14, 15, 16}, 0, 0, {11}, {11}},
      {"all", {11, 12, 13, 14, 15, 16}, 0, 0, {}, {}},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    endpoint e;
    if (r.jumps > 0) e.header(r.jumps) = after_gap(r.jumps, r.over);
    for (const auto n : r.nulls)
      e.header(n) = "null";
    if (r.of_headers.empty())
      CHECK(e.failed(ask_headers{11, 16}).find("ahead of that endpoint: it has no block ") == 0);
    else
      CHECK(heights(e.done<headers_answer>(ask_headers{11, 16}).headers) == r.of_headers);
    for (std::uint64_t to = 11; to <= 16; ++to)
      e.range(11, to) = "[]";
    if (r.of_range.empty()) {
      CHECK(e.failed(ask_range{11, 16, {}}).find("ahead of that endpoint: it has no block ") == 0);
      continue;
    }
    e.heard.clear();
    const auto a = e.done<range_answer>(ask_range{11, 16, {}});
    CHECK(heights(a.headers) == r.of_range);
    CHECK(a.last_again == id_of(r.of_range.back()));
    // The logs end where the headers do, which was read before them and is read after them.
    const auto last = call_block_by_number(r.of_range.back());
    const auto logs = call_logs(11, r.of_range.back(), {});
    const auto first_read = std::find(e.heard.begin(), e.heard.end(), last.method + last.params);
    const auto logs_read = std::find(e.heard.begin(), e.heard.end(), logs.method + logs.params);
    CHECK(first_read < logs_read);
    CHECK(logs_read != e.heard.end());
    CHECK(e.heard.back() == last.method + last.params);
  }
}

TEST_CASE("reading a range: the span that was read is told") {
  endpoint e;
  e.header(16) = "null";
  e.range(11, 15) = "[]";
  reading r(ask_range{11, 16, {}}, {});
  CHECK(r.span() == 6);
  REQUIRE(e.run(r) == step::done);
  CHECK(r.span() == 5);
}

TEST_CASE("reading a range: as many heights as the endpoint takes at once may be void") {
  struct row {
    const char* name;
    std::uint64_t span, voids, to; ///< void from 11 on
    numbers headers;               ///< none: ahead
    std::uint64_t logs_from;
  };
  const row rows[] = {
      {"one block a call", 1, 1, 30, {12}, 12},
      {"more than are looked at first", 1, 12, 30, {23}, 23},
      {"three a call", 3, 3, 30, {14}, 14},
      {"three a call, five void", 3, 5, 30, {16}, 16},
      {"three a call, two void", 3, 2, 30, {13}, 11},
      {"up to the end of what was asked for", 1, 2, 13, {13}, 13},
      {"nothing above that was asked for", 1, 3, 13, {}, 0},
      {"nothing at all", 1, 1, 11, {}, 0},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    endpoint e;
    for (auto n = 11 + r.voids; n <= 60; ++n)
      e.header(n) = after_gap(n, n == 11 + r.voids ? r.voids : 0);
    for (auto n = std::uint64_t{11}; n < 11 + r.voids; ++n)
      e.header(n) = "null";
    reading in(ask_range{11, r.to, {}}, {.span = r.span});
    if (r.headers.empty()) {
      REQUIRE(e.run(in) == step::failed);
      CHECK(in.failure() == rpc_failure::ahead);
      continue;
    }
    e.range(r.logs_from, r.headers.back()) = "[]";
    REQUIRE(e.run(in) == step::done);
    CHECK(in.span() <= r.span); // that more would work was not seen
    CHECK(heights(std::get<range_answer>(in.answer()).headers) == r.headers);
  }
}

TEST_CASE("reading a range: 2,000 blocks, linear") {
  // Calls and answers are made once; what is counted is how often each is looked at.
  endpoint e;
  for (std::uint64_t n = 0; n < 2'000; ++n)
    e.set(block_of(10 + n, 1));
  e.range(10, 2'009) = "[]";
  const auto a = e.done<range_answer>(ask_range{10, 2'009, {}});
  CHECK(a.headers.size() == 2'000);
  CHECK(e.stages == sizes{1, 2'000, 1});
  CHECK(e.heard.size() == 2'002);
}

TEST_CASE("reading votes: the head, the tags and one height, in one go") {
  endpoint e;
  e.tag("latest") = to_json(block_of(19).header);
  e.tag("finalized") = to_json(block_of(12).header);
  e.tag("safe") = "!-39001 Unknown block";
  auto a = e.done<votes_answer>(ask_votes{true, true, 15});
  REQUIRE(a.votes.size() == 1);
  CHECK(a.votes[0].says.head.id() == id_of(19));
  CHECK_FALSE(a.votes[0].says.safe);
  CHECK(a.votes[0].says.finalized == id_of(12));
  REQUIRE(a.votes[0].there);
  CHECK(a.votes[0].there->id() == id_of(15));
  CHECK(e.stages == sizes{4});
  for (const char* said : {"null", "!Unknown block", "!pruned history unavailable"}) {
    e.header(15) = said;
    a = e.done<votes_answer>(ask_votes{false, false, 15});
    CHECK_FALSE(a.votes[0].there);
  }
  CHECK_FALSE(e.done<votes_answer>(ask_votes{}).votes[0].there);
  e.header(15) = "!boom";
  CHECK(e.failed(ask_votes{false, false, 15}) == "a passing failure: boom");
  e.header(15) = to_json(block_of(16).header);
  CHECK(e.failed(ask_votes{false, false, 15}).find("it answered with 16") != std::string::npos);
}
