// SPDX-License-Identifier: MIT
#include "tide/redecode.hpp"

#include "evm/hex.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;
namespace json = boost::json;

namespace {

evm::hash32 word(std::uint8_t n) {
  evm::hash32 h;
  h.octets[31] = n;
  return h;
}

subscription sub(const char* name, const char* event) {
  subscription s;
  s.name = name;
  s.chains = {{1, {evm::address20{}}}};
  s.event = evm::parse_event(event).value();
  return s;
}

subscription only_to(subscription s, std::size_t input, std::uint8_t account) {
  condition c;
  c.input = input;
  c.one_of.insert(word(account));
  s.where.push_back(c);
  return s;
}

interest of(std::vector<subscription> all, counting counts = {}) {
  return {1, "ethereum", policy{std::nullopt, 12, tag::none}, all, {}, std::move(counts)};
}

constexpr const char* right = "Transfer(address indexed from, address indexed to, uint256 value)";
constexpr const char* swapped = "Transfer(address indexed to, address indexed from, uint256 value)";
constexpr const char* renamed = "Transfer(address indexed src, address indexed dst, uint256 wad)";
/// The same topic and as many of them, and what the data has does not decode so.
constexpr const char* wrong_places =
    "Transfer(address from, address indexed to, uint256 indexed value)";
constexpr const char* another = "Moved(address indexed from, address indexed to, uint256 value)";

/// From account 1 to account 2.
evm::log transfer() {
  evm::log l;
  l.topics = {evm::parse_event(right).value().topic0(), word(1), word(2)};
  const auto value = word(5);
  l.data.assign(value.octets.begin(), value.octets.end());
  l.block = {100, word(7)};
  l.tx = word(9);
  l.tx_index = 3;
  l.log_index = 12;
  return l;
}

/// Its `data` as those subscriptions made it.
std::string told(const std::vector<subscription>& by) {
  const auto seen = of(by).match(transfer(), 1'790'000'000, 0, "head");
  REQUIRE(seen);
  return seen->data;
}

} // namespace

TEST_CASE("a stored event is read as the config says now", "[redecode]") {
  using how = reread;
  const struct {
    const char* says;
    std::vector<subscription> before, now;
    std::vector<std::string> found_for;
    how expected;
    const char* args; ///< of the new reading
  } rows[] = {
      {"nothing changed", {sub("a", right)}, {sub("a", right)}, {"a"}, how::untouched, ""},
      {"names swapped",
       {sub("a", swapped)},
       {sub("a", right)},
       {"a"},
       how::changed,
       R"({"from":"0x0000000000000000000000000000000000000001","to":"0x0000000000000000000000000000000000000002","value":"5"})"},
      {"names changed",
       {sub("a", right)},
       {sub("a", renamed)},
       {"a"},
       how::changed,
       R"({"src":"0x0000000000000000000000000000000000000001","dst":"0x0000000000000000000000000000000000000002","wad":"5"})"},
      {"what is indexed was wrong",
       {sub("a", wrong_places)},
       {sub("a", right)},
       {"a"},
       how::changed,
       R"({"from":"0x0000000000000000000000000000000000000001","to":"0x0000000000000000000000000000000000000002","value":"5"})"},
      {"another event", {sub("a", right)}, {sub("a", another)}, {"a"}, how::gone, ""},
      {"where lets it out",
       {only_to(sub("a", right), 1, 2)},
       {only_to(sub("a", right), 1, 3)},
       {"a"},
       how::gone,
       ""},
      {"where of another name of the same place",
       {only_to(sub("a", swapped), 0, 1)},
       {only_to(sub("a", right), 0, 1)},
       {"a"},
       how::changed,
       R"({"from":"0x0000000000000000000000000000000000000001","to":"0x0000000000000000000000000000000000000002","value":"5"})"},
      {"its subscription is removed",
       {sub("a", right)},
       {sub("b", another)},
       {"a"},
       how::untouched,
       ""},
      {"its subscription is removed, another names it otherwise",
       {sub("a", right)},
       {sub("b", renamed)},
       {"a"},
       how::untouched,
       ""},
      {"one of two fits no more",
       {sub("a", right), sub("b", right)},
       {sub("a", right), sub("b", another)},
       {"a", "b"},
       how::changed,
       R"({"from":"0x0000000000000000000000000000000000000001","to":"0x0000000000000000000000000000000000000002","value":"5"})"},
      {"a further subscription takes nothing back",
       {sub("a", right)},
       {sub("a", right), sub("b", right)},
       {"a"},
       how::untouched,
       ""},
  };
  for (const auto& r : rows) {
    INFO(r.says);
    const auto data = told(r.before);
    const auto again = read_event_again(of(r.now), nursery(), {data, 0, r.found_for});
    REQUIRE(again.has_value());
    CHECK(again->how == r.expected);
    REQUIRE(again->now.has_value() == (r.expected == how::changed));
    if (!again->now) continue;
    const auto now = json::parse(again->now->data).as_object();
    CHECK(now.at("args") == json::parse(r.args));
    CHECK(again->now->digest == digest_of(transfer()));
    CHECK(now.at("logical_id") == json::parse(data).at("logical_id"));
  }
}

TEST_CASE("what it was found for has it, wherever that counts from now", "[redecode]") {
  counting later;
  later.from = {{"a", 500}, {"b", 500}};
  const auto data = told({sub("a", swapped)});
  const auto wants = of({sub("a", right), sub("b", right)}, later);
  const auto again = read_event_again(wants, nursery(), {data, 0, {"a"}});
  REQUIRE(again.has_value());
  REQUIRE(again->now);
  CHECK(again->now->subscriptions == std::vector<std::string>{"a"});
}

TEST_CASE("an event that cannot be read is an error", "[redecode]") {
  CHECK_FALSE(read_event_again(of({sub("a", right)}), nursery(), {"{}", 0, {"a"}}).has_value());
  CHECK_FALSE(read_event_again(of({sub("a", right)}), nursery(), {"", 0, {"a"}}).has_value());
}

TEST_CASE("a difference says both readings", "[redecode]") {
  const auto data = told({sub("a", swapped)});
  const auto now = of({sub("a", renamed)}).match(transfer(), 0, 0, "head");
  const auto both = json::parse(difference(data, now)).as_object();
  CHECK(both.at("event_id") == json::parse(data).at("event_id"));
  CHECK(both.at("before").at("args").as_object().contains("from"));
  CHECK(both.at("after").at("args").as_object().contains("wad"));
  CHECK(json::parse(difference(data, std::nullopt)).at("after").is_null());
}

TEST_CASE("confirmed at once only by what confirmed it before", "[redecode]") {
  const struct {
    const char* says;
    status before;
    needs had, asks;
    status expected;
  } rows[] = {
      {"as before", status::confirmed, {12, tag::none}, {12, tag::none}, status::confirmed},
      {"less", status::confirmed, {24, tag::none}, {12, tag::none}, status::confirmed},
      {"more blocks", status::confirmed, {12, tag::none}, {24, tag::none}, status::pending},
      {"a tag too", status::confirmed, {12, tag::none}, {12, tag::finalized}, status::pending},
      {"a weaker tag", status::confirmed, {0, tag::finalized}, {0, tag::safe}, status::confirmed},
      {"pending stays so", status::pending, {24, tag::none}, {0, tag::none}, status::pending},
  };
  for (const auto& r : rows) {
    INFO(r.says);
    CHECK(reopened_as(r.before, r.had, r.asks) == r.expected);
  }
}
