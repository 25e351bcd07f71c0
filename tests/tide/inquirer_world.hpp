// SPDX-License-Identifier: MIT
#pragma once

#include "tests/tide/rpc_world.hpp"
#include "tide/inquirer.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tidemark::rpc_test {

using namespace tide;
namespace json = boost::json;
using arrival = inquirer::arrival;
using how = arrival::how;

inline arrival http(int status, std::string body) {
  arrival a;
  a.status = status;
  a.body = std::move(body);
  return a;
}
inline arrival nothing(how came) {
  arrival a;
  a.came = came;
  a.text = came == how::timed_out ? "timeout" : came == how::cut ? "cut" : "refused";
  return a;
}

/// A node: blocks of branch A up to its head, one transaction with one log in each.
struct node {
  std::uint64_t chain_id = 1, head = 5'000, lowest = 0;
  std::int64_t latency = 10;
  std::size_t logs_cut = 1'000'000; ///< more are left out without a word
  std::uint64_t span = 1'000'000;
  std::size_t list = 1'000'000;
  std::string span_words = "block range too large";
  bool fresh = false; ///< the next answer comes over a new connection
  /// An item's answer instead: a result, "!words" for an error, "-" for none at all.
  std::function<std::optional<std::string>(const std::string& method, const json::array& params)>
      item;
  /// A whole answer instead.
  std::function<std::optional<arrival>(const std::string& body)> instead;
  std::vector<std::size_t> sizes; ///< of each post: its calls
  std::vector<std::string> heard; ///< methods and parameters

  std::size_t count(const std::string& part) const {
    return static_cast<std::size_t>(
        std::count_if(heard.begin(), heard.end(),
                      [&](const std::string& h) { return h.find(part) != std::string::npos; }));
  }
  std::string get_logs(const json::object& o) const {
    if (const auto* hash = o.if_contains("blockHash")) {
      const auto h = evm::parse_hash(hash->as_string()).value();
      std::uint64_t n = 0;
      for (std::size_t i = 24; i < 32; ++i)
        n = n << 8 | h.octets[i];
      return to_json(block_of(n, 1).logs);
    }
    // What nobody may ever be asked for.
    const auto from = evm::parse_quantity(o.at("fromBlock").as_string());
    const auto to = evm::parse_quantity(o.at("toBlock").as_string());
    REQUIRE((from && to && *from <= *to));
    const auto* addresses = o.if_contains("address");
    REQUIRE((!addresses || !addresses->as_array().empty()));
    if (*to - *from + 1 > span) return "!" + span_words;
    if (addresses && addresses->as_array().size() > list)
      return "!exceed max addresses or topics per search position";
    std::vector<evm::log> logs;
    for (auto n = *from; n <= *to && logs.size() < logs_cut; ++n)
      logs.push_back(block_of(n, 1).logs.front());
    return to_json(logs);
  }
  std::string result(const std::string& method, const json::array& params) const {
    if (item)
      if (auto other = item(method, params)) return *other;
    if (method == "eth_chainId") return quoted(evm::to_quantity(chain_id));
    if (method == "eth_getLogs") return get_logs(params[0].as_object());
    if (method != "eth_getBlockByNumber") return "null";
    const auto tag = params[0].as_string();
    const auto n = evm::parse_quantity(tag).value_or(head);
    if (n < lowest) return "!pruned history unavailable";
    return n > head ? "null" : to_json(block_of(n, 1).header);
  }
  arrival answer(const std::string& body) {
    const auto asked = json::parse(body);
    const json::array one{asked};
    const auto& calls = asked.is_array() ? asked.get_array() : one;
    sizes.push_back(calls.size());
    std::string out;
    for (const auto& c : calls) {
      const auto method = std::string(c.at("method").as_string());
      heard.push_back(method + json::serialize(c.at("params")));
      const auto r = result(method, c.at("params").as_array());
      if (r == "-") continue;
      out += (out.empty() ? "" : ",") + std::string(R"({"id":)") + json::serialize(c.at("id")) +
             (r[0] == '!' ? R"(,"error":{"code":-32000,"message":")" + r.substr(1) + "\"}}"
                          : R"(,"result":)" + r + "}");
    }
    auto a = http(200, asked.is_array() ? "[" + out + "]" : out);
    if (instead)
      if (auto other = instead(body)) a = *other;
    a.fresh = std::exchange(fresh, false);
    return a;
  }
};

/// An inquirer and its nodes a, b, c … on simulated time.
struct world {
  std::vector<node> nodes;
  inquirer q;
  std::int64_t now = 1'700'000'000'000;
  struct coming {
    std::int64_t at;
    std::uint64_t n;
    std::size_t endpoint;
    arrival a;
  };
  std::vector<coming> under_way;
  std::vector<answer> answers;
  std::vector<std::string> warnings;
  std::map<std::size_t, std::size_t> most_at_once;
  std::uint64_t asks = 0;
  bool looks = false; ///< it began, so that it may wait for its time to look again

  static std::vector<endpoint_settings> settings(std::size_t n, double rate) {
    std::vector<endpoint_settings> all;
    for (std::size_t i = 0; i < n; ++i)
      all.push_back({std::string(1, static_cast<char>('a' + i)), {}, rate});
    return all;
  }
  explicit world(std::size_t n = 2, double rate = 0)
      : nodes(n), q(1, settings(n, rate), 2'000, 7) {}

  node& a() { return nodes[0]; }
  node& b() { return nodes[1]; }

  void carry_out(inquirer::effects effects) {
    for (auto& e : effects) {
      if (auto* p = std::get_if<inquirer::post>(&e)) {
        auto& to = nodes.at(p->endpoint);
        auto what = to.answer(p->body);
        under_way.push_back({now + to.latency, p->n, p->endpoint, std::move(what)});
        const auto open = static_cast<std::size_t>(
            std::count_if(under_way.begin(), under_way.end(),
                          [&](const coming& c) { return c.endpoint == p->endpoint; }));
        most_at_once[p->endpoint] = std::max(most_at_once[p->endpoint], open);
      } else if (auto* got = std::get_if<answer>(&e)) {
        answers.push_back(std::move(*got));
      } else if (auto* w = std::get_if<inquirer::warned>(&e)) {
        warnings.push_back(w->text);
      }
    }
  }
  /// False: nothing is to come.
  bool step() {
    const auto next =
        std::min_element(under_way.begin(), under_way.end(),
                         [](const coming& x, const coming& y) { return x.at < y.at; });
    const auto tick = q.next_tick();
    if (tick && (next == under_way.end() || *tick < next->at)) {
      now = std::max(now, *tick);
      carry_out(q.tick(now));
      return true;
    }
    if (next == under_way.end()) return false;
    const auto c = *next;
    under_way.erase(next);
    now = std::max(now, c.at);
    carry_out(q.came(c.n, c.a, now));
    return true;
  }
  answer ask(ask_what what, std::optional<std::size_t> endpoint = {},
             std::optional<std::size_t> rather_not = {}) {
    const auto before = answers.size();
    carry_out(q.ask({++asks, std::move(what), endpoint, rather_not}, now));
    for (int i = 0; answers.size() == before; ++i) {
      REQUIRE(i < 50'000);
      REQUIRE(step());
    }
    CHECK(answers.size() == before + 1);
    CHECK(answers.back().n == asks);
    if (!looks) CHECK_FALSE(q.next_tick());
    return answers.back();
  }
  template <class T> T get(ask_what what) {
    auto got = ask(std::move(what));
    const auto* no = std::get_if<no_answer>(&got.what);
    INFO((no ? no->text : ""));
    REQUIRE(std::holds_alternative<T>(got.what));
    return std::get<T>(std::move(got.what));
  }
  /// Who answered, or "none: words".
  std::string who(ask_what what, std::optional<std::size_t> endpoint = {},
                  std::optional<std::size_t> rather_not = {}) {
    const auto got = ask(std::move(what), endpoint, rather_not);
    if (const auto* no = std::get_if<no_answer>(&got.what)) return "none: " + no->text;
    return got.endpoint_name;
  }
  std::string state(std::size_t i) const { return std::string(to_text(q.status().at(i).state)); }
};

inline std::function<std::optional<arrival>(const std::string&)> always(arrival a) {
  return [a](const std::string&) { return std::optional(a); };
}

} // namespace tidemark::rpc_test
