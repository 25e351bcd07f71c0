// SPDX-License-Identifier: MIT
#include "tests/tide/reading_world.hpp"

#include <boost/json/serialize.hpp>

#include <functional>
#include <set>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

namespace {

evm::address20 address(std::size_t n) {
  evm::address20 a;
  a.octets[18] = static_cast<std::uint8_t>(n >> 8);
  a.octets[19] = static_cast<std::uint8_t>(n);
  return a;
}

/// An endpoint with as many logs at each height as it is told, and limits of its own.
struct node {
  std::map<std::uint64_t, std::size_t>
      logs;                     ///< by height; log i is of address i, topic i, and i % 2
  std::size_t most = 1'000'000; ///< logs of one answer; more: an error
  std::size_t cut = 1'000'000;  ///< more: left out without a word
  std::size_t list = 1'000'000; ///< addresses
  std::uint64_t span = 1'000'000;
  bool never = false; ///< eth_getLogs
  std::size_t calls = 0, receipts = 0;
  std::list<boost::json::value> kept;

  std::vector<evm::log> of(std::uint64_t n) const {
    std::vector<evm::log> out;
    const auto it = logs.find(n);
    for (std::size_t i = 0; it != logs.end() && i < it->second; ++i) {
      auto l = log_of(id_of(n), static_cast<std::uint32_t>(i), n * 100);
      l.address = address(i);
      l.topics = {hash_of(i, 'e'), hash_of(i % 2, 'v')};
      out.push_back(std::move(l));
    }
    return out;
  }
  /// What the filter wants at a topic; empty: any.
  static std::set<std::string> wanted(const boost::json::object& o, std::size_t position) {
    std::set<std::string> out;
    const auto* t = o.if_contains("topics");
    if (!t || t->as_array().size() <= position || t->as_array()[position].is_null()) return out;
    for (const auto& v : t->as_array()[position].as_array())
      out.insert(std::string(v.as_string()));
    REQUIRE_FALSE(out.empty());
    return out;
  }
  std::string get_logs(const boost::json::object& o) {
    ++calls;
    // Never without both ends, never open, never an empty list.
    const auto from = evm::parse_quantity(o.at("fromBlock").as_string());
    const auto to = evm::parse_quantity(o.at("toBlock").as_string());
    REQUIRE(from);
    REQUIRE(to);
    REQUIRE(*from <= *to);
    std::set<std::string> addresses;
    if (const auto* a = o.if_contains("address"))
      for (const auto& v : a->as_array())
        addresses.insert(std::string(v.as_string()));
    const auto topics = wanted(o, 0), second = wanted(o, 1);
    REQUIRE(addresses.empty() == !o.if_contains("address"));
    REQUIRE((topics.empty() && second.empty()) == !o.if_contains("topics"));
    if (never) return "!response too large";
    if (*to - *from + 1 > span) return "!block range too large";
    if (std::max({addresses.size(), topics.size(), second.size()}) > list)
      return "!exceed max addresses or topics per search position";
    std::vector<evm::log> found;
    for (auto n = *from; n <= *to; ++n)
      for (auto& l : of(n))
        if ((addresses.empty() || addresses.count(evm::to_hex(l.address))) &&
            (topics.empty() || topics.count(evm::to_hex(l.topics[0]))) &&
            (second.empty() || second.count(evm::to_hex(l.topics[1]))))
          found.push_back(std::move(l));
    if (found.size() > most) return too_big;
    if (found.size() > cut) found.resize(cut);
    return to_json(found);
  }
  call_result answer(const rpc_call& c) {
    REQUIRE((c.method != "eth_getLogs" || c.params.find("latest") == std::string::npos));
    const auto params = boost::json::parse(c.params).as_array();
    std::string text = "null";
    if (c.method == "eth_getLogs") {
      text = get_logs(params[0].as_object());
    } else if (c.method == "eth_getBlockByNumber") {
      const auto n = *evm::parse_quantity(params[0].as_string());
      auto b = block_of(n);
      b.header.transactions = {tx_of(n * 100)};
      text = to_json(b.header);
    } else {
      ++receipts;
      const auto hash = *evm::parse_hash(params[0].as_string());
      for (const auto& [n, count] : logs)
        if (id_of(n).hash == hash) {
          made_block b{block_of(n).header, of(n)};
          b.header.transactions = {tx_of(n * 100)};
          text = receipts_json(b);
        }
    }
    if (text[0] == '!') return {nullptr, {200, 0, text.substr(1)}};
    kept.push_back(boost::json::parse(text));
    return {&kept.back(), {}};
  }
  step run(reading& r) {
    for (int i = 0; i < 100; ++i) {
      for (std::size_t c = 0; c < r.calls().size(); ++c)
        if (!r.take(c, answer(r.calls()[c]))) return step::failed;
      if (const auto s = r.next(); s != step::more) return s;
    }
    return step::more;
  }
};

/// What was read: "height:index", in order.
std::vector<std::pair<std::uint64_t, std::uint32_t>> places(const std::vector<evm::log>& logs) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> out;
  for (const auto& l : logs)
    out.emplace_back(l.block.number, l.log_index);
  std::sort(out.begin(), out.end());
  return out;
}

interest::filter filter_of(std::size_t addresses, std::size_t topics = 0) {
  interest::filter f;
  for (std::size_t i = 0; i < addresses; ++i)
    f.addresses.push_back(address(i));
  for (std::size_t i = 0; i < topics; ++i)
    f.topic0.push_back(hash_of(i, 'e'));
  return f;
}

} // namespace

TEST_CASE("reading logs: all of a range, whatever the endpoint's limits") {
  struct row {
    const char* name;
    std::function<void(node&)> limit;
    reading::limits known;
    std::size_t addresses = 0, topics = 0;
  };
  const row rows[] = {
      {"no limit", [](node&) {}, {}},
      {"a known span", [](node& n) { n.span = 3; }, {3}},
      {"a span that shrank meanwhile", [](node& n) { n.span = 2; }, {7}},
      {"few results", [](node& n) { n.most = 13; }, {}},
      {"few results and few addresses", [](node& n) { n.most = n.list = 8; }, {}, 60},
      {"fewer results than a block has", [](node& n) { n.most = 5; }, {}, 60},
      {"by topics alone", [](node& n) { n.most = 5; }, {}, 0, 60},
      {"by both", [](node& n) { n.most = 5; }, {}, 3, 60},
      {"one result an answer", [](node& n) { n.most = 1; }, {}, 60, 60},
      {"no way to ask for fewer", [](node& n) { n.most = 5; }, {}},
      {"a known list", [](node& n) { n.list = 7; }, {2'000, 7}, 60, 9},
      {"eth_getLogs never works", [](node& n) { n.never = true; }, {}, 60},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    node n;
    r.limit(n);
    for (std::uint64_t h = 10; h < 20; ++h)
      n.logs[h] = h == 14 ? 41 : h % 3;
    reading one(ask_logs{10, 19, filter_of(r.addresses, r.topics)}, r.known);
    const auto s = n.run(one);
    INFO(one.text());
    REQUIRE(s == step::done);
    std::vector<evm::log> all;
    const auto most =
        r.addresses && r.topics ? std::min(r.addresses, r.topics) : std::max(r.addresses, r.topics);
    for (std::uint64_t h = 10; h < 20; ++h)
      for (auto& l : n.of(h))
        if (most == 0 || l.log_index < most) all.push_back(std::move(l));
    CHECK(places(std::get<logs_answer>(one.answer()).logs) == places(all));
    CHECK(n.calls < 700);
    CHECK(n.receipts <= 10);
  }
}

TEST_CASE("reading logs: further topics are asked for, unless the endpoint takes no such list") {
  const struct {
    std::size_t list;
    reading::limits known;
    std::size_t logs;
  } rows[] = {
      {1'000, {}, 5},      // 0, 2, 4, 6, 8
      {7, {}, 10},         // refused once, and then asked without
      {7, {2'000, 7}, 10}, // known to be refused
  };
  for (const auto& row : rows) {
    CAPTURE(row.list, row.known.list);
    node n;
    n.list = row.list;
    n.logs[14] = 10;
    auto f = filter_of(0);
    for (std::size_t i = 0; i < 20; i += 2)
      f.topics[0].push_back(hash_of(i, 'v'));
    reading one(ask_logs{10, 19, f}, row.known);
    REQUIRE(n.run(one) == step::done);
    CHECK(std::get<logs_answer>(one.answer()).logs.size() == row.logs);
    CHECK(n.calls <= 2);
  }
}

TEST_CASE("reading a range of one block: lists are halved, then its receipts are read") {
  for (const std::size_t most : {1, 5, 20, 100}) {
    CAPTURE(most);
    node n;
    n.most = most;
    n.logs[14] = 41;
    reading one(ask_range{14, 14, filter_of(60)}, {});
    REQUIRE(n.run(one) == step::done);
    CHECK(std::get<range_answer>(one.answer()).logs.size() == 41);
    CHECK(n.receipts == (most == 1 ? 1 : 0));
  }
}

TEST_CASE("reading a range: a long list goes in parts over the same blocks") {
  node n;
  n.list = 16;
  n.logs[14] = 41;
  reading one(ask_range{10, 19, filter_of(60)}, {});
  REQUIRE(n.run(one) == step::done);
  const auto a = std::get<range_answer>(one.answer());
  CHECK(a.headers.size() == 10);
  CHECK(a.logs.size() == 41);
  CHECK(n.calls == 1 + 2 + 4);
}

TEST_CASE("reading logs: a round number of logs is read again in halves") {
  struct row {
    const char* name;
    std::size_t there; ///< logs in each of ten blocks
    std::size_t cut;
    std::size_t proved = 0, known = 0;
    std::size_t calls = 1;
    std::size_t found = 0;
  };
  const row rows[] = {
      {"not round", 11, 1'000'000, 0, 0, 1},
      {"whole", 10, 1'000'000, 0, 0, 3},
      {"it gave more before", 10, 1'000'000, 101, 0, 1},
      {"it gave as many before", 10, 1'000'000, 100, 0, 1},
      {"cut at 100", 17, 100, 0, 0, 3, 100},
      {"cut at 25", 8, 25, 0, 0, 7, 25},
      {"a known cap that is not round", 8, 26, 0, 26, 7},
      {"a known cap", 8, 25, 0, 25, 7},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    node n;
    n.cut = r.cut;
    for (std::uint64_t h = 10; h < 20; ++h)
      n.logs[h] = r.there;
    reading one(ask_logs{10, 19, {}}, {2'000, 1'000, r.known, r.proved});
    REQUIRE(n.run(one) == step::done);
    CHECK(std::get<logs_answer>(one.answer()).logs.size() == 10 * r.there);
    CHECK(one.found_cap() == r.found);
    CHECK(n.calls == r.calls);
    if (r.found == 0 && r.known == 0 && r.there == 10) CHECK(one.most_logs() == 100);
  }
}

TEST_CASE("reading logs: one block with as many as its endpoint cuts at comes from receipts") {
  node n;
  n.cut = 25;
  n.logs[14] = 41;
  for (const std::size_t known : {0, 25}) {
    n.receipts = 0;
    reading one(ask_logs{10, 19, {}}, {2'000, 1'000, known, 0});
    REQUIRE(n.run(one) == step::done);
    CHECK(std::get<logs_answer>(one.answer()).logs.size() == 41);
    CHECK(n.receipts == 1);
  }
}

TEST_CASE("reading a range: a known cap makes it shorter, an unknown one is looked into") {
  node n;
  n.cut = 25;
  for (std::uint64_t h = 10; h < 20; ++h)
    n.logs[h] = 8;
  reading known(ask_range{10, 19, {}}, {2'000, 1'000, 25, 0});
  REQUIRE(n.run(known) == step::failed);
  CHECK(known.failure() == rpc_failure::too_big);
  reading one(ask_range{10, 19, {}}, {});
  REQUIRE(n.run(one) == step::done);
  const auto a = std::get<range_answer>(one.answer());
  CHECK(a.logs.size() == 80);
  CHECK(a.headers.size() == 10);
  CHECK(one.found_cap() == 25);
}

TEST_CASE("reading logs: halves that hold less than the whole are no answer") {
  endpoint e;
  std::vector<evm::log> logs;
  for (std::uint32_t i = 0; i < 25; ++i)
    logs.push_back(log_of(id_of(12), i, 1'200));
  e.range(11, 15) = to_json(logs);
  e.range(11, 13) = e.range(14, 15) = "[]";
  CHECK(e.failed(ask_logs{11, 15, {}}) ==
        "a passing failure: a range has 25 logs, its two halves have 0");
}
