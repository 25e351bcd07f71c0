// SPDX-License-Identifier: MIT
#include "tide/notice.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;

namespace {

envelope around() {
  envelope e;
  e.instance = "main";
  e.handler = "app";
  e.key = "1:0xaa";
  e.sequence = 7;
  e.epoch = 2;
  return e;
}

} // namespace

TEST_CASE("a gap has the place of what it replaces", "[notice]") {
  gap g;
  g.reason = gap_reason::skipped;
  g.ids = {"1_0x_1_c1"};
  g.count = 1;
  g.by = "ops";
  g.chain = "ethereum";
  g.from_block = g.to_block = 9;
  const auto n = gap_notice(g, 3, 7, 1'700'000'000'500);
  CHECK(
      compose_notice(n, around()) ==
      R"({"specversion":"1.0","id":"gap_3_7_1700000000500","source":"/tidemark/main/app",)"
      R"("type":"tidemark.gap","time":"2023-11-14T22:13:20Z","datacontenttype":"application/json",)"
      R"("partitionkey":"1:0xaa","sequence":"00000000000000000007","epoch":2,"data":)"
      R"({"ids":["1_0x_1_c1"],"count":1,"reason":"skipped","by":"ops","chain":"ethereum",)"
      R"("from_block":9,"to_block":9}})");
}

TEST_CASE("an epoch and a ping have neither key nor sequence", "[notice]") {
  const auto epoch = epoch_notice(2, 1, "restore", {{"ethereum", std::nullopt}}, 1'000);
  CHECK(
      compose_notice(epoch, around()) ==
      R"({"specversion":"1.0","id":"epoch_2","source":"/tidemark/main/app",)"
      R"("type":"tidemark.epoch","time":"1970-01-01T00:00:01Z","datacontenttype":"application/json",)"
      R"("data":{"epoch":2,"previous":1,"reason":"restore","chains":{"ethereum":null}}})");
  const auto ping = compose_notice(ping_notice(1, 5), around());
  CHECK(ping.find(R"("id":"ping_5_1")") != ping.npos);
  CHECK(ping.find("sequence") == ping.npos);
}

TEST_CASE("a notice is the same when it was stored", "[notice]") {
  const auto n = epoch_notice(2, 1, "order_by", {}, 99);
  const auto back = notice_of_row(to_row(n));
  REQUIRE(back);
  CHECK(back->is == n.is);
  CHECK(back->id == n.id);
  CHECK(back->at == n.at);
  CHECK(back->data == n.data);
  for (const char* bad : {"", "7\nx\n1\n{}", "0\nx", "0\nx\ny\n{}"})
    CHECK_FALSE(notice_of_row(bad));
}
