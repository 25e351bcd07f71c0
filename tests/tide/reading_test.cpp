// SPDX-License-Identifier: MIT
#include "tests/tide/reading_world.hpp"

#include <boost/json/serialize.hpp>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

TEST_CASE("reading a head: with the tags that are asked for") {
  endpoint e;
  e.tag("latest") = to_json(block_of(19).header);
  e.tag("safe") = to_json(block_of(15).header);
  e.tag("finalized") = to_json(block_of(12).header);
  auto a = e.done<head_answer>(ask_head{});
  CHECK(a.head.id() == id_of(19));
  CHECK_FALSE(a.safe);
  CHECK_FALSE(a.finalized);
  CHECK(e.stages == sizes{1});
  a = e.done<head_answer>(ask_head{true, true});
  CHECK(a.safe == id_of(15));
  CHECK(a.finalized == id_of(12));
  a = e.done<head_answer>(ask_head{false, true});
  CHECK_FALSE(a.safe);
  CHECK(a.finalized == id_of(12));
  a = e.done<head_answer>(ask_head{true, false});
  CHECK(a.safe == id_of(15));
  CHECK_FALSE(a.finalized);
  CHECK(e.stages == sizes{1, 3, 2, 2});
}

TEST_CASE("reading a head: a tag that is null, an error or nonsense is absent") {
  for (const char* said :
       {"null", "!unknown block", "!finalized block not found", "{}", "5", "[]"}) {
    CAPTURE(said);
    endpoint e;
    e.tag("latest") = to_json(block_of(19).header);
    e.tag("safe") = e.tag("finalized") = said;
    const auto a = e.done<head_answer>(ask_head{true, true});
    CHECK(a.head.id() == id_of(19));
    CHECK_FALSE(a.safe);
    CHECK_FALSE(a.finalized);
  }
}

TEST_CASE("reading a head: without one it fails") {
  endpoint e;
  CHECK(e.failed(ask_head{}) == "a passing failure: the block header is no object");
  e.tag("latest") = "!slow down, too many requests";
  CHECK(e.failed(ask_head{true, true}) == "rate limited: slow down, too many requests");
  auto h = boost::json::parse(to_json(block_of(19).header));
  h.as_object().erase("hash");
  e.tag("latest") = boost::json::serialize(h);
  CHECK(e.failed(ask_head{}) == "a passing failure: the block header has no hash");
}

TEST_CASE("reading headers: by number, ascending, all at once") {
  endpoint e;
  const auto a = e.done<headers_answer>(ask_headers{11, 17});
  REQUIRE(a.headers.size() == 7);
  for (std::size_t i = 0; i < 7; ++i)
    CHECK(a.headers[i].id() == id_of(11 + i));
  CHECK(e.stages == sizes{7});
  CHECK(e.done<headers_answer>(ask_headers{12, 12}).headers.size() == 1);
  reading r(ask_headers{11, 17}, {});
  e.run(r);
  CHECK(r.highest() == 17);
  CHECK(r.span() == 0);
}

TEST_CASE("reading headers: null is ahead, another height or nonsense a failure") {
  endpoint e;
  CHECK(e.failed(ask_headers{20, 21}) == "ahead of that endpoint: it has no block 20 (yet)");
  CHECK(e.done<headers_answer>(ask_headers{18, 21}).headers.size() == 2); // it ends early
  e.header(15) = to_json(block_of(16).header);
  CHECK(e.failed(ask_headers{14, 16}) ==
        "a passing failure: asked for block 15, it answered with 16");
  e.header(15) = "!pruned history unavailable";
  CHECK(e.failed(ask_headers{14, 16}) == "history it has dropped: pruned history unavailable");
  e.header(15) = "[]";
  CHECK(e.failed(ask_headers{14, 16}) == "a passing failure: the block header is no object");
}

TEST_CASE("reading a range: headers, the filtered logs, the last header once more") {
  endpoint e;
  const auto logs = block_of(12, 2).logs;
  interest::filter filter{{logs[0].address}, {logs[0].topics[0]}};
  e.of(call_logs(11, 15, filter)) = to_json(logs);
  reading r(ask_range{11, 15, filter}, {});
  REQUIRE(e.run(r) == step::done);
  CHECK(e.stages == sizes{1, 5, 1});
  CHECK(r.span() == 5);
  CHECK(r.logs() == 2);
  CHECK(r.highest() == 15);
  const auto a = std::get<range_answer>(r.answer());
  CHECK(a.headers.size() == 5);
  CHECK(a.headers.front().id() == id_of(11));
  CHECK(a.logs == logs);
  CHECK(a.last_again == id_of(15));
  CHECK(e.heard.back() == e.heard.front()); // the last header, once more
}

TEST_CASE("reading a range: no longer than the endpoint's span, from the same place") {
  endpoint e;
  e.range(11, 13) = "[]";
  const auto a = e.done<range_answer>(ask_range{11, 19, {}}, {3});
  CHECK(a.headers.size() == 3);
  CHECK(a.headers.front().number == 11);
  CHECK(a.last_again == id_of(13));
  CHECK(e.count("latest") == 0);
  e.range(11, 11) = "[]";
  CHECK(e.done<range_answer>(ask_range{11, 19, {}}, {0}).headers.size() == 1);
}

TEST_CASE("reading a range: too big fails with the endpoint's words, and one block has receipts") {
  endpoint e;
  e.range(11, 15) = too_big;
  CHECK(e.failed(ask_range{11, 15, {}}) == "too big: query returned more than 10000 results");
  reading r(ask_range{11, 15, {}}, {});
  e.run(r);
  CHECK(r.text() == too_big.substr(1));
  CHECK(r.span() == 5);

  e = {};
  e.range(11, 11) = too_big;
  const auto a = e.done<range_answer>(ask_range{11, 11, {}});
  CHECK(a.logs == block_of(11, 2).logs);
  CHECK(a.last_again == id_of(11));
  CHECK(e.stages == sizes{1, 1, 1, 1});
  e.receipts(id_of(11)) = "[]";
  CHECK(e.failed(ask_range{11, 11, {}}).find("it has 0 receipts for the 2 transactions") !=
        std::string::npos);
}

TEST_CASE("reading a range: a head that moves meanwhile is told") {
  endpoint e;
  e.range(11, 15) = "[]";
  reading r(ask_range{11, 15, {}}, {});
  step s = step::more;
  while (s == step::more) {
    for (std::size_t i = 0; i < r.calls().size(); ++i)
      REQUIRE(r.take(i, e.answer(r.calls()[i])));
    e.header(15) = to_json(block_of(15, 0, 'B').header);
    s = r.next();
  }
  REQUIRE(s == step::done);
  const auto a = std::get<range_answer>(r.answer());
  CHECK(a.headers.back().id() == id_of(15));
  CHECK(a.last_again == id_of(15, 'B'));
  endpoint gone;
  gone.range(11, 15) = "[]";
  reading left(ask_range{11, 15, {}}, {});
  s = step::more;
  bool took = true;
  while (s == step::more && took) {
    for (std::size_t i = 0; i < left.calls().size(); ++i)
      took = took && left.take(i, gone.answer(left.calls()[i]));
    gone.header(15) = "null";
    if (took) s = left.next();
  }
  CHECK_FALSE(took);
  CHECK(left.text() == "it has no block 15 (yet)");
  CHECK(left.failure() == rpc_failure::ahead);
}

TEST_CASE("reading receipts: as asked, absent where there is none") {
  endpoint e;
  const auto b = block_of(12, 2);
  const auto a = e.done<receipts_answer>(
      ask_receipts{{b.header.transactions[1], tx_of(1), b.header.transactions[0]}});
  REQUIRE(a.receipts.size() == 3);
  REQUIRE(a.receipts[0]);
  CHECK(a.receipts[0]->tx == b.header.transactions[1]);
  CHECK(a.receipts[0]->logs == std::vector{b.logs[1]});
  CHECK_FALSE(a.receipts[1]);
  CHECK(a.receipts[2]->tx == b.header.transactions[0]);
  CHECK(e.stages == sizes{3});
  e.receipt(tx_of(1)) = receipt_json(b, 0);
  CHECK(e.failed(ask_receipts{{tx_of(1)}}) ==
        "a passing failure: it answered with another transaction's receipt");
  e.receipt(tx_of(1)) = "!transaction indexing is in progress";
  CHECK(e.failed(ask_receipts{{tx_of(1)}}) ==
        "ahead of that endpoint: transaction indexing is in progress");
  e.receipt(tx_of(1)) = "{}";
  CHECK(e.failed(ask_receipts{{tx_of(1)}}) ==
        "a passing failure: a receipt has no transactionHash");
}
