// SPDX-License-Identifier: MIT
#include "app/terminal.hpp"
#include "app/verbs.hpp"

#include <boost/json/serialize.hpp>

namespace tidemark::app {
namespace {

void print_list(const json::value& v) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& w : elements(v, "items"))
    rows.push_back({cell(w, "id"), cell(w, "at"), cell(w, "source"), cell(w, "state"),
                    cell(w, "hints"), cell(w, "seen"), cell(w, "bytes")});
  say(table({"ID", "AT", "SOURCE", "STATE", "HINTS", "SEEN", "BYTES"}, rows));
  if (!member(v, "next").is_null()) complain("there are more: --after " + cell(v, "next"));
}

void print_webhook(const json::value& w) {
  std::vector<std::pair<std::string, std::string>> lines{
      {"webhook", cell(w, "id")},
      {"source", cell(w, "source")},
      {"state", cell(w, "state")},
      {"at", cell(w, "at")},
      {"seen", cell(w, "seen") + " times, last " + cell(w, "last_at")},
      {"bytes", cell(w, "bytes")}};
  if (const auto* headers = member(w, "headers").if_object())
    for (const auto& header : *headers)
      lines.emplace_back("  " + printable(header.key()), cell(header.value()));
  say(facts(lines));
  std::vector<std::vector<std::string>> rows;
  for (const auto& h : elements(w, "claims"))
    rows.push_back({cell(h, "chain"), cell(h, "tx"), cell(h, "block"), cell(h, "log_index"),
                    cell(h, "state"), cell(h, "tries"), cell(h, "event_id")});
  say('\n' + table({"CHAIN", "TRANSACTION", "BLOCK", "LOG", "STATE", "LOOKS", "EVENT"}, rows));
}

} // namespace

int webhooks_list(const invocation& how, const filters& by) {
  return show(how, "/v1/webhooks" + query(by), print_list);
}

int webhooks_show(const invocation& how, const std::string& id) {
  return show(how, "/v1/webhooks/" + percent_encoded(id), print_webhook);
}

int webhooks_reprocess(const invocation& how, const std::vector<std::string>& ids) {
  int worst = exit_done;
  for (const std::string& id : ids) {
    const int ended =
        order(how, "/v1/webhooks/" + percent_encoded(id) + "/reprocess", "{}",
              [&](const json::value&) { say("webhook " + printable(id) + " is read again"); });
    if (ended == exit_config || ended == exit_unavailable) return ended;
    if (ended != exit_done) worst = ended;
  }
  return worst;
}

int webhooks_reprocess_all(const invocation& how, const filters& by, bool dry_run) {
  invocation quiet = how; // the daemon takes so many at a time: one answer is made of several
  quiet.json = false;
  json::object body{{"dry_run", dry_run}};
  for (const auto& [name, value] : by)
    if (value) body[name] = *value;
  std::uint64_t count = 0;
  json::value next;
  do {
    if (!next.is_null()) body["after"] = next;
    const int ended =
        order(quiet, "/v1/webhooks/reprocess", json::serialize(body), [&](const json::value& done) {
          boost::system::error_code ec;
          count += member(done, "count").to_number<std::uint64_t>(ec);
          next = member(done, "next");
        });
    if (ended != exit_done) return ended;
  } while (!next.is_null());
  if (how.json)
    say(json::serialize(json::object{{"count", count}}));
  else
    say(std::to_string(count) + (dry_run ? " would be read again" : " webhooks are read again"));
  return exit_done;
}

} // namespace tidemark::app
