// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/hex.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <functional>

using namespace tidemark;
using namespace tidemark::tide;
namespace json = boost::json;

namespace {

evm::address20 account(std::uint8_t n) {
  evm::address20 a;
  a.octets[19] = n;
  return a;
}
evm::hash32 hash_of(std::uint8_t n) {
  evm::hash32 h;
  h.octets[31] = n;
  return h;
}

/// 5 wei from account 1 to account 2.
evm::transaction sent() {
  evm::transaction t;
  t.hash = hash_of(9);
  t.block = {100, hash_of(7)};
  t.index = 3;
  t.from = account(1);
  t.to = account(2);
  t.value = 5;
  t.input = {0xab, 0xcd};
  t.nonce = 11;
  t.success = true;
  return t;
}
evm::transaction creation(bool success = true) {
  auto t = sent();
  t.to.reset();
  t.success = success;
  if (success) t.created = account(77);
  return t;
}

subscription about(std::string name, transaction_filter f, std::vector<policy> policies = {}) {
  subscription s;
  s.name = std::move(name);
  s.chains = {{1, {}}};
  s.transaction = std::move(f);
  s.policies = std::move(policies);
  return s;
}
interest of(std::vector<subscription> all, std::vector<recipient> recipients = {}) {
  return {1, "ethereum", policy{"ethereum_mainnet", 12, tag::none}, all, std::move(recipients)};
}
std::optional<sighting> seen(const interest& i, const evm::transaction& t) {
  return i.match(t, 1'790'000'000, "head");
}

} // namespace

TEST_CASE("which transactions are events") {
  const evm::integer ether("1000000000000000000");
  auto rich = sent();
  rich.value = ether;
  auto failed = sent();
  failed.success = false;
  auto old = sent();
  old.success.reset(); // before Byzantium
  using o = outcome_wanted;
  struct row {
    const char* name;
    transaction_filter f;
    evm::transaction t;
    bool expected;
  };
  const row rows[] = {
      {"any", {}, sent(), true},
      {"to", {{}, {account(3), account(2)}}, sent(), true},
      {"to another", {{}, {account(3)}}, sent(), false},
      {"from", {{account(1)}, {}}, sent(), true},
      {"from another", {{account(2)}, {}}, sent(), false},
      {"from and to: both", {{account(1)}, {account(3)}}, sent(), false},
      {"as much", {{}, {}, ether}, rich, true},
      {"a wei less", {{}, {}, ether + 1}, rich, false},
      {"more than 256 bits hold", {{}, {}, evm::integer(1) << 256}, rich, false},
      {"a failed one", {}, failed, false},
      {"failed ones, failed", {{}, {}, 0, o::failed}, failed, true},
      {"failed ones, not failed", {{}, {}, 0, o::failed}, sent(), false},
      {"any outcome, failed", {{}, {}, 0, o::any}, failed, true},
      {"any outcome, not failed", {{}, {}, 0, o::any}, sent(), true},
      {"no outcome, any", {{}, {}, 0, o::any}, old, true},
      {"no outcome", {}, old, false},
      {"a creation", {}, creation(), true},
      {"a creation goes to nobody", {{}, {account(77)}}, creation(), false},
      {"a creation by sender", {{account(1)}, {}}, creation(), true},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    const auto i = of({about("t", r.f)});
    CHECK(seen(i, r.t).has_value() == r.expected);
    CHECK(i.wants(r.t) == r.expected);
    if (r.expected) CHECK(i.transactions()->may_want(r.t));
    evm::receipt receipt;
    receipt.success = r.t.success;
    receipt.from = r.t.from;
    receipt.to = r.t.to;
    if (r.expected) CHECK(i.transactions()->may_want(receipt));
  }
}

TEST_CASE("lists of senders and receivers, from where their addresses count") {
  const auto list = [](std::uint64_t change) {
    return std::make_shared<const address_list>(
        std::vector<address_list::entry>{{account(2), change}});
  };
  transaction_filter to_list{{}, {account(8)}}, from_list;
  to_list.to_lists = {"wallets"};
  from_list.from_lists = {"wallets"};
  auto to_eight = sent(), to_nine = sent(), from_two = sent();
  to_eight.to = account(8);
  to_nine.to = account(9);
  from_two.from = account(2);
  from_two.to = account(9);
  const struct {
    const char* says;
    transaction_filter f;
    evm::transaction t;
    std::uint64_t change; ///< of the address in the list; 1 counts from block 101
    bool expected, may;
  } rows[] = {
      {"to one in the list", to_list, sent(), 0, true, true},
      {"to one beside the list", to_list, to_eight, 0, true, true},
      {"to another", to_list, to_nine, 0, false, false},
      {"a creation", to_list, creation(), 0, false, false},
      {"to one that counts later", to_list, sent(), 1, false, true},
      {"from one in the list", from_list, from_two, 0, true, true},
      {"from another", from_list, sent(), 0, false, false},
      {"from one that counts later", from_list, from_two, 1, false, true},
  };
  for (const auto& r : rows) {
    CAPTURE(r.says);
    counting counts;
    counts.lists["wallets"] = list(r.change);
    counts.list_starts =
        std::make_shared<const std::vector<list_start>>(std::vector<list_start>{{1, 101, true}});
    const interest i{1, "ethereum", policy{}, {about("t", r.f)}, {}, counts};
    CHECK(i.wants(r.t) == r.expected);
    CHECK(i.transactions()->may_want(r.t) == r.may);
  }
  CHECK(uses_list(form_of(about("t", to_list), 1), "wallets"));
  CHECK(uses_list(form_of(about("t", from_list), 1), "wallets"));
}

TEST_CASE("a receipt says no by sender, receiver and outcome, never by value") {
  transaction_filter f{{account(1)}, {account(2)}, 1'000};
  const auto rules = of({about("t", f)}).transactions();
  CHECK(rules->by_value());
  evm::receipt r;
  r.success = true;
  r.from = account(1);
  r.to = account(2);
  CHECK(rules->may_want(r));
  r.to = account(3);
  CHECK_FALSE(rules->may_want(r));
  r.to.reset(); // a creation
  CHECK_FALSE(rules->may_want(r));
  r.from.reset(); // an endpoint that does not say it
  CHECK(rules->may_want(r));
  r.success = false;
  CHECK_FALSE(rules->may_want(r));
}

TEST_CASE("a transaction's sighting: place, id, subscriptions, policies") {
  const auto i = of({about("deposits", {}), about("failed", {{}, {}, 0, outcome_wanted::failed}),
                     about("large", {}, {policy{"deep", 30, tag::finalized}})});
  const auto s = seen(i, sent());
  REQUIRE(s);
  CHECK(s->log_index == -1);
  CHECK(s->tx_index == 3);
  CHECK_FALSE(s->ordinal);
  CHECK(s->address == account(2));
  CHECK(s->subscriptions == std::vector<std::string>{"deposits", "large"});
  CHECK(s->asks == needs{30, tag::finalized});
  CHECK(s->origin == "head");
  CHECK(s->digest != 0);
  for (auto change : std::vector<std::function<void(evm::transaction&)>>{
           [](evm::transaction& t) { t.value += 1; }, [](evm::transaction& t) { t.to.reset(); },
           [](evm::transaction& t) { t.from = account(8); },
           [](evm::transaction& t) { t.input.push_back(0); },
           [](evm::transaction& t) { t.nonce = 12; }}) {
    auto other = sent();
    change(other);
    CHECK(seen(i, other)->digest != s->digest);
  }
}

TEST_CASE("a transaction as the contract tells it") {
  const auto i = of({about("deposits", {{}, {}, 0, outcome_wanted::any})});
  const std::string hash = "0x" + std::string(62, '0') + "09";
  const std::string head =
      "{\"event_id\":\"1:" + hash + ":tx\",\"logical_id\":\"1:" + hash +
      ":tx\",\"kind\":\"transaction\",\"chain\":\"ethereum\",\"chain_id\":1,\"subscriptions\":["
      "\"deposits\"],\"block\":{\"number\":100,\"hash\":\"0x" +
      std::string(62, '0') + "07\",\"timestamp\":1790000000},\"transaction\":{\"hash\":\"" + hash +
      "\",\"index\":3},\"from\":\"0x" + std::string(38, '0') + "01\",";
  const std::string tail =
      R"(,"value":"5","input":"0xabcd","nonce":11,"receipt_status":"success","confirmations":[{"policy":"ethereum_mainnet","blocks":12,"tag":null}]})";
  CHECK(seen(i, sent())->data ==
        head + "\"to\":\"0x" + std::string(38, '0') + "02\",\"created\":null" + tail);
  CHECK(seen(i, creation())->data ==
        head + "\"to\":null,\"created\":\"0x" + std::string(38, '0') + "4d\"" + tail);
  const auto failed = json::parse(seen(i, creation(false))->data);
  CHECK(failed.at("created").is_null());
  CHECK(failed.at("receipt_status") == "failed");
  auto old = sent();
  old.success.reset();
  CHECK(json::parse(seen(i, old)->data).at("receipt_status").is_null());
}

TEST_CASE("a transaction's key: its receiver, what it created, or would have") {
  // keccak256(rlp([from, nonce])): as ethers' getCreateAddress says it.
  CHECK(evm::to_hex(evm::created_address(
            *evm::parse_address("0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f"), 128)) ==
        "0x330edd805d34afcb7c5f87c87cb886945714ccb7");
  CHECK(evm::to_hex(evm::created_address(
            *evm::parse_address("0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f"), 0)) ==
        "0x72665d3e94cb4f374b7728f1ab21a3115c4d50eb");
  struct row {
    order_by order;
    evm::transaction t;
    std::string key;
  };
  const auto at = [](const evm::address20& a) { return "1:" + evm::to_hex(a); };
  const row rows[] = {
      {order_by::chain, sent(), "1"},
      {order_by::contract, sent(), at(account(2))},
      {order_by::contract, creation(), at(account(77))},
      {order_by::contract, creation(false), at(evm::created_address(account(1), 11))},
      {order_by::argument, sent(), at(account(2))},
      {order_by::subscription, sent(), "1:b"},
      {order_by::none, sent(), "1:0x" + std::string(62, '0') + "09:tx"},
  };
  for (const auto& r : rows) {
    recipient h;
    h.name = "h";
    h.subscriptions = {"b", "log"};
    h.order = r.order;
    h.argument = "to";
    const auto i = of({about("a", {{}, {}, 0, outcome_wanted::any}),
                       about("b", {{}, {}, 0, outcome_wanted::any})},
                      {h});
    const auto s = seen(i, r.t);
    REQUIRE(s->routes.size() == 1);
    CHECK(s->routes[0].key == r.key);
    CHECK(s->routes[0].subscription == "b");
  }
}

TEST_CASE("transactions alone ask for no log, and no bloom holds them") {
  const auto i = of({about("t", {})});
  CHECK_FALSE(i.empty());
  CHECK(i.node_filter() == interest::filter{{}, {evm::hash32{}}});
  evm::bloom full;
  full.bits.octets.fill(0xff);
  CHECK_FALSE(i.may_be_in(full));
  CHECK_FALSE(i.wants(evm::log{}));
  CHECK(of({}).transactions() == nullptr);
}

TEST_CASE("in order: a transaction before its own logs, logs as they were") {
  const auto at = [](std::uint64_t block, std::uint32_t tx, std::int32_t log) {
    sighting s;
    s.block.number = block;
    s.tx_index = tx;
    s.log_index = log;
    return s;
  };
  const auto places = [](const std::vector<sighting>& all) {
    std::string out;
    for (const auto& s : all)
      out += std::to_string(s.block.number) + '.' + std::to_string(s.tx_index) + '.' +
             std::to_string(s.log_index) + ' ';
    return out;
  };
  std::vector<sighting> all{at(5, 0, 0), at(5, 2, 1), at(6, 1, 0), at(5, 2, -1), at(6, 0, -1)};
  in_order(all);
  CHECK(places(all) == "5.0.0 5.2.-1 5.2.1 6.0.-1 6.1.0 ");
  std::vector<sighting> odd{at(5, 9, 0), at(5, 2, 1)}; // a chain that numbers oddly
  in_order(odd);
  CHECK(places(odd) == "5.9.0 5.2.1 ");
}
