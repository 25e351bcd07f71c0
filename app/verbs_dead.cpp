// SPDX-License-Identifier: MIT
#include "app/terminal.hpp"
#include "app/verbs.hpp"

#include <boost/json/serialize.hpp>

namespace tidemark::app {
namespace {

void print_dead(const json::value& v) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& d : elements(v, "items"))
    rows.push_back({cell(d, "id"), cell(d, "handler"), cell(d, "key"), cell(d, "parked_at"),
                    cell(d, "attempts"), cell(d, "http_status"), cell(d, "event_id"),
                    cell(d, "answer")});
  say(table({"ID", "HANDLER", "KEY", "PARKED", "ATTEMPTS", "HTTP", "EVENT", "ANSWER"}, rows));
  if (!member(v, "next").is_null()) complain("there are more: --after " + cell(v, "next"));
}

int order_dead(const invocation& how, const std::string& target, const json::object& body) {
  return order(
      how, target, json::serialize(body),
      [](const json::value& v) { say(cell(v, "count") + " done"); },
      [](const json::value& v) {
        const auto& refused = elements(v, "refused");
        for (const auto& r : refused)
          complain(cell(r, "id") + ": " + cell(r, "detail"));
        return refused.empty() ? exit_done : exit_failed;
      });
}

template <class T> void put(json::object& body, const char* name, const std::optional<T>& value) {
  if (value) body.emplace(name, *value);
}

} // namespace

int dead_list(const invocation& how, const filters& by) {
  return show(how, "/v1/dead" + query(by), print_dead);
}

int dead_retry(const invocation& how, const std::vector<std::int64_t>& ids) {
  json::object body;
  if (!ids.empty()) body.emplace("ids", json::array(ids.begin(), ids.end()));
  return order_dead(how, "/v1/dead/retry", body);
}

int dead_skip(const invocation& how, const std::vector<std::int64_t>& ids,
              const std::string& reason) {
  return order_dead(how, "/v1/dead/skip",
                    {{"ids", json::array(ids.begin(), ids.end())}, {"reason", reason}});
}

int replay(const invocation& how, const replay_wish& w) {
  json::object body;
  put(body, "since", w.since);
  put(body, "until", w.until);
  put(body, "from_seq", w.from_seq);
  put(body, "to_seq", w.to_seq);
  put(body, "event_id", w.event);
  put(body, "chain", w.chain);
  put(body, "from_block", w.from_block);
  put(body, "to_block", w.to_block);
  put(body, "reason", w.reason);
  put(body, "rate", w.rate);
  body.emplace("as_new", w.as_new);
  body.emplace("dry_run", !w.yes);
  return order(how, "/v1/handlers/" + percent_encoded(w.handler) + "/replay", json::serialize(body),
               [&](const json::value& v) {
                 if (!w.yes)
                   say("would send " + cell(v, "count") + " messages; --yes sends them");
                 else if (member(v, "job").is_null())
                   say("nothing to send");
                 else
                   say("sends " + cell(v, "count") + " messages, job " + cell(v, "job"));
               });
}

} // namespace tidemark::app
