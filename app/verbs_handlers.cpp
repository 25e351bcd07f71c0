// SPDX-License-Identifier: MIT
#include "app/terminal.hpp"
#include "app/verbs.hpp"

#include <boost/json/serialize.hpp>

namespace tidemark::app {
namespace {

void print_list(const json::value& v) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& h : elements(v, "items"))
    rows.push_back({cell(h, "name"), cell(h, "state"), cell(h, "since"), cell(h, "due"),
                    cell(h, "in_flight"), cell(h, "held"), cell(h, "blocked_keys"),
                    cell(h, "parked"), cell(h, "oldest_at"), cell(h, "next_probe_at"),
                    cell(h, "reason")});
  say(table({"HANDLER", "STATE", "SINCE", "DUE", "IN FLIGHT", "HELD", "BLOCKED KEYS", "PARKED",
             "OLDEST", "NEXT PROBE", "REASON"},
            rows));
}

void print_keys(const json::value& v) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& k : elements(v, "items"))
    rows.push_back({cell(k, "key"), cell(k, "state"), cell(k, "since"), cell(k, "waiting"),
                    cell(k, "head.attempts"), cell(k, "head.next_at"), cell(k, "head.http_status"),
                    cell(k, "head.event_id")});
  say(table({"KEY", "STATE", "SINCE", "WAITING", "ATTEMPTS", "NEXT", "HTTP", "EVENT"}, rows));
  if (!member(v, "next").is_null()) complain("there are more: --after " + cell(v, "next"));
}

} // namespace

int handlers_list(const invocation& how) { return show(how, "/v1/handlers", print_list); }

int handlers_pause(const invocation& how, const std::string& name, bool paused,
                   const std::optional<std::string>& reason) {
  json::object body;
  if (reason) body.emplace("reason", *reason);
  return order(how, "/v1/handlers/" + percent_encoded(name) + (paused ? "/pause" : "/resume"),
               json::serialize(body),
               [](const json::value& v) { say(cell(v, "name") + " is " + cell(v, "state")); });
}

int handlers_keys(const invocation& how, const std::string& name, const filters& by) {
  return show(how, "/v1/handlers/" + percent_encoded(name) + "/keys" + query(by), print_keys);
}

int handlers_test(const invocation& how, const std::string& name) {
  const auto taken = [](const json::value& v) { return member(v, "ok") == json::value(true); };
  return order(
      how, "/v1/handlers/" + percent_encoded(name) + "/test", "{}",
      [&](const json::value& v) {
        say(cell(v, "id") + ": " + (taken(v) ? "taken, " : "not taken, ") + "HTTP " +
            cell(v, "http_status") + " after " + cell(v, "duration_ms") + " ms  " +
            cell(v, "answer"));
      },
      [&](const json::value& v) { return taken(v) ? exit_done : exit_failed; });
}

} // namespace tidemark::app
