// SPDX-License-Identifier: MIT
#include "tests/tide/inquirer_world.hpp"

using namespace tidemark;
using namespace tidemark::rpc_test;

namespace {

constexpr std::uint64_t headers = 400;

/// All of them, each the right one, from the only endpoint.
void reads_all(world& w) {
  const auto a = w.get<headers_answer>(ask_headers{1, headers});
  REQUIRE(a.headers.size() == headers);
  for (std::uint64_t i = 0; i < headers; ++i)
    REQUIRE(a.headers[i].id() == id_of(1 + i));
}

} // namespace

TEST_CASE("inquirer posts: items that fail in company are sent again") {
  struct row {
    const char* name;
    std::string says;
    bool smaller; ///< batches afterwards
  };
  const row rows[] = {
      {"a failure", "!internal error", false},
      {"nothing", "-", true},
      {"too large", "!response too large", false},
      {"too many calls", "!rate limit exceeded", true},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    world w(1);
    std::map<std::string, int> asked;
    w.a().item = [&](const std::string& m, const json::array& p) -> std::optional<std::string> {
      // Each thirtieth block, the first time.
      if (m != "eth_getBlockByNumber") return std::nullopt;
      const auto n = evm::parse_quantity(p[0].as_string());
      if (!n || *n % 60 != 7 || asked[json::serialize(p)]++ > 0) return std::nullopt;
      return r.says;
    };
    reads_all(w);
    CHECK(w.a().count("eth_getBlockByNumber") < headers + 60);
    CHECK(w.a().count("eth_chainId") == 1); // one talk from its beginning to its end
    const auto posts = w.a().sizes.size();
    w.a().item = {};
    reads_all(w);
    CHECK((*std::max_element(w.a().sizes.begin() + static_cast<std::ptrdiff_t>(posts),
                             w.a().sizes.end()) < 50) == r.smaller);
  }
}

TEST_CASE("inquirer posts: an item that fails alone too is the endpoint's failure") {
  world w(2);
  w.a().item = [](const std::string&, const json::array& p) -> std::optional<std::string> {
    if (p.empty() || p[0] != "0x7") return std::nullopt;
    return "!internal error";
  };
  CHECK(w.who(ask_headers{1, 50}) == "b");
  CHECK(w.a().count("\"0x7\"") == 2);
  CHECK(w.state(0) == "failing");
}

TEST_CASE("inquirer posts: answers of every HTTP status are read") {
  for (const int status : {200, 400, 413, 429, 500, 503}) {
    CAPTURE(status);
    world w(1);
    auto& n = w.a();
    n.instead = [&n, status](const std::string& body) -> std::optional<arrival> {
      n.instead = {};
      auto a = n.answer(body);
      a.status = status;
      return a;
    };
    CHECK(w.who(ask_head{}) == "a");
    n.instead =
        always(http(status, R"({"id":1,"error":{"code":-32000,"message":"unknown block"}})"));
    const auto said = w.who(ask_receipts{{tx_of(1)}});
    CHECK(said.find("none: a: unknown block") == 0);
  }
}

TEST_CASE("inquirer posts: in the middle of a reading it waits, and goes on where it was") {
  world w(2);
  int times = 0;
  w.a().instead = [&](const std::string& body) -> std::optional<arrival> {
    if (body[0] != '[' || ++times < 3 || times > 6) return std::nullopt;
    auto a = http(429, R"({"error":{"code":-32005,"message":"too many requests"}})");
    a.retry_after = 3'000;
    return a;
  };
  const auto before = w.now;
  const auto got = w.ask(ask_headers{1, headers});
  CHECK(got.endpoint_name == "a");
  CHECK(std::get<headers_answer>(got.what).headers.size() == headers);
  CHECK(w.now - before >= 3'000);
  CHECK(w.b().sizes.empty());
}

TEST_CASE("inquirer posts: for long it does not wait while there is another") {
  world w(2);
  int times = 0;
  w.a().instead = [&](const std::string& body) -> std::optional<arrival> {
    if (body[0] != '[' || ++times < 3) return std::nullopt;
    auto a = http(429, R"({"error":{"code":-32005,"message":"too many requests"}})");
    a.retry_after = 30'000;
    return a;
  };
  CHECK(w.who(ask_headers{1, headers}) == "b");
  CHECK(w.state(0) == "rate_limited");
  w.a().instead = {};
  w.now += 29'000;
  CHECK(w.who(ask_head{}) == "b");
  w.now += 2'000;
  CHECK(w.who(ask_head{}) == "a");
}

TEST_CASE("inquirer posts: a rate that an endpoint keeps to is found, and forgotten again") {
  world w(1);
  // Twenty calls a second, not one more.
  std::int64_t second = 0;
  int in_it = 0, refused = 0, taken = 0;
  w.a().item = [&](const std::string&, const json::array&) -> std::optional<std::string> {
    if (w.now / 1'000 != second) second = w.now / 1'000, in_it = 0;
    if (++in_it <= 20) return ++taken, std::nullopt;
    ++refused;
    return "!rate limit exceeded";
  };
  int answered = 0;
  for (int i = 0; i < 40; ++i) {
    const auto got = w.ask(ask_headers{1, 200});
    answered += std::holds_alternative<headers_answer>(got.what) ? 1 : 0;
    w.now += 5'000;
  }
  CHECK(answered >= 38);
  CHECK(refused * 4 < taken);
  w.a().item = {};
  for (int i = 0; i < 1'000; ++i) {
    w.who(ask_head{});
    w.now += 1'000;
  }
  w.a().latency = 1;
  const auto before = w.now;
  w.get<headers_answer>(ask_headers{1, 2'000});
  CHECK(w.now - before < 1'000);
}

TEST_CASE("inquirer posts: a configured rate holds over many at once") {
  world w(1, 50);
  const auto before = w.now;
  CHECK(w.get<headers_answer>(ask_headers{1, 500}).headers.size() == 500);
  CHECK(w.now - before >= 8'900);
  CHECK(w.now - before <= 9'500);
}

TEST_CASE("inquirer posts: a batch that is too much for a server is made smaller") {
  for (const auto came : {how::too_large, how::timed_out, how::cut}) {
    world w(1);
    w.a().instead = [came](const std::string& body) -> std::optional<arrival> {
      if (body[0] != '[' || json::parse(body).as_array().size() <= 8) return std::nullopt;
      return nothing(came);
    };
    for (int i = 0; i < 8 && w.who(ask_headers{1, headers}) != "a"; ++i)
      w.now += 60'000;
    reads_all(w);
  }
}

TEST_CASE("inquirer posts: one that is lost on the way is sent once more where nobody else is") {
  for (const auto& lost : {nothing(how::cut), nothing(how::timed_out), nothing(how::unreachable),
                           http(502, "<html>"), http(503, "")}) {
    world w(2);
    w.who(ask_head{}, 0);
    w.b().chain_id = 5;
    w.who(ask_head{}, 1); // it may not be asked
    int posts = 0;
    w.a().instead = [&](const std::string&) -> std::optional<arrival> {
      return ++posts % 5 == 3 ? std::optional(lost) : std::nullopt;
    };
    const auto got = w.ask(ask_headers{1, headers});
    CHECK(got.endpoint_name == "a");
    CHECK(std::holds_alternative<headers_answer>(got.what));
    CHECK(w.q.status()[0].errors == 0);
  }
}
