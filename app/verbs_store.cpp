// SPDX-License-Identifier: MIT
#include "api/answers.hpp"
#include "app/clock.hpp"
#include "app/retention.hpp"
#include "app/terminal.hpp"
#include "app/verbs.hpp"
#include "store/upkeep.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <filesystem>

// Verbs about the store as a whole. They ask the daemon where one holds the store, and work on the
// file themselves where none does.

namespace tidemark::app {
namespace {

int failed(const store::store_failure& f) {
  complain("tidemark: " + f.text);
  return f.fatal ? exit_store : exit_failed;
}

int status_of(const store::open_error& e) {
  complain("tidemark: " + e.text);
  if (e.kind == store::open_fault::held_by_another) return exit_unavailable;
  return e.kind == store::open_fault::newer ? exit_config : exit_store;
}

/// The config where its store is there and nobody holds it, `asks` where the daemon is to be asked,
/// or an exit status.
struct asks {};
std::variant<config::config, asks, int> stopped_store(const invocation& how) {
  auto config = load_config(how, config::reach::store);
  if (!config) return int{exit_config};
  const auto path = config->store.path.string();
  if (store::is_held(path)) return asks{};
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) {
    complain("tidemark: there is no store at " + path);
    return int{exit_failed};
  }
  if (store::is_newer(path)) {
    complain("tidemark: " + path + " was written by a newer tidemark");
    return int{exit_config};
  }
  return std::move(*config);
}

int print_problems(const invocation& how, const json::value& answer) {
  const auto& wrong = elements(answer, "problems");
  if (how.json) {
    say(json::serialize(answer));
  } else {
    for (const auto& one : wrong)
      say(cell(one));
    say(wrong.empty() ? "ok: nothing is wrong with the store"
                      : "the store is damaged: stop the daemon, and put a backup in its place "
                        "(tidemark db restore FILE)");
  }
  return wrong.empty() ? exit_done : exit_store;
}

/// A daemon's answer as JSON, or an exit status.
std::variant<json::value, int> asked(const invocation& how, const std::string& target) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return int{exit_config};
  const auto body = accepted(admin_client(config->admin).get(target));
  if (const auto* status = std::get_if<int>(&body)) return *status;
  boost::system::error_code ec;
  auto value = json::parse(std::get<std::string>(body), ec);
  if (!ec) return value;
  complain("the daemon's answer is no JSON; is it another program's port?");
  return int{exit_failed};
}

std::string size_text(const json::value& bytes) {
  const double n = bytes.is_number() ? bytes.to_number<double>() : 0;
  const auto mib = static_cast<std::uint64_t>(n / 1'048'576 * 10);
  return std::to_string(mib / 10) + '.' + std::to_string(mib % 10) + " MiB";
}

void print_stats(const json::value& s) {
  say(facts({{"file", size_text(member(s, "bytes"))},
             {"log", size_text(member(s, "wal_bytes"))},
             {"free pages", cell(s, "free_pages") + " of " + cell(s, "pages")},
             {"epoch", cell(s, "epoch")},
             {"last backup", cell(s, "last_backup")}}));
  std::vector<std::vector<std::string>> rows;
  for (const auto& t : elements(s, "tables"))
    rows.push_back({cell(t, "name"), cell(t, "rows")});
  say('\n' + table({"TABLE", "ROWS"}, rows));
}

std::string absolute(const std::string& path) {
  std::error_code ec; // a folder that is gone has no path to put before it
  const auto found = std::filesystem::absolute(path, ec);
  return ec ? path : found.lexically_normal().string();
}

void say_backup(const json::value& v) {
  say("wrote " + cell(v, "path") + " (" + size_text(member(v, "bytes")) + ')');
}

} // namespace

int db_check(const invocation& how) {
  const auto where = stopped_store(how);
  if (const auto* status = std::get_if<int>(&where)) return *status;
  if (std::holds_alternative<asks>(where)) {
    const auto answer = asked(how, "/v1/db/check");
    if (const auto* status = std::get_if<int>(&answer)) return *status;
    return print_problems(how, std::get<json::value>(answer));
  }
  const auto wrong = store::check_file(std::get<config::config>(where).store.path.string());
  if (!wrong && !wrong.error().fatal) return failed(wrong.error());
  json::array problems;
  if (!wrong) {
    problems.emplace_back(printable(wrong.error().text));
    return print_problems(how, json::object{{"ok", false}, {"problems", problems}});
  }
  for (const auto& one : *wrong)
    problems.emplace_back(printable(one));
  return print_problems(how, json::object{{"ok", wrong->empty()}, {"problems", problems}});
}

int db_backup(const invocation& how, const std::string& given) {
  const auto where = stopped_store(how);
  if (const auto* status = std::get_if<int>(&where)) return *status;
  const auto to = absolute(given);
  if (std::holds_alternative<asks>(where))
    return order(how, "/v1/db/backup", json::serialize(json::object{{"path", to}}), say_backup);
  const auto path = std::get<config::config>(where).store.path.string();
  const auto began = now_ms();
  const auto bytes = store::back_up(path, to, began);
  if (!bytes) return failed(bytes.error());
  if (const auto noted = store::note_backup(path, began); !noted)
    complain("tidemark: the backup is made, but not noted in the store: " + noted.error().text);
  const json::object done{{"path", to}, {"bytes", *bytes}};
  how.json ? say(json::serialize(done)) : say_backup(done);
  return exit_done;
}

int db_restore(const invocation& how, const std::string& from) {
  const auto config = load_config(how, config::reach::store);
  if (!config) return exit_config;
  const auto path = config->store.path.string();
  std::error_code ec;
  if (!std::filesystem::exists(from, ec)) {
    complain("tidemark: there is no file " + from);
    return exit_failed;
  }
  const auto done = store::restore_file(absolute(from), path, now_ms());
  if (const auto* why = std::get_if<store::open_error>(&done)) return status_of(*why);
  const auto& kept = std::get<store::put_back_done>(done).kept_as;
  if (how.json) {
    say(json::serialize(json::object{
        {"path", path}, {"kept_as", kept.empty() ? json::value(nullptr) : json::value(kept)}}));
    return exit_done;
  }
  say("put in place: " + path);
  if (!kept.empty()) say("the store that was there is kept as " + kept);
  say("start the daemon: every epoch is raised, the chains are read again from the stored mark, "
      "and "
      "every handler is paused until `tidemark handlers resume NAME`");
  return exit_done;
}

int db_stats(const invocation& how) {
  const auto where = stopped_store(how);
  if (const auto* status = std::get_if<int>(&where)) return *status;
  if (std::holds_alternative<asks>(where)) return show(how, "/v1/db/stats", print_stats);
  const auto path = std::get<config::config>(where).store.path.string();
  const auto stats = store::stats_of(path);
  if (!stats) return failed(stats.error());
  const json::value v = api::stats_object(*stats, api::free_bytes(path));
  how.json ? say(json::serialize(v)) : print_stats(v);
  return exit_done;
}

int db_prune(const invocation& how) {
  const auto print = [](const json::value& v) {
    say("let go of " + cell(v, "webhooks") + " webhooks, " + cell(v, "deliveries") +
        " deliveries, " + cell(v, "events") + " events' data");
  };
  const auto where = stopped_store(how);
  if (const auto* status = std::get_if<int>(&where)) return *status;
  if (std::holds_alternative<asks>(where)) return order(how, "/v1/db/prune", "{}", print);
  const auto& config = std::get<config::config>(where);
  auto opened =
      store::store::open({config.store.path.string(), true, config.instance, {}, now_ms()});
  if (const auto* why = std::get_if<store::open_error>(&opened)) return status_of(*why);
  auto& file = *std::get<std::unique_ptr<store::store>>(opened);
  store::pruning at;
  while (!at.done) {
    store::result<void> done = file.begin();
    if (done) done = file.prune(retention_of(config), now_ms(), 5'000, at);
    if (!done) return failed(done.error());
    if (auto committed = file.commit(); !committed) return failed(committed.error());
  }
  const json::object went{
      {"webhooks", at.webhooks}, {"deliveries", at.deliveries}, {"events", at.events}};
  how.json ? say(json::serialize(went)) : print(went);
  return exit_done;
}

int reconcile(const invocation& how, const std::string& chain, std::uint64_t from, std::uint64_t to,
              bool apply) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  admin_client daemon(config->admin);
  const auto begun = accepted(daemon.post(
      "/v1/chains/" + percent_encoded(chain) + "/reconcile",
      json::serialize(json::object{{"from_block", from}, {"to_block", to}, {"apply", apply}})));
  if (const auto* status = std::get_if<int>(&begun)) return *status;
  return follow_job(how, daemon, std::get<std::string>(begun), [apply](const json::value& job) {
    say(fmt::format("{} missing, {} extra, {} equal{}", cell(job, "missing"), cell(job, "extra"),
                    cell(job, "equal"),
                    apply ? ": what differed is stored and sent"
                          : "; nothing was changed (--apply does)"));
    if (const auto left_out = cell(job, "reason"); left_out != "-")
      say("not all of it was read: " + left_out);
  });
}

} // namespace tidemark::app
