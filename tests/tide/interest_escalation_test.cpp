// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/hex.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;
namespace json = boost::json;

namespace {

const evm::address20 contract = *evm::parse_address("0x00000000000000000000000000000000000000ee");
const policy mainnet{"mainnet", 12, tag::none};

evm::hash32 word(std::uint64_t n) {
  evm::hash32 h;
  for (std::size_t i = 0; i < 8; ++i)
    h.octets[31 - i] = static_cast<std::uint8_t>(n >> (8 * i));
  return h;
}

policy blocks(const char* name, std::uint64_t n) { return {name, n, tag::none}; }

subscription of(const char* event, std::vector<evm::address20> addresses = {}) {
  subscription s;
  s.name = "s";
  s.chains = {{1, std::move(addresses)}};
  s.event = evm::parse_event(event).value();
  return s;
}

subscription escalating(subscription s, std::vector<std::pair<const char*, policy>> rows) {
  for (auto& row : rows)
    s.escalations.push_back({parse_when(row.first, s.event.inputs).value(), row.second});
  return s;
}

condition where(const subscription& s, const char* name, const char* text) {
  const auto a = find_argument(s.event.inputs, name).value();
  const auto& type = type_of(a, s.event.inputs);
  return {a.input, {evm::topic_of(type, evm::parse_value(type, text).value())}, a.members};
}

evm::log log_of(const evm::abi_event& e, std::vector<evm::hash32> topics,
                const std::vector<std::uint64_t>& words) {
  evm::log l;
  l.address = contract;
  l.topics = {e.topic0()};
  l.topics.insert(l.topics.end(), topics.begin(), topics.end());
  for (const auto n : words)
    for (const auto octet : word(n).octets)
      l.data.push_back(octet);
  l.block = {100, word(7)};
  l.tx = word(9);
  return l;
}

std::optional<sighting> seen(const std::vector<subscription>& all, const evm::log& l) {
  return interest{1, "ethereum", mainnet, all, {}}.match(l, 1'790'000'000, 0, "head");
}

/// The names of the policies that the message lists.
std::string policies_of(const std::optional<sighting>& s) {
  if (!s) return "none";
  std::string out;
  const auto data = json::parse(s->data);
  for (const auto& p : data.at("confirmations").as_array())
    out += (out.empty() ? "" : " ") + std::string(p.at("policy").as_string());
  return out;
}

const char* const transfer = "Transfer(address indexed from, address indexed to, uint256 value)";

} // namespace

TEST_CASE("escalate: every one that holds adds, to what is needed and to what is said") {
  const auto s = escalating(
      of(transfer), {{"value >= 100", blocks("high", 24)},
                     {"value >= 1000", {"final", std::nullopt, tag::finalized}},
                     {"to == 0x0000000000000000000000000000000000000002", blocks("two", 18)}});
  const struct {
    std::uint64_t value, to;
    const char* applied;
    needs asks;
  } rows[] = {
      {99, 1, "mainnet", {12, tag::none}},
      {100, 1, "mainnet high", {24, tag::none}},
      {1000, 1, "mainnet high final", {24, tag::finalized}},
      {1, 2, "mainnet two", {18, tag::none}},
      {1000, 2, "mainnet high final two", {24, tag::finalized}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.value, row.to);
    const auto got = seen({s}, log_of(s.event, {word(1), word(row.to)}, {row.value}));
    CHECK(policies_of(got) == row.applied);
    CHECK(got->asks == row.asks);
  }
}

TEST_CASE("escalate: each subscription's add up, each policy once") {
  auto first = escalating(of(transfer), {{"value > 5", blocks("high", 24)}});
  first.policies = {blocks("own", 14)};
  auto second = escalating(of("Transfer(address indexed a, address indexed b, uint256 wad)"),
                           {{"wad > 5", blocks("high", 24)}, {"wad > 6", blocks("more", 30)}});
  second.name = "t";
  const auto l = log_of(first.event, {word(1), word(2)}, {7});
  CHECK(policies_of(seen({first, second}, l)) == "mainnet own high more");
  CHECK(seen({first, second}, l)->asks == needs{30, tag::none});
}

TEST_CASE("escalate: where data does not decode, what hangs on it counts as true") {
  const auto s = escalating(
      of(transfer, {contract}),
      {{"value > 5", blocks("high", 24)},
       {"not value > 5", blocks("low", 25)},
       {"from == 0x0000000000000000000000000000000000000001", blocks("one", 26)},
       {"from == 0x0000000000000000000000000000000000000002 and value > 5", blocks("two", 27)}});
  const auto got = seen({s}, log_of(s.event, {word(1), word(2)}, {}));
  CHECK(policies_of(got) == "mainnet high low one");
  const auto data = json::parse(got->data);
  CHECK(data.at("args").is_null());
  CHECK_FALSE(data.at("decode_error").as_string().empty());
}

TEST_CASE("where: a field of a tuple, at any depth") {
  auto s = of("Filled(uint256 id, (address maker, (uint8 kind, string note) inner) order)");
  const auto l = log_of(s.event, {}, {5, 64, 0xaa, 64, 3, 64, 2, 0});
  // id, offset of order | maker, offset of inner | kind, offset of note | length, text
  const struct {
    const char* name;
    const char* text;
    bool fits;
  } rows[] = {
      {"id", "5", true},
      {"id", "6", false},
      {"order.maker", "0x00000000000000000000000000000000000000aa", true},
      {"order.maker", "0x00000000000000000000000000000000000000ab", false},
      {"order.inner.kind", "3", true},
      {"order.inner.kind", "4", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name, row.text);
    s.where = {where(s, row.name, row.text)};
    CHECK(seen({s}, l).has_value() == row.fits);
  }
}

namespace {

subscription erc1155() {
  auto s = of("TransferSingle(address indexed operator, address indexed from, address indexed to, "
              "uint256 id, uint256 value)");
  s.batch = evm::parse_event("TransferBatch(address indexed operator, address indexed from, "
                             "address indexed to, uint256[] ids, uint256[] values)")
                .value();
  return s;
}

evm::log single(const subscription& s, std::uint64_t id, std::uint64_t value) {
  return log_of(s.event, {word(1), word(2), word(3)}, {id, value});
}

evm::log batch(const subscription& s, const std::vector<std::uint64_t>& ids,
               const std::vector<std::uint64_t>& values) {
  std::vector<std::uint64_t> words{64, 96 + 32 * ids.size(), ids.size()};
  words.insert(words.end(), ids.begin(), ids.end());
  words.push_back(values.size());
  words.insert(words.end(), values.begin(), values.end());
  return log_of(*s.batch, {word(1), word(2), word(3)}, words);
}

} // namespace

TEST_CASE("batches: told by their own event, under the one subscription") {
  const auto s = erc1155();
  const auto one = json::parse(seen({s}, single(s, 5, 6))->data);
  CHECK(one.at("event") == "TransferSingle");
  CHECK(one.at("args").at("id") == "5");
  const auto many = json::parse(seen({s}, batch(s, {5, 7}, {6, 8}))->data);
  CHECK(many.at("event") == "TransferBatch");
  CHECK(json::serialize(many.at("args").at("ids")) == R"(["5","7"])");
  CHECK(json::serialize(many.at("args").at("values")) == R"(["6","8"])");
  CHECK(json::serialize(many.at("subscriptions")) == R"(["s"])");
}

TEST_CASE("batches: where and when hold if they hold for one item") {
  auto s = escalating(erc1155(),
                      {{"id == 5 and value > 100", blocks("high", 24)},
                       {"to == 0x0000000000000000000000000000000000000003", blocks("three", 20)}});
  CHECK(policies_of(seen({s}, single(s, 5, 101))) == "mainnet high three");
  CHECK(policies_of(seen({s}, single(s, 6, 101))) == "mainnet three");
  CHECK(policies_of(seen({s}, batch(s, {4, 5}, {1, 101}))) == "mainnet high three");
  CHECK(policies_of(seen({s}, batch(s, {4, 5}, {101, 1}))) == "mainnet three"); // not of one item
  CHECK(policies_of(seen({s}, batch(s, {}, {}))) == "mainnet three");
  CHECK(policies_of(seen({s}, batch(s, {5, 5}, {1}))) == "mainnet three"); // the shorter ends it

  s.escalations.clear();
  s.where = {where(s, "id", "5"), where(s, "value", "101")};
  CHECK(seen({s}, single(s, 5, 101)));
  CHECK_FALSE(seen({s}, single(s, 5, 102)));
  CHECK(seen({s}, batch(s, {4, 5}, {1, 101})));
  CHECK_FALSE(seen({s}, batch(s, {4, 5}, {101, 1})));
  CHECK_FALSE(seen({s}, batch(s, {}, {})));
  s.where = {where(s, "to", "0x0000000000000000000000000000000000000003")};
  CHECK(seen({s}, batch(s, {}, {})));
  s.where = {where(s, "to", "0x0000000000000000000000000000000000000004")};
  CHECK_FALSE(seen({s}, batch(s, {5}, {6})));
}

TEST_CASE("node_filter has the topics that every form names, and drops long lists") {
  auto first = of(transfer), second = of(transfer);
  second.name = "t";
  first.where = {where(first, "to", "0x0000000000000000000000000000000000000003")};
  const auto filter_of = [](const std::vector<subscription>& all) {
    return interest{1, "ethereum", mainnet, all, {}}.node_filter();
  };
  CHECK(filter_of({first}).topics[0].empty());
  CHECK(filter_of({first}).topics[1] == std::vector<evm::hash32>{word(3)});
  CHECK(filter_of({first, second}).topics[1].empty());
  second.where = {where(second, "to", "0x0000000000000000000000000000000000000002")};
  CHECK(filter_of({first, second}).topics[1] == std::vector<evm::hash32>{word(2), word(3)});
  for (std::uint64_t n = 0; n < 65; ++n)
    second.where[0].one_of.insert(word(n + 10));
  CHECK(filter_of({first, second}).topics[1].empty());
}

TEST_CASE("what the ABI does not say is noted beside the arguments") {
  const auto s = of("E(uint8 a)");
  CHECK(json::parse(seen({s}, log_of(s.event, {}, {7}))->data)
            .as_object()
            .if_contains("decode_notes") == nullptr);
  const auto odd = json::parse(seen({s}, log_of(s.event, {}, {0x107, 0}))->data);
  CHECK(json::serialize(odd.at("decode_notes")) == R"(["padding","trailing"])");
  CHECK(odd.at("args").at("a") == "7");
}
