// SPDX-License-Identifier: MIT
#include "tests/actors/rpc_world.hpp"

using namespace tidemark;
using namespace tidemark::actors;
using namespace std::chrono_literals;

namespace {

std::size_t largest_of(const std::vector<std::size_t>& sizes, std::size_t first) {
  return *std::max_element(sizes.begin() + static_cast<std::ptrdiff_t>(first), sizes.end());
}
struct one_node : rpc_fixture {
  one_node() : rpc_fixture("a") {}

  /// The blocks of each eth_getLogs, and that all began at `from`.
  std::vector<std::uint64_t> spans(std::uint64_t from) {
    std::vector<std::uint64_t> out;
    for (const auto& c : a().heard) {
      if (c.method != "eth_getLogs") continue;
      const auto filter = json::parse(c.params).at(0);
      CHECK(filter.at("fromBlock").as_string() == evm::to_quantity(from));
      out.push_back(*evm::parse_quantity(filter.at("toBlock").as_string()) - from + 1);
    }
    return out;
  }
  /// Ranges that work, until they are as long as they get.
  void warm() {
    for (int i = 0; i < 3; ++i)
      CHECK(who(tide::ask_range{100, 4'000, {}}) == "a");
    a().heard.clear();
  }
  std::size_t largest_request(std::size_t first = 0) { return largest_of(a().sizes, first); }
};
using spans_of = std::vector<std::uint64_t>;

bool is_batch(const std::string& body) { return body.front() == '['; }

} // namespace

TEST_CASE_METHOD(one_node, "rpc batches: one error object for a batch, then one call at a time",
                 "[rpc]") {
  a().batch = 1;
  const auto answer_with = [this](const char* body) {
    a().batch_answer = body;
    const auto got = ask(blocks(11, 40));
    REQUIRE(got.endpoint_name == "a");
    CHECK(std::get<tide::blocks_answer>(got.what).blocks.size() == 30);
    CHECK(largest_request(a().sizes.size() - 20) == 1);
    const auto requests = a().sizes.size();
    CHECK(who(tide::ask_headers{11, 12}) == "a");
    CHECK(a().sizes.size() == requests + 2); // remembered
  };
  SECTION("an error") {
    answer_with(R"({"id":null,"error":{"code":-32600,"message":"Invalid Request"}})");
  }
  SECTION("a result") { answer_with(R"({"id":1,"result":"0x1"})"); }
  SECTION("no method") { answer_with(R"({"error":{"code":-32601,"message":"method not found"}})"); }
}

TEST_CASE_METHOD(one_node, "rpc batches: smaller ones, until they fit", "[rpc]") {
  a().batch = 7;
  const auto answer_with = [this](const char* body) {
    a().batch_answer = body;
    const auto got = ask(blocks(11, 40));
    REQUIRE(got.endpoint_name == "a");
    CHECK(std::get<tide::blocks_answer>(got.what).blocks.size() == 30);
    CHECK(a().sizes[1] == 50);
    CHECK(a().sizes.back() <= 6);
    CHECK(a().sizes.back() >= 4);
  };
  SECTION("items are missing") { answer_with(R"([{"id":1,"result":null}])"); }
  SECTION("too large, as one object") {
    answer_with(R"({"error":{"code":-32600,"message":"batch too large"}})");
  }
  SECTION("too large, as a list of one") {
    answer_with(R"([{"id":null,"error":{"code":-32600,"message":"batch too large"}}])");
  }
  SECTION("413 and no JSON") {
    a().instead = [](const std::string& body) -> std::optional<net::client_result> {
      if (is_batch(body) && json::parse(body).get_array().size() > 7) return http(413, "<html>");
      return std::nullopt;
    };
    answer_with("");
  }
}

TEST_CASE_METHOD(one_node, "rpc batches: items that are too large for the answer they share",
                 "[rpc]") {
  // As geth does it: what is beyond 25 MB is an error in its place.
  a().instead = [](const std::string& body) -> std::optional<net::client_result> {
    if (!is_batch(body)) return std::nullopt;
    const auto calls = json::parse(body).get_array().size();
    if (calls <= 8) return std::nullopt;
    std::string out;
    for (std::size_t i = 1; i <= calls; ++i)
      out += (i > 1 ? "," : "[") + std::string(R"({"id":)") + std::to_string(i) +
             R"(,"error":{"code":-32003,"message":"response too large"}})";
    return http(200, out + "]");
  };
  const auto got = ask(tide::ask_headers{11, 90});
  REQUIRE(got.endpoint_name == "a");
  CHECK(std::get<tide::headers_answer>(got.what).headers.size() == 80);
  CHECK(a().sizes.back() <= 8);
}

TEST_CASE_METHOD(one_node, "rpc batches: an answer that is too large for us", "[rpc]") {
  a().instead = [](const std::string& body) -> std::optional<net::client_result> {
    if (is_batch(body) && json::parse(body).get_array().size() > 8)
      return broken(net::failure::too_large);
    return std::nullopt;
  };
  CHECK(who(blocks(11, 40)) == "a");
}

TEST_CASE_METHOD(rpc_fixture, "rpc batches: a limit on the rate says nothing about batches",
                 "[rpc]") {
  CHECK(who(tide::ask_head{}) == "a");
  int times = 0;
  a().instead = [&](const std::string&) -> std::optional<net::client_result> {
    ++times;
    return http(429, R"({"error":{"code":-32005,"message":"slow down"}})", {{"Retry-After", "7"}});
  };
  CHECK(who(blocks(11, 20)) == "b");
  CHECK(times == 1);
  CHECK(state(0) == "rate_limited");
  a().instead = {};
  advance(6s);
  CHECK(who(tide::ask_head{}) == "b");
  advance(1'100ms);
  const auto requests = a().sizes.size();
  CHECK(who(blocks(11, 20)) == "a");
  CHECK(largest_of(a().sizes, requests) >= 10); // slower, and in batches all the same
}

TEST_CASE_METHOD(rpc_fixture,
                 "rpc batches: a server's own failure is not answered with many requests",
                 "[rpc]") {
  CHECK(who(tide::ask_head{}) == "a");
  const auto requests = a().sizes.size();
  a().instead = [](const std::string&) {
    return http(503, R"({"error":{"code":-32603,"message":"internal error"}})");
  };
  CHECK(who(blocks(11, 20)) == "b");
  CHECK(a().sizes.size() == requests + 1);
}

TEST_CASE_METHOD(one_node, "rpc batches: they grow again", "[rpc]") {
  a().batch = 1;
  a().batch_answer = R"({"error":{"code":-32600,"message":"Invalid Request"}})";
  CHECK(who(tide::ask_headers{11, 20}) == "a");
  a().batch = 1'000;
  for (int i = 0; i < 60; ++i)
    who(tide::ask_headers{11, 90});
  CHECK(a().sizes.back() > 4);
}

TEST_CASE_METHOD(one_node,
                 "rpc ranges: too big is asked for again, strictly smaller, from the same place",
                 "[rpc]") {
  warm();
  a().span = 300;
  SECTION("halves") { a().span_words = "block range too large"; }
  SECTION("a hint") { a().span_words = "block range is limited to 300 blocks"; }
  SECTION("a hint that does not hold") { a().span_words = "exceed maximum block range: 1999"; }
  const auto got = ask(tide::ask_range{100, 4'000, {}});
  REQUIRE(got.endpoint_name == "a");
  const auto& range = std::get<tide::range_answer>(got.what);
  CHECK(range.headers.front().number == 100);
  CHECK(range.headers.size() <= 300);
  CHECK(range.headers.size() >= 200);
  const auto tried = spans(100);
  CHECK(tried.front() == 2'000);
  for (std::size_t i = 1; i < tried.size(); ++i)
    CHECK(tried[i] < tried[i - 1]);
  CHECK(tried.back() == range.headers.size());
  const auto before = tried.size();
  CHECK(who(tide::ask_range{100, 4'000, {}}) == "a");
  CHECK(spans(100).size() == before + 1); // what works is remembered
}

TEST_CASE_METHOD(one_node, "rpc ranges: too big in other words", "[rpc]") {
  warm();
  const auto beyond = [this](net::client_result (*how)()) {
    a().instead = [how](const std::string& body) -> std::optional<net::client_result> {
      if (is_batch(body) || body.find("eth_getLogs") == std::string::npos) return std::nullopt;
      const auto filter = json::parse(body).at("params").at(0);
      const auto span = *evm::parse_quantity(filter.at("toBlock").as_string()) -
                        *evm::parse_quantity(filter.at("fromBlock").as_string()) + 1;
      return span > 600 ? std::optional(how()) : std::nullopt;
    };
    CHECK(who(tide::ask_range{100, 4'000, {}}) == "a");
    CHECK(spans(100) == spans_of{2'000, 1'000, 500});
  };
  SECTION("413 and no JSON") {
    beyond([] { return http(413, "<html>"); });
  }
  SECTION("413 and JSON") {
    beyond([] { return http(413, R"({"id":1,"error":{"code":-32614,"message":"no"}})"); });
  }
  SECTION("too large for us") {
    beyond([] { return broken(net::failure::too_large); });
  }
  SECTION("an error in data alone, with 400") {
    beyond([] {
      return http(
          400,
          R"({"id":1,"error":{"code":-32602,"message":"Invalid params","data":{"range":"exceeds the range allowed for your plan"}}})");
    });
  }
}

TEST_CASE_METHOD(one_node, "rpc ranges: down to one block, whose receipts are read", "[rpc]") {
  warm();
  a().span = 0;
  const auto got = ask(tide::ask_range{100, 4'000, {}});
  // Its receipts are null here: the last word is theirs.
  CHECK(std::get<tide::no_answer>(got.what).text.find("it has no receipts of block 100 ") !=
        std::string::npos);
  const auto tried = spans(100);
  REQUIRE(tried.size() >= 11);
  CHECK(tried[10] == 1);
  CHECK(a().count("eth_getBlockReceipts") > 0);
}

TEST_CASE_METHOD(one_node, "rpc ranges: what fails without words is made smaller in the end",
                 "[rpc]") {
  warm();
  a().instead = [](const std::string& body) -> std::optional<net::client_result> {
    if (is_batch(body) || body.find("eth_getLogs") == std::string::npos) return std::nullopt;
    const auto filter = json::parse(body).at("params").at(0);
    const auto span = *evm::parse_quantity(filter.at("toBlock").as_string()) -
                      *evm::parse_quantity(filter.at("fromBlock").as_string()) + 1;
    return span > 600 ? std::optional(broken(net::failure::timeout)) : std::nullopt;
  };
  CHECK(who(tide::ask_range{100, 4'000, {}}) == "none: a: timeout");
  std::string last;
  for (int i = 0; i < 5 && last != "a"; ++i) {
    advance(30s, 1s);
    last = who(tide::ask_range{100, 4'000, {}});
  }
  CHECK(last == "a");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: time-outs go to the next endpoint, and end", "[rpc]") {
  a().instead = [](const std::string&) { return broken(net::failure::timeout); };
  CHECK(who(tide::ask_head{}) == "b");
  b().instead = a().instead;
  CHECK(who(tide::ask_head{}) == "none: b: timeout; a: timeout");
}

TEST_CASE("rpc: the rate of an endpoint holds for every call", "[rpc]") {
  rpc_fixture f("a");
  f.chain->rpc[0].requests_per_second = 10;
  const auto before = f.now;
  const auto got = f.ask(tide::ask_headers{11, 110}, {}, 60s);
  REQUIRE(got.endpoint_name == "a");
  CHECK(std::get<tide::headers_answer>(got.what).headers.size() == 100);
  CHECK(f.now - before >= 8'900); // ten at once, ninety more at ten a second
  CHECK(f.now - before <= 9'500);
}

TEST_CASE("rpc: the limit of an endpoint is the most it is asked for", "[rpc]") {
  rpc_fixture f("a");
  f.chain->rpc[0].max_range = 100;
  const auto got = f.ask(tide::ask_range{50, 4'000, {}});
  CHECK(std::get<tide::range_answer>(got.what).headers.size() == 100);
}

TEST_CASE("rpc: an endpoint's own headers and time-out go with each request", "[rpc]") {
  rpc_fixture f("a");
  f.chain->rpc[0].headers = {{"Authorization", "Bearer x"}};
  f.chain->rpc[0].timeout = 3s;
  std::vector<net::client_request> sent;
  rpc_params p;
  p.chain = f.chain;
  p.send = [&](net::client_request r, net::http_client::callback) { sent.push_back(std::move(r)); };
  p.now = [&] { return f.now; };
  p.publish = [](std::vector<tide::endpoint_status>) {};
  p.warn = [](std::string_view) {};
  const auto alone = f.own(f.sys.spawn(make_rpc, p));
  caf::anon_send(alone, asked{box(tide::ask{1, tide::ask_head{}, {}, {}})});
  f.run();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].target.host == "a.example");
  CHECK(sent[0].timeout == 3s);
  CHECK(sent[0].headers ==
        net::header_list{{"Authorization", "Bearer x"}, {"Content-Type", "application/json"}});
  CHECK(sent[0].reach == net::egress::anything);
  CHECK(sent[0].accept_gzip);
  f.end(); // before `sent` is gone
}
