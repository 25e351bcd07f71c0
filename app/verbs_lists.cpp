// SPDX-License-Identifier: MIT
#include "app/exit_status.hpp"
#include "app/terminal.hpp"
#include "app/verbs.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace tidemark::app {
namespace {

constexpr std::size_t addresses_a_request = 10'000;

std::string starts_text(const json::value& v) {
  std::string out;
  const auto& from = member(v, "from");
  if (const auto* chains = from.if_object())
    for (const auto& chain : *chains)
      out += (out.empty() ? "" : ", ") + std::string(chain.key()) + " from block " +
             cell(chain.value());
  return out;
}

} // namespace

/// All of it, page after page, an address a line.
int lists_show(const invocation& how, const std::string& name) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  admin_client client(config->admin);
  std::string after;
  json::array all;
  for (;;) {
    const auto body = accepted(client.get("/v1/lists/" + percent_encoded(name) + "?limit=1000" +
                                          (after.empty() ? "" : "&after=" + after)));
    if (const auto* status = std::get_if<int>(&body)) return *status;
    boost::system::error_code ec;
    const auto page = json::parse(std::get<std::string>(body), ec);
    if (ec) {
      complain("the daemon's answer is no JSON; is it another program's port?");
      return exit_failed;
    }
    for (const auto& item : elements(page, "items"))
      if (how.json)
        all.push_back(item);
      else
        say(cell(item, "address"));
    const auto* next = member(page, "next").if_string();
    if (!next) break;
    after = percent_encoded(std::string(*next));
  }
  if (how.json) say(json::serialize(json::object{{"items", std::move(all)}, {"next", nullptr}}));
  return exit_done;
}

int lists_change(const invocation& how, const std::string& name,
                 const std::vector<std::string>& addresses, bool add,
                 std::optional<std::uint64_t> from_block) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  admin_client client(config->admin);
  std::string last;
  for (std::size_t at = 0; at < addresses.size(); at += addresses_a_request) {
    json::array some;
    for (auto i = at; i < std::min(addresses.size(), at + addresses_a_request); ++i)
      some.emplace_back(addresses[i]);
    json::object order{{add ? "add" : "remove", std::move(some)}};
    if (from_block) order.emplace("from_block", *from_block);
    const auto body =
        accepted(client.patch("/v1/lists/" + percent_encoded(name), json::serialize(order)));
    if (const auto* status = std::get_if<int>(&body)) return *status;
    last = std::get<std::string>(body);
  }
  if (how.json) {
    say(last);
    return exit_done;
  }
  boost::system::error_code ec;
  const auto v = json::parse(last, ec);
  const auto starts = add ? starts_text(v) : std::string();
  say(printable(name) + " has " + cell(v, "size") + " addresses" +
      (starts.empty() ? "" : "; these count on " + starts));
  return exit_done;
}

int reload(const invocation& how) {
  const auto config = load_config(how, config::reach::admin);
  // No telling where the daemon is: what is wrong with the file is printed already. All else is the
  // daemon's to judge, with its own environment.
  if (!config) return exit_config;
  const auto answer = admin_client(config->admin).post("/v1/reload", "{}");
  const auto* got = std::get_if<admin_answer>(&answer);
  if (got == nullptr || got->status != 422) {
    const auto body = accepted(answer);
    if (const auto* status = std::get_if<int>(&body)) return *status;
    const auto& text = std::get<std::string>(body);
    boost::system::error_code ec;
    const auto v = json::parse(text, ec);
    if (how.json) {
      say(text);
      return exit_done;
    }
    for (const auto& w : elements(v, "warnings"))
      complain("warning: " + cell(w, "text"));
    for (const auto& c : elements(v, "changed"))
      say(cell(c));
    say("the config is in force");
    return exit_done;
  }
  if (how.json) {
    say(got->body);
    return exit_config;
  }
  boost::system::error_code ec;
  const auto v = json::parse(got->body, ec);
  for (const auto& p : elements(v, "problems")) {
    const bool placed = cell(p, "line") != "0";
    complain(cell(p, "file") +
             (placed ? ':' + cell(p, "line") + ':' + cell(p, "column") : std::string()) + ": " +
             cell(p, "text"));
  }
  complain("tidemark: the config was not taken; the one in force stays as it is");
  return exit_config;
}

} // namespace tidemark::app
