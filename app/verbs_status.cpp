// SPDX-License-Identifier: MIT
#include "app/terminal.hpp"
#include "app/verbs.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace tidemark::app {
namespace {

std::string chain_table(const json::array& chains) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& c : chains)
    rows.push_back({cell(c, "name"), cell(c, "id"), cell(c, "state"), cell(c, "head.number"),
                    cell(c, "mark.number"), cell(c, "lag_blocks"), cell(c, "reason")});
  return table({"CHAIN", "ID", "STATE", "HEAD", "MARK", "BEHIND", "REASON"}, rows);
}

std::string source_table(const json::array& sources) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& s : sources)
    rows.push_back({cell(s, "name"), cell(s, "provider"), cell(s, "state"), cell(s, "received"),
                    cell(s, "duplicate"), cell(s, "late"), cell(s, "missed"),
                    cell(s, "out_of_order"), cell(s, "false"), cell(s, "unauthorized"),
                    cell(s, "delay_p50_ms"), cell(s, "delay_p99_ms"), cell(s, "last_at"),
                    cell(s, "last_result")});
  return table({"SOURCE", "PROVIDER", "STATE", "RECEIVED", "DUPLICATE", "LATE", "MISSED",
                "OUT OF ORDER", "FALSE", "UNAUTHORIZED", "P50 MS", "P99 MS", "LAST", "RESULT"},
               rows);
}

std::string size_text(const json::value& v) {
  boost::system::error_code ec;
  double bytes = v.to_number<double>(ec);
  if (ec) return "-";
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit)
    bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

void print_status(const json::value& v) {
  say("tidemark " + cell(v, "version") + ", instance " + cell(v, "instance") + ", up " +
      cell(v, "uptime_s") + " s; store " + size_text(member(v, "store.bytes")) + " + " +
      size_text(member(v, "store.wal_bytes")) + " log, " +
      size_text(member(v, "store.free_bytes")) + " free");
  say('\n' + chain_table(elements(v, "chains")));
  if (!elements(v, "sources").empty()) say('\n' + source_table(elements(v, "sources")));
  if (elements(v, "handlers").empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const auto& h : elements(v, "handlers"))
    rows.push_back({cell(h, "name"), cell(h, "state"), cell(h, "due"), cell(h, "in_flight"),
                    cell(h, "held"), cell(h, "blocked_keys"), cell(h, "parked"),
                    cell(h, "oldest_at"), cell(h, "reason")});
  say('\n' + table({"HANDLER", "STATE", "DUE", "IN FLIGHT", "HELD", "BLOCKED KEYS", "PARKED",
                    "OLDEST", "REASON"},
                   rows));
}

void print_chain(const json::value& c) {
  const auto place = [&](const char* name) {
    return member(c, name).is_null() ? std::string("-")
                                     : cell(c, std::string(name) + ".number") + "  " +
                                           cell(c, std::string(name) + ".hash");
  };
  std::string reorg = "-", reconcile = "-";
  if (const auto& r = member(c, "last_reorg"); !r.is_null())
    reorg = cell(r, "at") + ", depth " + cell(r, "depth") + ", ancestor " +
            cell(r, "ancestor.number") + ", " + cell(r, "rolled_back") + " rolled back";
  if (const auto& r = member(c, "last_reconcile"); !r.is_null())
    reconcile = cell(r, "at") + ", blocks " + cell(r, "from") + " to " + cell(r, "to") + ", " +
                cell(r, "missing") + " missing, " + cell(r, "extra") + " extra";
  say(facts({{"chain", cell(c, "name") + " (" + cell(c, "id") + ")"},
             {"state", cell(c, "state")},
             {"reason", cell(c, "reason")},
             {"head", place("head")},
             {"mark", place("mark")},
             {"behind", cell(c, "lag_blocks") + " blocks"},
             {"safe", cell(c, "safe")},
             {"finalized", cell(c, "finalized")},
             {"last reorg", reorg},
             {"last reconcile", reconcile}}));
  std::vector<std::vector<std::string>> rows;
  for (const auto& e : elements(c, "endpoints"))
    rows.push_back({cell(e, "name"), cell(e, "state"), cell(e, "head"), cell(e, "latency_ms"),
                    cell(e, "errors"), cell(e, "lies")});
  say('\n' + table({"ENDPOINT", "STATE", "HEAD", "MS", "ERRORS", "LIES"}, rows));
}

} // namespace

int status(const invocation& how) { return show(how, "/v1/status", print_status); }

int chain_list(const invocation& how) {
  if (!how.json)
    return show(how, "/v1/status",
                [](const json::value& v) { say(chain_table(elements(v, "chains"))); });
  // There is no list of chains alone: the status has it.
  invocation quiet = how;
  quiet.json = false;
  return show(quiet, "/v1/status", [](const json::value& v) {
    say(json::serialize(json::object{{"items", member(v, "chains")}, {"next", nullptr}}));
  });
}

int chain_show(const invocation& how, const std::string& name) {
  return show(how, "/v1/chains/" + percent_encoded(name), print_chain);
}

int chain_resume(const invocation& how, const std::string& name, bool accept_reorg) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  const auto answer = admin_client(config->admin)
                          .post("/v1/chains/" + percent_encoded(name) + "/resume",
                                accept_reorg ? R"({"accept_reorg":true})" : "{}");
  const auto* got = std::get_if<admin_answer>(&answer);
  boost::system::error_code ec;
  const json::value value = got == nullptr ? json::value() : json::parse(got->body, ec);
  if (got == nullptr || ec || (got->status != 200 && got->status != 409)) {
    const auto body = accepted(answer);
    const auto* status = std::get_if<int>(&body);
    return status == nullptr ? exit_failed : *status;
  }
  if (how.json) {
    say(got->body);
  } else if (got->status == 200) {
    say(printable(name) + " goes on: " + cell(value, "state"));
  } else {
    say("The chain left ours: " + cell(value, "detail") + "\n" +
        facts({{"ancestor", cell(value, "ancestor.number") + "  " + cell(value, "ancestor.hash")},
               {"blocks that leave", cell(value, "depth")},
               {"confirmed events taken back", cell(value, "rolled_back")}}) +
        "With --accept-reorg they are taken back, each handler is told, and the chain goes on.");
  }
  return got->status == 200 ? exit_done : exit_failed;
}

int chain_skip(const invocation& how, const std::string& name, std::uint64_t from, std::uint64_t to,
               const std::string& reason) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  const auto answer = admin_client(config->admin)
                          .post("/v1/chains/" + percent_encoded(name) + "/skip",
                                json::serialize(json::object{
                                    {"from_block", from}, {"to_block", to}, {"reason", reason}}));
  const auto body = accepted(answer);
  if (const auto* failed = std::get_if<int>(&body)) return *failed;
  say(how.json ? std::get<std::string>(body)
               : "The mark of " + printable(name) + " passes blocks " + std::to_string(from) +
                     " to " + std::to_string(to) +
                     ". Their events are not looked for any more; `tidemark reconcile` can, once "
                     "an endpoint has them.");
  return exit_done;
}

} // namespace tidemark::app
