// SPDX-License-Identifier: MIT
#include "tests/tide/inquirer_world.hpp"

using namespace tidemark;
using namespace tidemark::rpc_test;

TEST_CASE("inquirer votes: everybody is asked at once, in one post each") {
  world w(3);
  w.ask(ask_votes{}); // their chains are known now
  for (auto& n : w.nodes)
    n.sizes.clear();
  w.b().head = 4'990;
  w.nodes[2].latency = 4'000;
  const auto before = w.now;
  const auto a = w.get<votes_answer>(ask_votes{true, true, 4'995});
  CHECK(w.now - before == 4'000); // the slowest, once
  REQUIRE(a.votes.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(a.votes[i].endpoint == i);
    CHECK(a.votes[i].endpoint_name == std::string(1, static_cast<char>('a' + i)));
    CHECK(a.votes[i].says.head.number == (i == 1 ? 4'990 : 5'000));
    CHECK(a.votes[i].there.has_value() == (i != 1)); // null: it has none
    CHECK(w.nodes[i].sizes == std::vector<std::size_t>{4});
  }
  CHECK(a.silent.empty());
}

TEST_CASE("inquirer votes: who says nothing, and why") {
  world w(4);
  w.a().instead = always(nothing(how::timed_out));
  w.a().latency = 10'000;
  w.b().chain_id = 5;
  w.nodes[2].item = [](const std::string& m, const json::array&) -> std::optional<std::string> {
    if (m != "eth_getBlockByNumber") return std::nullopt;
    return "!boom";
  };
  const auto before = w.now;
  const auto a = w.get<votes_answer>(ask_votes{});
  CHECK(w.now - before == 10'000); // its time-out, once
  REQUIRE(a.votes.size() == 1);
  CHECK(a.votes[0].endpoint_name == "d");
  CHECK(a.silent == "b: it serves chain 5, the config says 1; c: boom; a: timeout");
  CHECK(w.state(0) == "failing");
  CHECK(w.state(1) == "refused");
  CHECK(w.q.status()[2].errors == 1);
  const auto requests = w.b().sizes.size();
  const auto again = w.get<votes_answer>(ask_votes{});
  CHECK(again.silent.find("b: it serves chain 5") != std::string::npos);
  CHECK(w.b().sizes.size() == requests); // it may not be asked now
}

TEST_CASE("inquirer votes: nobody") {
  world w(2);
  w.a().instead = w.b().instead = always(nothing(how::unreachable));
  CHECK(w.who(ask_votes{}) == "none: a: refused; b: refused");
  w.a().instead = w.b().instead = {};
  CHECK(w.get<votes_answer>(ask_votes{}).votes.size() > 0); // after a moment's wait
}

TEST_CASE("inquirer: another endpoint than that, where one may be asked") {
  world w(2);
  CHECK(w.who(ask_head{}, {}, 0) == "b");
  CHECK(w.who(ask_head{}, {}, 1) == "a");
  w.b().instead = always(nothing(how::unreachable));
  CHECK(w.who(ask_head{}, {}, 0) == "a");
  CHECK(world(1).who(ask_head{}, {}, 0) == "a");
}

TEST_CASE("inquirer ranges: the last header, then all else at once, then the last header") {
  world w(1);
  for (int i = 0; i < 20; ++i)
    w.who(ask_range{1, 4'000, {}}); // its span is at its limit now
  w.now += 60'000;
  w.a().sizes.clear();
  w.a().heard.clear();
  const auto a = w.get<range_answer>(ask_range{100, 2'099, {}});
  CHECK(a.headers.size() == 2'000);
  CHECK(a.logs.size() == 2'000);
  const auto& n = w.a();
  REQUIRE(n.sizes.size() >= 5);
  CHECK(n.sizes[0] == 1); // block 2,099
  CHECK(n.sizes[1] == 1); // the logs, in a post of their own
  CHECK(n.heard[1].find("eth_getLogs") == 0);
  CHECK(n.sizes.back() == 1);
  CHECK(n.heard[0] == n.heard.back());
  CHECK(w.most_at_once[0] == 8);
  CHECK(n.sizes.size() == 1 + 41 + 2 + 4 + 1); // 2,000 logs: halves, and again
  CHECK(w.q.status()[0].head == 2'099);
}

TEST_CASE("inquirer headers: several posts at once") {
  world w(1);
  w.a().latency = 100;
  w.who(ask_head{});
  const auto before = w.now;
  CHECK(w.get<headers_answer>(ask_headers{1, 400}).headers.size() == 400);
  CHECK(w.now - before == 100);
  CHECK(w.most_at_once[0] == 8);
}

TEST_CASE("inquirer logs: all of a range, by the endpoint's span, and again where it is cut") {
  world w(1);
  w.a().span = 300;
  CHECK(w.get<logs_answer>(ask_logs{100, 3'000, {}}).logs.size() == 2'901);
  CHECK(w.a().count("eth_getBlockByNumber") == 0);
  w.a().logs_cut = 100;
  w.now += 60'000;
  CHECK(w.get<logs_answer>(ask_logs{100, 3'000, {}}).logs.size() == 2'901);
  w.a().heard.clear();
  CHECK(w.get<range_answer>(ask_range{100, 3'000, {}}).headers.size() <= 100); // remembered
}

TEST_CASE("inquirer logs: long lists are halved, and that is remembered") {
  world w(1);
  w.a().list = 100;
  interest::filter f;
  for (std::uint16_t i = 0; i < 500; ++i) {
    evm::address20 a;
    a.octets[18] = static_cast<std::uint8_t>(i >> 8);
    a.octets[19] = static_cast<std::uint8_t>(i);
    f.addresses.push_back(a);
  }
  w.get<logs_answer>(ask_logs{100, 110, f});
  CHECK(w.a().count("eth_getLogs") == 1 + 2 + 4 + 8);
  w.a().heard.clear();
  w.get<logs_answer>(ask_logs{100, 110, f});
  CHECK(w.a().count("eth_getLogs") == 9); // of 62 each
  w.a().heard.clear();
  w.get<range_answer>(ask_range{100, 110, f});
  CHECK(w.a().count("eth_getLogs") == 9);
}

TEST_CASE("inquirer: an unknown failure of a range passes twice, then it is its length") {
  world w(1);
  for (int i = 0; i < 20; ++i)
    w.who(ask_range{1, 4'000, {}});
  w.a().item = [](const std::string& m, const json::array& p) -> std::optional<std::string> {
    if (m != "eth_getLogs") return std::nullopt;
    const auto& o = p[0].as_object();
    const auto blocks = *evm::parse_quantity(o.at("toBlock").as_string()) -
                        *evm::parse_quantity(o.at("fromBlock").as_string()) + 1;
    return blocks > 1'200 ? std::optional<std::string>("!something is wrong") : std::nullopt;
  };
  CHECK(w.who(ask_range{100, 4'000, {}}) == "none: a: something is wrong");
  w.now += 60'000;
  CHECK(w.get<range_answer>(ask_range{100, 4'000, {}}).headers.size() == 1'000);
}

TEST_CASE("inquirer: who lags is passed over, and gets its turn back") {
  world w(2);
  w.a().head = 4'990;
  CHECK(w.who(ask_votes{}) == "a"); // now both heads are known
  CHECK(w.who(ask_head{}) == "b");
  CHECK(w.state(0) == "lagging");
  CHECK(w.who(ask_headers{4'980, 4'985}) == "a"); // it has those
  CHECK(w.who(ask_headers{4'990, 4'995}) == "b");
  w.a().head = 5'001;
  CHECK(w.who(ask_head{}) == "b");
  w.now += 10'000;
  CHECK(w.who(ask_head{}) == "a");
  CHECK(w.state(0) == "ok");
  w.a().head = 4'000; // it falls behind again: noticed with its answer
  w.b().head = 5'002;
  w.ask(ask_head{}, 1);
  w.now += 10'000;
  CHECK(w.who(ask_head{}) == "b");
  w.now += 10'000;
  w.b().instead = always(nothing(how::unreachable));
  const auto got = w.ask(ask_head{}); // there is nobody better
  CHECK(got.endpoint_name == "a");
  CHECK(std::get<head_answer>(got.what).head.number == 4'000);
}

TEST_CASE("inquirer: history that one has dropped is asked of another") {
  world w(2);
  w.a().lowest = 1'000;
  CHECK(w.who(ask_headers{500, 510}) == "b");
  const auto asked = w.a().sizes.size();
  CHECK(w.who(ask_headers{400, 410}) == "b");
  CHECK(w.who(ask_range{500, 510, {}}) == "b");
  CHECK(w.a().sizes.size() == asked); // remembered
  CHECK(w.who(ask_headers{1'000, 1'010}) == "a");
  CHECK(w.state(0) == "ok");
}

TEST_CASE("inquirer: answers over a new connection wait for its chain, none is lost") {
  world w(2);
  w.who(ask_head{});
  for (const std::uint64_t chain : {1, 5}) {
    CAPTURE(chain);
    w.a().fresh = true;
    w.a().chain_id = chain;
    w.a().heard.clear();
    const auto got = w.ask(ask_headers{1, 300});
    REQUIRE(std::holds_alternative<headers_answer>(got.what));
    CHECK(got.endpoint_name == (chain == 1 ? "a" : "b"));
    CHECK(w.a().count("eth_getBlockByNumber") == 300); // each once
    CHECK(w.a().count("eth_chainId") == 1);
  }
  CHECK(w.state(0) == "refused");
}

TEST_CASE("inquirer: what is held for a chain that may only be asked for later is not forgotten") {
  world w(1, 2); // calls a second: that many in a post, and the next one waits for its time
  w.who(ask_head{});
  w.carry_out(w.q.ask({++w.asks, ask_headers{1, 4}, {}, {}}, w.now));
  while (w.under_way.empty())
    REQUIRE(w.step());
  const auto second = *w.q.next_tick();
  // The first answer comes when the chain was asked for because of the second one, and may not be
  // asked for again yet.
  w.under_way[0].at = second + 200;
  w.under_way[0].a.fresh = true;
  w.a().fresh = true;
  const auto before = w.answers.size();
  while (w.answers.size() == before)
    REQUIRE(w.step());
  REQUIRE(std::holds_alternative<headers_answer>(w.answers.back().what));
  CHECK(w.a().count("eth_chainId") == 3);
}

TEST_CASE("inquirer: a liar loses its turn, longer each time") {
  world w(2);
  CHECK(w.who(ask_head{}) == "a");
  std::int64_t pause = 60'000;
  for (int i = 0; i < 4; ++i, pause *= 2) {
    w.carry_out(w.q.lied(0, "a log says so", w.now));
    CHECK(w.state(0) == "lying");
    w.now += pause - 1'000;
    CHECK(w.who(ask_head{}) == "b");
    w.now += 1'000;
    CHECK(w.who(ask_head{}) == "a");
  }
  CHECK(w.warnings.size() == 4);
  CHECK(w.warnings[0] == "endpoint a said what cannot be: a log says so");
  CHECK(w.q.lied(99, "", w.now).empty());
}

TEST_CASE("inquirer: an older ask's posts are void") {
  world w(1);
  w.who(ask_head{});
  w.carry_out(w.q.ask({77, ask_headers{1, 300}, {}, {}}, w.now));
  CHECK(w.under_way.size() == 6);
  CHECK(w.get<headers_answer>(ask_headers{5, 6}).headers.size() == 2);
  while (w.step()) {
  }
  CHECK(w.answers.size() == 2);
}

TEST_CASE("inquirer: nothing to ask is an answer too") {
  world w(1);
  for (const ask_what& what :
       {ask_what(ask_blocks{}), ask_what(ask_receipts{}), ask_what(ask_headers{5, 4}),
        ask_what(ask_range{5, 4, {}}), ask_what(ask_logs{5, 4, {}})})
    CHECK(w.who(what) == "none: no endpoint may be asked now");
  CHECK(w.who(ask_head{}, 99).find("none: ") == 0);
  CHECK(world(0).who(ask_head{}).find("none: ") == 0);
}
