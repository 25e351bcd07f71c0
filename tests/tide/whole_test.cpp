// SPDX-License-Identifier: MIT
#include "tide/whole.hpp"

#include "tests/tide/rpc_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

namespace {

block_reading reading_of(const made_block& b) { return {b.header, b.logs, false, {}}; }

/// Part of the error, or "fine".
std::string says(const evm::result<void>& r) { return r ? "fine" : r.error().text; }
std::string says(const std::optional<objection>& no) { return no ? no->text : "fine"; }

std::optional<objection> prove_whole(block_reading& b, proof asked, const chain_ways& ways = {}) {
  return object_to(b, asked, ways);
}
evm::result<void> check(range_answer& r, std::uint64_t from, std::uint64_t to) {
  return check_range(r, from, to, {}, true);
}

struct row {
  const char* name;
  std::function<void(block_reading&)> spoil;
  std::string says; ///< a part of it
};

void check(const std::vector<row>& rows, proof asked) {
  for (const auto& r : rows) {
    CAPTURE(r.name);
    auto b = reading_of(block_of(20, 4));
    r.spoil(b);
    const auto said = says(prove_whole(b, asked));
    CAPTURE(said);
    CHECK(said.find(r.says) != std::string::npos);
  }
}

const auto drop_last = [](block_reading& b) { b.logs.pop_back(); };
const auto drop_first = [](block_reading& b) { b.logs.erase(b.logs.begin()); };
const auto drop_all = [](block_reading& b) { b.logs.clear(); };
const auto another_topic = [](block_reading& b) { b.logs[1].topics = {hash_of(9, 'z')}; };
const auto another_address = [](block_reading& b) { b.logs[1].address.octets[0] = 77; };
const auto one_more = [](block_reading& b) {
  auto l = b.logs.back();
  l.log_index = 4;
  l.topics = {hash_of(9, 'z')};
  b.logs.push_back(l);
};

} // namespace

TEST_CASE("whole: a block proves itself, in any order and with equal doubles") {
  auto b = reading_of(block_of(20, 6));
  const auto sorted = b.logs;
  std::reverse(b.logs.begin(), b.logs.end());
  b.logs.push_back(b.logs[2]);
  b.logs.push_back(b.logs[0]);
  CHECK(says(prove_whole(b, proof::bloom)) == "fine");
  CHECK(b.logs == sorted);
  auto empty = reading_of(block_of(20));
  CHECK(says(prove_whole(empty, proof::bloom)) == "fine");
}

TEST_CASE("whole: what cannot be, whatever is asked for") {
  const std::vector<row> rows{
      {"a foreign block", [](block_reading& b) { b.logs[1].block.hash = hash_of(20, 'B'); },
       "its header says 20 " + evm::to_hex(hash_of(20, 'A'))},
      {"a foreign height", [](block_reading& b) { b.logs[1].block.number = 21; },
       "a log says block 21"},
      {"a double that differs",
       [](block_reading& b) {
         b.logs.push_back(b.logs[1]);
         b.logs.back().data = {42};
       },
       "two different logs claim index 1"},
      {"equal doubles around another",
       [](block_reading& b) {
         const auto a = b.logs[1];
         auto other = a;
         other.data = {42};
         b.logs.push_back(other);
         b.logs.push_back(a);
       },
       "two different logs claim index 1"},
  };
  for (const auto asked : {proof::none, proof::bloom})
    check(rows, asked);
}

TEST_CASE("whole: what the bloom and the indexes prove") {
  check(
      {
          {"the last log is left out", drop_last, "bloom"},
          {"all are", drop_all, "bloom"},
          {"the first is", drop_first, "its log 0 has index 1"},
          {"a hole", [](block_reading& b) { b.logs.erase(b.logs.begin() + 2); },
           "its log 2 has index 3"},
          {"indexes from 1",
           [](block_reading& b) {
             for (auto& l : b.logs)
               ++l.log_index;
           },
           "its log 0 has index 1"},
          {"another topic", another_topic, "bloom"},
          {"another address", another_address, "bloom"},
          {"a log more", one_more, "bloom"},
      },
      proof::bloom);
  // What a bloom cannot see: the last of two logs with the same address and topics.
  auto b = reading_of(block_of(20, 4));
  b.logs[3].topics = b.logs[2].topics;
  b.header.logs_bloom = bloom_of(b.logs);
  b.logs.pop_back();
  CHECK(says(prove_whole(b, proof::bloom)) == "fine");
}

TEST_CASE("whole: nothing is proved where nothing is asked for") {
  check({{"some logs", drop_first, "fine"},
         {"no logs", drop_all, "fine"},
         {"another topic", another_topic, "fine"}},
        proof::none);
}

TEST_CASE("whole: odd transaction indexes") {
  // The hash counts, wherever it stands in the list.
  check(
      {
          {"numbered oddly",
           [](block_reading& b) { std::swap(b.logs[0].tx_index, b.logs[1].tx_index); }, "fine"},
          {"a synthetic one behind the list",
           [](block_reading& b) {
             b.logs[3].tx = tx_of(1);
             b.logs[3].tx_index = 4;
           },
           "which the block does not list"},
          {"a foreign one", [](block_reading& b) { b.logs[1].tx = tx_of(1); },
           "which the block does not list"},
      },
      proof::bloom);
  // Some chains leave synthetic ones out of their blocks: `none` is for them.
  check({{"a foreign one", [](block_reading& b) { b.logs[1].tx = tx_of(1); }, "fine"}},
        proof::none);
}

TEST_CASE("whole: the first index of each transaction") {
  const auto id = id_of(1);
  const auto first = first_index_by_transaction(
      {log_of(id, 3, 2), log_of(id, 0, 1), log_of(id, 2, 2), log_of(id, 1, 1)});
  CHECK(first.size() == 2);
  CHECK(first.at(tx_of(1)) == 0);
  CHECK(first.at(tx_of(2)) == 2);
  CHECK(first_index_by_transaction({}).empty());
}

namespace {

range_answer range_of(std::uint64_t from, std::uint64_t to) {
  range_answer r;
  for (auto n = from; n <= to; ++n) {
    const auto b = block_of(n, 2);
    r.headers.push_back(b.header);
    r.logs.insert(r.logs.end(), b.logs.begin(), b.logs.end());
  }
  r.last_again = r.headers.back().id();
  return r;
}

} // namespace

TEST_CASE("range: sorted, equal doubles dropped, part of the logs is enough") {
  auto r = range_of(10, 14);
  const auto sorted = r.logs;
  std::reverse(r.logs.begin(), r.logs.end());
  r.logs.push_back(r.logs[3]);
  CHECK(says(check(r, 10, 14)) == "fine");
  CHECK(r.logs == sorted);
  r.logs.erase(r.logs.begin() + 1);
  CHECK(says(check(r, 10, 14)) == "fine");
  r.logs.clear();
  CHECK(says(check(r, 10, 14)) == "fine");
  auto one = range_of(0, 0);
  CHECK(says(check(one, 0, 0)) == "fine");
}

TEST_CASE("range: what cannot be") {
  struct spoiled {
    const char* name;
    std::function<void(range_answer&)> spoil;
    const char* says;
  };
  const spoiled rows[] = {
      {"no headers", [](range_answer& r) { r.headers.clear(); }, "the answer has no headers"},
      {"a gap", [](range_answer& r) { r.headers.erase(r.headers.begin() + 2); },
       "mixes forks: block 13"},
      {"a header below",
       [](range_answer& r) { r.headers.insert(r.headers.begin(), block_of(9).header); },
       "other blocks than those asked for"},
      {"a header above", [](range_answer& r) { r.headers.push_back(block_of(15).header); },
       "other blocks than those asked for"},
      {"one twice", [](range_answer& r) { r.headers.insert(r.headers.begin(), r.headers[0]); },
       "mixes forks: block 10"},
      {"a mix of forks", [](range_answer& r) { r.headers[2] = block_of(12, 0, 'B').header; },
       "mixes forks: block 12"},
      {"a fork from the middle",
       [](range_answer& r) {
         for (std::size_t i = 2; i < 5; ++i)
           r.headers[i] = block_of(10 + i, 0, 'B').header;
       },
       "mixes forks: block 12"},
      {"a head that moved", [](range_answer& r) { r.last_again = id_of(14, 'B'); },
       "the chain moved while it was read: block 14"},
      {"another last block", [](range_answer& r) { r.last_again = id_of(13); }, "the chain moved"},
      {"a log of the other fork", [](range_answer& r) { r.logs[4].block.hash = hash_of(12, 'B'); },
       "a log says block 12"},
      {"a log below", [](range_answer& r) { r.logs[0].block = id_of(9); }, "a log of block 9 "},
      {"a log above", [](range_answer& r) { r.logs[9].block = id_of(15); }, "a log of block 15 "},
      {"a log at the other end",
       [](range_answer& r) { r.logs[0].block.number = 18446744073709551615u; },
       "was not asked for"},
      {"a foreign transaction", [](range_answer& r) { r.logs[4].tx = tx_of(1); },
       "which the block does not list"},
      {"doubles that differ",
       [](range_answer& r) {
         r.logs.push_back(r.logs[4]);
         r.logs.back().data = {99};
       },
       "two different logs claim index 0 of block 12"},
  };
  for (const auto& s : rows) {
    CAPTURE(s.name);
    auto r = range_of(10, 14);
    s.spoil(r);
    const auto said = says(check(r, 10, 14));
    CAPTURE(said);
    CHECK(said.find(s.says) != std::string::npos);
  }
}
