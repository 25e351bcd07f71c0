// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/digest.hpp"
#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;
namespace json = boost::json;

namespace {

const char* const erc20 = "event Transfer(address indexed from, address indexed to, uint256 value)";
const char* const erc721 =
    "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)";

const std::string usdc_hex = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const evm::address20 usdc = *evm::parse_address(usdc_hex);
const evm::address20 other = *evm::parse_address("0x00000000000000000000000000000000000000ee");

evm::address20 account(std::uint8_t n) {
  evm::address20 a;
  a.octets[19] = n;
  return a;
}

evm::hash32 word(std::uint64_t n) {
  evm::hash32 h;
  for (std::size_t i = 0; i < 8; ++i)
    h.octets[31 - i] = static_cast<std::uint8_t>(n >> (8 * i));
  return h;
}

evm::hash32 word(const evm::address20& a) {
  evm::hash32 h;
  std::copy(a.octets.begin(), a.octets.end(), h.octets.begin() + 12);
  return h;
}

evm::abi_event event_of(const char* signature) { return evm::parse_event(signature).value(); }

subscription on_mainnet(std::string name, const char* signature,
                        std::vector<evm::address20> addresses = {}) {
  subscription s;
  s.name = std::move(name);
  s.chains = {{1, std::move(addresses)}};
  s.event = event_of(signature);
  return s;
}

condition where(const subscription& s, std::size_t input,
                std::initializer_list<const char*> texts) {
  condition c;
  c.input = input;
  for (const auto* text : texts) {
    const auto& type = s.event.inputs[input].type;
    c.one_of.insert(evm::topic_of(type, evm::parse_value(type, text).value()));
  }
  return c;
}

/// Transfer of `value` from account 1 to account 2, as an ERC-20 writes it.
evm::log transfer(std::uint64_t value = 293'090'000) {
  evm::log l;
  l.address = usdc;
  l.topics = {event_of(erc20).topic0(), word(account(1)), word(account(2))};
  const auto amount = word(value);
  l.data.assign(amount.octets.begin(), amount.octets.end());
  l.block = {19'000'000, word(7)};
  l.tx = word(9);
  l.tx_index = 31;
  l.log_index = 12;
  return l;
}

recipient to_all(std::string name, std::vector<std::string> subscriptions,
                 order_by order = order_by::contract, std::string argument = {}) {
  recipient r;
  r.name = std::move(name);
  r.subscriptions = std::move(subscriptions);
  r.order = order;
  r.argument = std::move(argument);
  return r;
}

const policy mainnet{"ethereum_mainnet", 12, tag::none};

interest mainnet_interest(const std::vector<subscription>& subscriptions,
                          std::vector<recipient> recipients = {}) {
  return {1, "ethereum", mainnet, subscriptions, std::move(recipients)};
}

std::optional<sighting> seen(const interest& i, const evm::log& l) {
  return i.match(l, 1'790'000'000, 3, "head");
}

} // namespace

TEST_CASE("data is the JSON of the contract, byte for byte") {
  const auto i = mainnet_interest({on_mainnet("usdc-transfers", erc20, {usdc})});
  const auto s = i.match(transfer(), 1'790'000'000, 3, "webhook:alchemy-main");
  REQUIRE(s);
  const auto tx = evm::to_hex(word(9));
  const auto transfer_topic = evm::to_hex(event_of(erc20).topic0());
  CHECK(
      s->data ==
      R"({"event_id":"1:)" + tx + R"(:12","logical_id":"1:)" + tx +
          R"(:o3","kind":"log","chain":"ethereum","chain_id":1,"subscriptions":["usdc-transfers"],)" +
          R"("block":{"number":19000000,"hash":")" + evm::to_hex(word(7)) +
          R"(","timestamp":1790000000},"transaction":{"hash":")" + tx +
          R"(","index":31},"log_index":12,"address":")" + usdc_hex + R"(","topics":[")" +
          transfer_topic + R"(",")" + evm::to_hex(word(1)) + R"(",")" + evm::to_hex(word(2)) +
          R"("],"data":")" + evm::to_hex(word(293'090'000)) +
          R"(","event":"Transfer","args":{"from":"0x0000000000000000000000000000000000000001",)" +
          R"("to":"0x0000000000000000000000000000000000000002","value":"293090000"},)" +
          R"("confirmations":[{"policy":"ethereum_mainnet","blocks":12,"tag":null}]})");
  CHECK(s->block == evm::block_id{19'000'000, word(7)});
  CHECK(s->time == 1'790'000'000);
  CHECK(s->tx == word(9));
  CHECK(s->tx_index == 31);
  CHECK(s->log_index == 12);
  CHECK(s->ordinal == 3);
  CHECK(s->address == usdc);
  CHECK(s->origin == "webhook:alchemy-main");
  CHECK(s->asks == needs{12, tag::none});
}

TEST_CASE("without an ordinal logical_id is null") {
  const auto i = mainnet_interest({on_mainnet("t", erc20)}, {to_all("h", {"t"}, order_by::none)});
  const auto s = i.match(transfer(), 0, std::nullopt, "reconcile");
  REQUIRE(s);
  CHECK(json::parse(s->data).at("logical_id").is_null());
  CHECK(s->routes.at(0).key == "1:" + evm::to_hex(word(9)) + ":12");
}

TEST_CASE("a log fits by address, first topic and number of topics") {
  auto nft = transfer();
  nft.topics.push_back(word(5));
  nft.data.clear();
  auto elsewhere = transfer();
  elsewhere.address = other;
  auto approval = transfer();
  approval.topics[0] = event_of("Approval(address indexed, address indexed, uint256)").topic0();
  auto bare = transfer();
  bare.topics.clear();

  const auto coins = mainnet_interest({on_mainnet("coins", erc20, {usdc})});
  CHECK(seen(coins, transfer()));
  CHECK_FALSE(seen(coins, nft));
  CHECK_FALSE(seen(coins, elsewhere));
  CHECK_FALSE(seen(coins, approval));
  CHECK_FALSE(seen(coins, bare));

  const auto any_coin = mainnet_interest({on_mainnet("coins", erc20)});
  CHECK(seen(any_coin, elsewhere));
  CHECK_FALSE(seen(any_coin, nft));

  const auto nfts = mainnet_interest({on_mainnet("nfts", erc721)});
  CHECK(seen(nfts, nft));
  CHECK_FALSE(seen(nfts, transfer()));

  auto elsewhere_chain = on_mainnet("base", erc20);
  elsewhere_chain.chains = {{8453, {}}};
  const auto none = mainnet_interest({elsewhere_chain});
  CHECK(none.empty());
  CHECK_FALSE(seen(none, transfer()));
}

TEST_CASE("an anonymous event fits by address and number of topics") {
  auto l = transfer();
  l.topics = {word(account(1))};
  const auto i = mainnet_interest(
      {on_mainnet("note", "Note(address indexed who, uint256) anonymous", {usdc})});
  const auto s = seen(i, l);
  REQUIRE(s);
  CHECK(json::parse(s->data).at("args").at("who") == "0x0000000000000000000000000000000000000001");
  CHECK(i.node_filter().topic0.empty());
  l.topics.push_back(word(2));
  CHECK_FALSE(seen(i, l));
}

TEST_CASE("where holds on topics and on data") {
  struct row {
    const char* name;
    std::size_t input;
    std::initializer_list<const char*> one_of;
    bool expected;
  };
  const row rows[] = {
      {"indexed, equal", 1, {"0x0000000000000000000000000000000000000002"}, true},
      {"indexed, another", 1, {"0x0000000000000000000000000000000000000003"}, false},
      {"indexed, one of",
       0,
       {"0x0000000000000000000000000000000000000005", "0x0000000000000000000000000000000000000001"},
       true},
      {"data, equal", 2, {"293_090e3"}, true},
      {"data, another", 2, {"5"}, false},
      {"data, one of", 2, {"5", "293090000"}, true},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    auto s = on_mainnet("t", erc20);
    s.where = {where(s, r.input, r.one_of)};
    CHECK(seen(mainnet_interest({s}), transfer()).has_value() == r.expected);
  }

  auto both = on_mainnet("t", erc20);
  both.where = {where(both, 1, {"0x0000000000000000000000000000000000000002"}),
                where(both, 2, {"5"})};
  CHECK_FALSE(seen(mainnet_interest({both}), transfer()));
}

TEST_CASE("where on an indexed string is by its hash") {
  auto s = on_mainnet("names", "Named(string indexed name, string label)");
  s.where = {where(s, 0, {"alice"}), where(s, 1, {"bob"})};
  evm::log l = transfer();
  l.topics = {s.event.topic0(), evm::keccak256(std::string_view("alice"))};
  l.data.clear();
  for (const auto& w : {word(32), word(3)})
    l.data.insert(l.data.end(), w.octets.begin(), w.octets.end());
  evm::hash32 text;
  text.octets[0] = 'b';
  text.octets[1] = 'o';
  text.octets[2] = 'b';
  l.data.insert(l.data.end(), text.octets.begin(), text.octets.end());
  const auto i = mainnet_interest({s});
  const auto found = seen(i, l);
  REQUIRE(found);
  const auto args = json::parse(found->data).at("args");
  CHECK(args.at("name").at("hash") == json::string(evm::to_hex(l.topics[1])));
  CHECK(args.at("label") == "bob");

  SECTION("a string that is not UTF-8 is its bytes") {
    l.data[64] = 0xff;
    s.where.pop_back();
    const auto raw = seen(mainnet_interest({s}), l);
    REQUIRE(raw);
    CHECK(json::parse(raw->data).at("args").at("label").at("bytes") == "0xff6f62");
  }
}

TEST_CASE("data that does not decode") {
  auto l = transfer();
  l.data.resize(31);
  std::uint64_t undecodable = 0;

  SECTION("with an address: an event, its open where counts as true") {
    auto s = on_mainnet("t", erc20, {usdc});
    s.where = {where(s, 2, {"5"})};
    const auto i = mainnet_interest({s}, {to_all("h", {"t"}, order_by::argument, "to")});
    const auto found = i.match(l, 0, 3, "head", &undecodable);
    REQUIRE(found);
    const auto v = json::parse(found->data);
    CHECK(v.at("args").is_null());
    CHECK_FALSE(v.at("decode_error").as_string().empty());
    CHECK(v.at("event") == "Transfer");
    CHECK(found->routes.at(0).key == "1:" + usdc_hex);
    CHECK(undecodable == 0);
  }
  SECTION("with an address: a where on a topic is not open") {
    auto s = on_mainnet("t", erc20, {usdc});
    s.where = {where(s, 1, {"0x0000000000000000000000000000000000000003"})};
    CHECK_FALSE(mainnet_interest({s}).match(l, 0, 3, "head", &undecodable));
    CHECK(undecodable == 0);
  }
  SECTION("without an address: no event, counted") {
    const auto i = mainnet_interest({on_mainnet("t", erc20), on_mainnet("u", erc20)});
    CHECK_FALSE(i.match(l, 0, 3, "head", &undecodable));
    CHECK(undecodable == 1);
  }
}

TEST_CASE("a log of several subscriptions is one event under the first one's names") {
  auto strict = on_mainnet(
      "strict", "Transfer(address indexed src, address indexed dst, uint256 wad)", {usdc});
  strict.policies = {{"settled", std::nullopt, tag::finalized}};
  auto deep = on_mainnet("deep", erc20);
  deep.policies = {{std::nullopt, 24, tag::none}, mainnet};
  const auto i = mainnet_interest({strict, on_mainnet("other", erc20, {other}), deep});
  const auto s = seen(i, transfer());
  REQUIRE(s);
  CHECK(s->subscriptions == std::vector<std::string>{"strict", "deep"});
  CHECK(s->asks == needs{24, tag::finalized});
  const auto v = json::parse(s->data);
  CHECK(v.at("args").as_object().contains("wad"));
  CHECK(json::serialize(v.at("confirmations")) ==
        R"([{"policy":"ethereum_mainnet","blocks":12,"tag":null},)"
        R"({"policy":"settled","blocks":null,"tag":"finalized"},)"
        R"({"policy":null,"blocks":24,"tag":null}])");
}

TEST_CASE("keys of every order_by") {
  struct row {
    order_by order;
    const char* argument;
    std::string expected;
  };
  const row rows[] = {
      {order_by::chain, "", "1"},
      {order_by::contract, "", "1:" + usdc_hex},
      {order_by::subscription, "", "1:second"},
      {order_by::argument, "to", "1:" + usdc_hex + ":0x0000000000000000000000000000000000000002"},
      {order_by::argument, "value", "1:" + usdc_hex + ":293090000"},
      {order_by::argument, "dst", "1:" + usdc_hex}, // only the other subscription has it
      {order_by::none, "", "1:" + evm::to_hex(word(9)) + ":o3"},
  };
  const auto first =
      on_mainnet("first", "Transfer(address indexed src, address indexed dst, uint256 wad)");
  for (const auto& r : rows) {
    INFO(r.expected);
    const auto i = mainnet_interest({first, on_mainnet("second", erc20)},
                                    {to_all("h", {"second"}, r.order, r.argument)});
    const auto s = seen(i, transfer());
    REQUIRE(s);
    REQUIRE(s->routes.size() == 1);
    CHECK(s->routes[0].key == r.expected);
    CHECK(s->routes[0].subscription == "second");
  }
}

TEST_CASE("a long argument stands in the key by its hash") {
  const auto s = on_mainnet("blobs", "Blob(bytes content)");
  for (const std::size_t size : {63u, 64u}) {
    evm::log l = transfer();
    l.topics = {s.event.topic0()};
    l.data.clear();
    for (const auto& w : {word(32), word(size)})
      l.data.insert(l.data.end(), w.octets.begin(), w.octets.end());
    l.data.resize(128, 0x11);
    const std::string text = "0x" + std::string(2 * size, '1');
    const auto found =
        seen(mainnet_interest({s}, {to_all("h", {"blobs"}, order_by::argument, "content")}), l);
    REQUIRE(found);
    const auto expected = size == 63 ? text : evm::to_hex(evm::keccak256(text));
    CHECK(found->routes.at(0).key == "1:" + usdc_hex + ":" + expected);
  }
}

TEST_CASE("each handler gets what is its own, under its first subscription that fits") {
  auto pending = to_all("both", {"a", "b"});
  pending.pending = true;
  pending.confirmed = false;
  const auto i = mainnet_interest({on_mainnet("a", erc20, {other}), on_mainnet("b", erc20)},
                                  {to_all("none", {"a"}), pending, to_all("b-only", {"b"})});
  const auto s = seen(i, transfer());
  REQUIRE(s);
  REQUIRE(s->routes.size() == 2);
  CHECK(s->routes[0].handler == "both");
  CHECK(s->routes[0].subscription == "b");
  CHECK(s->routes[0].pending);
  CHECK_FALSE(s->routes[0].confirmed);
  CHECK(s->routes[1].handler == "b-only");
  CHECK(s->routes[1].confirmed);
}

TEST_CASE("what a handler gets of a stored log is by the subscriptions that have it") {
  auto s = on_mainnet("narrow", erc20, {other}); // it was any contract's when it made the event
  auto r = to_all("app", {"gone", "narrow", "wide"});
  r.order = order_by::argument;
  r.argument = "to";
  const auto i = mainnet_interest({s, on_mainnet("wide", erc20), on_mainnet("nft", erc721)}, {r});
  const auto by = [&](std::vector<std::string> having) {
    return i.route_of("app", transfer(), 3, having);
  };
  const auto to = "1:" + usdc_hex + ':' + evm::to_hex(account(2));
  REQUIRE(by({"wide", "narrow"}));
  CHECK(by({"wide", "narrow"})->subscription == "narrow");
  CHECK(by({"narrow"})->key == to);
  CHECK(by({"wide"})->subscription == "wide");
  CHECK_FALSE(by({"nft"}));
  CHECK_FALSE(by({}));
  CHECK_FALSE(i.route_of("other", transfer(), 3, {"wide"}));
  // Its event is another by now: the log has no such argument.
  r.subscriptions = {"nft"};
  const auto changed = mainnet_interest({on_mainnet("nft", erc721)}, {r});
  CHECK(changed.route_of("app", transfer(), 3, {"nft"})->key == "1:" + usdc_hex);
}

TEST_CASE("the digest tells readings apart by address, topics and data") {
  const auto i = mainnet_interest({on_mainnet("t", erc20)});
  const auto base = seen(i, transfer())->digest;
  CHECK(seen(i, transfer())->digest == base);
  CHECK(seen(i, transfer(1))->digest != base);
  auto l = transfer();
  l.address = other;
  CHECK(seen(i, l)->digest != base);
  l = transfer();
  l.topics[2] = word(1);
  CHECK(seen(i, l)->digest != base);
  l = transfer();
  l.block.number = 5;
  CHECK(seen(i, l)->digest == base);

  // Of what is joined.
  const auto t = transfer();
  evm::bytes all(t.address.octets.begin(), t.address.octets.end());
  for (const auto& topic : t.topics)
    all.insert(all.end(), topic.octets.begin(), topic.octets.end());
  all.insert(all.end(), t.data.begin(), t.data.end());
  CHECK(evm::digest64(all) == base);
}

TEST_CASE("node_filter never asks for less than match takes") {
  const auto topic = event_of(erc20).topic0();
  CHECK(mainnet_interest({on_mainnet("t", erc20, {usdc, other, usdc})}).node_filter() ==
        interest::filter{{other, usdc}, {topic}});
  CHECK(mainnet_interest({on_mainnet("t", erc20, {usdc}), on_mainnet("u", erc20)}).node_filter() ==
        interest::filter{{}, {topic}});

  std::vector<evm::address20> many;
  for (std::uint16_t n = 0; n < 500; ++n) {
    evm::address20 a;
    a.octets[0] = static_cast<std::uint8_t>(n >> 8);
    a.octets[1] = static_cast<std::uint8_t>(n);
    many.push_back(a);
  }
  CHECK(mainnet_interest({on_mainnet("t", erc20, many)}).node_filter().addresses.size() == 500);
  many.push_back(usdc);
  CHECK(mainnet_interest({on_mainnet("t", erc20, many)}).node_filter().addresses.empty());
}

TEST_CASE("a bloom excludes a block only where nothing fits") {
  evm::bloom bloom;
  const auto l = transfer();
  bloom.add(l.address.view());
  for (const auto& t : l.topics)
    bloom.add(t.view());

  CHECK(mainnet_interest({on_mainnet("t", erc20, {usdc})}).may_be_in(bloom));
  CHECK(
      mainnet_interest({on_mainnet("t", erc20, {other}), on_mainnet("u", erc20)}).may_be_in(bloom));
  CHECK_FALSE(mainnet_interest({on_mainnet("t", erc20, {other})}).may_be_in(bloom));
  CHECK_FALSE(mainnet_interest({on_mainnet("t", "Other(uint256)", {usdc})}).may_be_in(bloom));
  CHECK_FALSE(mainnet_interest({on_mainnet("t", erc20, {usdc})}).may_be_in(evm::bloom{}));
  CHECK_FALSE(mainnet_interest({}).may_be_in(bloom));

  auto s = on_mainnet("t", erc20);
  s.where = {where(s, 1,
                   {"0x0000000000000000000000000000000000000002",
                    "0x0000000000000000000000000000000000000077"})};
  CHECK(mainnet_interest({s}).may_be_in(bloom));
  s.where = {where(s, 1, {"0x0000000000000000000000000000000000000077"})};
  CHECK_FALSE(mainnet_interest({s}).may_be_in(bloom));
}
