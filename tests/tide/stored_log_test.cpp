// SPDX-License-Identifier: MIT
#include "tide/stored_log.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;

TEST_CASE("a stored event gives its log back", "[stored_log]") {
  const std::string hash(64, 'a'), address(40, 'b');
  const auto data = R"({"event_id":"1:0x","block":{"number":7,"hash":"0x)" + hash +
                    R"(","timestamp":99},"transaction":{"hash":"0x)" + hash +
                    R"(","index":3},"log_index":5,"address":"0x)" + address + R"(","topics":["0x)" +
                    hash + R"("],"data":"0x0102"})";
  const auto kept = log_of_data(data);
  REQUIRE(kept.has_value());
  CHECK(kept->block_time == 99);
  CHECK(kept->log.block.number == 7);
  CHECK(kept->log.tx_index == 3);
  CHECK(kept->log.log_index == 5);
  CHECK(kept->log.topics.size() == 1);
  CHECK(kept->log.data == evm::bytes{1, 2});
  CHECK(place_of_data(data)->log.data == evm::bytes{1, 2});
  CHECK_FALSE(log_of_data("{}").has_value());
  CHECK_FALSE(log_of_data("no JSON").has_value());
  CHECK_FALSE(log_of_data(R"({"block":{"number":-7}})").has_value());
}

TEST_CASE("of a pruned event the place and the contract can still be read", "[stored_log]") {
  const std::string hash(64, 'a'), address(40, 'b');
  const auto data = R"({"event_id":"1:0x","block":{"number":7,"hash":"0x)" + hash +
                    R"(","timestamp":99},"transaction":{"hash":"0x)" + hash +
                    R"(","index":3},"log_index":5,"address":"0x)" + address + R"(","pruned":true})";
  CHECK_FALSE(log_of_data(data).has_value());
  const auto kept = place_of_data(data);
  REQUIRE(kept.has_value());
  CHECK(kept->log.block.number == 7);
  CHECK(kept->log.log_index == 5);
  CHECK(kept->log.address.octets[0] == 0xbb);
  CHECK(kept->log.topics.empty());
  CHECK_FALSE(place_of_data(R"({"pruned":true})").has_value());
}

TEST_CASE("a stored transaction's route", "[stored_log]") {
  const auto data = [](const std::string& to, const std::string& created) {
    return R"({"event_id":"1:0xaa:tx","kind":"transaction","chain_id":1,"subscriptions":["eth","all"],)"
           R"("to":)" +
           to + R"(,"created":)" + created + "}";
  };
  const std::vector<std::string> having{"eth", "all"};
  recipient r;
  r.name = "app";
  r.subscriptions = {"all"};
  struct row {
    order_by order;
    const char* key;
  };
  const row rows[] = {{order_by::chain, "1"},
                      {order_by::contract, "1:0xbb"},
                      {order_by::argument, "1:0xbb"},
                      {order_by::subscription, "1:all"},
                      {order_by::none, "1:0xaa:tx"}};
  for (const auto& one : rows) {
    r.order = one.order;
    const auto route = route_of_transaction(r, data(R"("0xbb")", "null"), having);
    REQUIRE(route.has_value());
    CHECK(route->key == one.key);
    CHECK(route->subscription == "all");
  }
  r.order = order_by::contract;
  CHECK(route_of_transaction(r, data("null", R"("0xcc")"), having)->key == "1:0xcc");
  r.subscriptions = {"other"};
  CHECK_FALSE(route_of_transaction(r, data("null", "null"), having).has_value());
  CHECK_FALSE(route_of_transaction(r, R"({"kind":"log"})", having).has_value());
  r.subscriptions = {"later"}; // it has the event too, though its JSON was made before
  CHECK(route_of_transaction(r, data("null", R"("0xcc")"), {"eth", "later"})->subscription ==
        "later");
}

TEST_CASE("what a later reading adds to stored data stands behind it", "[stored_log]") {
  const auto data = [](const std::string& names, const std::string& policies) {
    return R"({"event_id":"1:0x","subscriptions":[)" + names +
           R"(],"event":"Transfer","args":{"v":)"
           R"("115792089237316195423570985008687907853269984665640564039457584007913129639935"},)"
           R"("confirmations":[)" +
           policies + R"(],"head":1})";
  };
  const std::string twelve = R"({"policy":"p","blocks":12,"tag":null})",
                    deeper = R"({"policy":"p","blocks":24,"tag":null})",
                    final_too = R"({"policy":null,"blocks":0,"tag":"finalized"})";
  const auto held = data(R"("a")", twelve);
  CHECK_FALSE(amended(held, held));
  CHECK(amended(held, data(R"("b","a")", twelve)) == data(R"("a","b")", twelve));
  CHECK(amended(held, data(R"("a")", final_too + ',' + twelve)) ==
        data(R"("a")", twelve + ',' + final_too));
  // The same name with another value since: both were waited for.
  CHECK(amended(held, data(R"("a")", deeper)) == data(R"("a")", twelve + ',' + deeper));
  // One that the config does not have any more is no addition.
  CHECK_FALSE(amended(data(R"("a","b")", twelve + ',' + final_too), held));
  CHECK(amended(data(R"("gone")", twelve), held) == data(R"("gone","a")", twelve));
  for (const char* none : {"", "{}", "no JSON", R"({"subscriptions":1,"confirmations":[]})"}) {
    CHECK_FALSE(amended(held, none));
    CHECK_FALSE(amended(none, held));
  }
}
