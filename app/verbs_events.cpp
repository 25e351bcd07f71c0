// SPDX-License-Identifier: MIT
#include "app/terminal.hpp"
#include "app/verbs.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <cstdio>

namespace tidemark::app {
namespace {

std::string joined(const json::array& values) {
  std::string out;
  for (const auto& v : values)
    out += (out.empty() ? "" : ", ") + cell(v);
  return out.empty() ? "-" : out;
}

std::string processing_text(const json::value& event) {
  std::string out;
  if (const auto* states = member(event, "processing").if_object())
    for (const auto& state : *states)
      out += (out.empty() ? "" : ", ") + printable(state.key()) + ' ' + cell(state.value());
  return out.empty() ? "-" : out;
}

void print_list(const json::value& v) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& e : elements(v, "items"))
    rows.push_back({cell(e, "chain"), cell(e, "block.number"), cell(e, "status"), cell(e, "event"),
                    joined(elements(e, "subscriptions")), cell(e, "first_seen"), processing_text(e),
                    cell(e, "event_id")});
  say(table(
      {"CHAIN", "BLOCK", "STATUS", "EVENT", "SUBSCRIPTIONS", "FIRST SEEN", "PROCESSING", "ID"},
      rows));
  if (!member(v, "next").is_null()) complain("there are more: --after " + cell(v, "next"));
}

std::string policies_text(const json::array& policies) {
  std::string out;
  for (const auto& p : policies) {
    if (!out.empty()) out += " and ";
    out += member(p, "policy").is_null() ? "" : cell(p, "policy") + ": ";
    const bool blocks = !member(p, "blocks").is_null(), tag = !member(p, "tag").is_null();
    if (blocks) out += cell(p, "blocks") + " blocks";
    if (blocks && tag) out += ", ";
    if (tag) out += cell(p, "tag");
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> event_lines(const json::value& e) {
  std::vector<std::pair<std::string, std::string>> lines{
      {"event", cell(e, "event_id")},
      {"status", cell(e, "status") + ", version " + cell(e, "version")},
      {"block", cell(e, "chain") + ' ' + cell(e, "block.number") + "  " + cell(e, "block.hash")},
      {"transaction", cell(e, "transaction.hash") + ", log " + cell(e, "log_index")},
      {"contract", cell(e, "address")},
      {"subscriptions", joined(elements(e, "subscriptions"))},
      {"name", cell(e, "event")}};
  if (const auto* args = member(e, "args").if_object())
    for (const auto& arg : *args)
      lines.emplace_back("  " + printable(arg.key()), cell(arg.value()));
  if (!member(e, "decode_error").is_null())
    lines.emplace_back("not decoded", cell(e, "decode_error"));
  lines.insert(lines.end(), {{"first seen", cell(e, "first_seen")},
                             {"confirmations", policies_text(elements(e, "confirmations")) +
                                                   "; decided at head " + cell(e, "head")},
                             {"replaces", cell(e, "replaces")},
                             {"webhooks", joined(elements(e, "webhooks"))},
                             {"handlers", processing_text(e)}});
  return lines;
}

void print_event(const json::value& e) {
  say(facts(event_lines(e)));
  std::vector<std::vector<std::string>> history, attempts;
  for (const auto& h : elements(e, "history"))
    history.push_back(
        {cell(h, "at"), cell(h, "version"), cell(h, "status"), cell(h, "why"), cell(h, "id")});
  say('\n' + table({"AT", "VERSION", "STATUS", "WHY", "ID"}, history));
  for (const auto& a : elements(e, "attempts"))
    attempts.push_back({cell(a, "at"), cell(a, "handler"), cell(a, "outcome"),
                        cell(a, "http_status"), cell(a, "duration_ms"), cell(a, "id"),
                        cell(a, "answer")});
  if (attempts.empty()) return;
  say('\n' + table({"AT", "HANDLER", "OUTCOME", "HTTP", "MS", "ID", "ANSWER"}, attempts));
}

/// The end of the feed: what an impossible place is answered with.
std::variant<json::value, int> feed_end(admin_client& client) {
  const auto answer = client.get("/v1/feed?after=" + std::to_string(INT64_MAX));
  const auto* got = std::get_if<admin_answer>(&answer);
  boost::system::error_code ec;
  if (got != nullptr && got->status == 410) {
    json::value at = json::parse(got->body, ec);
    if (!ec) return at;
  }
  const auto body = accepted(answer);
  const auto* status = std::get_if<int>(&body);
  return status == nullptr ? int{exit_failed} : *status;
}

std::string reading_text(const json::value& r) {
  if (r.is_null()) return "no event any more";
  const auto& args = member(r, "args");
  return cell(r, "event") + (args.is_null() ? " (not decoded)" : ' ' + cell(args));
}

void print_redecode(const json::value& job, bool yes) {
  for (const auto& e : elements(job, "examples"))
    say(fmt::format("{}\n  was  {}\n  {}  {}", cell(e, "event_id"),
                    reading_text(member(e, "before")), yes ? "is" : "would be",
                    reading_text(member(e, "after"))));
  say(fmt::format("{} read otherwise, {} fit no subscription any more, {} as they were{}",
                  cell(job, "missing"), cell(job, "extra"), cell(job, "equal"),
                  yes ? ": the old readings are taken back, the new ones are told"
                      : "; nothing was changed (--yes does)"));
}

} // namespace

int events_redecode(const invocation& how, const std::optional<std::string>& subscription,
                    bool yes) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  admin_client daemon(config->admin);
  json::object wish{{"dry_run", !yes}};
  if (subscription) wish.emplace("subscription", *subscription);
  const auto begun = accepted(daemon.post("/v1/events/redecode", json::serialize(wish)));
  if (const auto* status = std::get_if<int>(&begun)) return *status;
  return follow_job(how, daemon, std::get<std::string>(begun),
                    [yes](const json::value& job) { print_redecode(job, yes); });
}

int events_list(const invocation& how, const filters& by) {
  return show(how, "/v1/events" + query(by), print_list);
}

int events_show(const invocation& how, const std::string& id) {
  return show(how, "/v1/events/" + percent_encoded(id), print_event);
}

int events_tail(const invocation& how, std::optional<std::uint64_t> after) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  admin_client client(config->admin);
  // `from` says behind which seq, and of which epoch once that is known.
  const auto behind = [](const json::value& page) {
    return filters{{"after", cell(page, "next")}, {"epoch", cell(page, "epoch")}};
  };
  filters from{{"after", std::to_string(after.value_or(0))}};
  if (!after) {
    const auto end = feed_end(client);
    if (const auto* status = std::get_if<int>(&end)) return *status;
    from = behind(std::get<json::value>(end));
  }
  for (;;) {
    from.insert(from.end(), {{"wait", "20s"}, {"limit", "1000"}});
    const auto answer = client.get("/v1/feed" + query(from));
    const auto body = accepted(answer);
    if (const auto* status = std::get_if<int>(&body)) {
      // A daemon that stops lets go of who waits.
      const auto* got = std::get_if<admin_answer>(&answer);
      return got != nullptr && got->status == 503 ? int{exit_unavailable} : *status;
    }
    boost::system::error_code ec;
    const json::value page = json::parse(std::get<std::string>(body), ec);
    if (ec) return complain("the daemon's answer is no JSON"), exit_failed;
    for (const auto& item : elements(page, "items"))
      say(json::serialize(item));
    if (std::fflush(stdout) != 0) return exit_failed; // a full disk; the program's end says so
    from = behind(page);
  }
}

} // namespace tidemark::app
