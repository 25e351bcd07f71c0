// SPDX-License-Identifier: MIT
#include "app/asking.hpp"

#include "app/certificates.hpp"
#include "app/terminal.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace tidemark::app {
namespace {

int print_answer(const invocation& how, const std::variant<admin_answer, no_daemon>& answer,
                 const std::function<void(const json::value&)>& print,
                 const std::function<int(const json::value&)>& judge = {}) {
  const auto body = accepted(answer);
  if (const auto* status = std::get_if<int>(&body)) return *status;
  const auto& text = std::get<std::string>(body);
  boost::system::error_code ec;
  const json::value value = json::parse(text, ec);
  if (ec) {
    complain("the daemon's answer is no JSON; is it another program's port?");
    return exit_failed;
  }
  how.json ? say(text) : print(value);
  return judge ? judge(value) : int{exit_done};
}

void write_line(std::FILE* to, std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), to);
  if (line.empty() || line.back() != '\n') std::fputc('\n', to);
  std::fflush(to);
}

} // namespace

void say(std::string_view line) { write_line(stdout, line); }
void complain(std::string_view line) { write_line(stderr, line); }

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<config::config> load_config(const invocation& how, config::reach how_far) {
  const bool all = how_far == config::reach::all;
  auto loaded = config::load(how.config_file, environment, how_far, all ? wrong_files : nullptr);
  // What is needed is wrong: then all that is wrong is said, not that alone.
  if (!loaded.value && !all) loaded = config::load(how.config_file, environment);
  for (const auto& problem : loaded.problems)
    complain(problem.to_string());
  return std::move(loaded.value);
}

std::variant<std::string, int> accepted(const std::variant<admin_answer, no_daemon>& answer) {
  if (const auto* nobody = std::get_if<no_daemon>(&answer)) {
    complain("tidemark: " + nobody->text);
    return exit_unavailable;
  }
  const auto& got = std::get<admin_answer>(answer);
  if (got.status < 400) return got.body;
  boost::system::error_code ec;
  const json::value problem = json::parse(got.body, ec);
  const std::string detail = ec ? std::string() : cell(problem, "detail");
  complain("tidemark: " + (detail.empty() ? "the daemon answers" : detail) + " (" +
           std::to_string(got.status) + ")");
  if (got.status == 401)
    complain("tidemark: if the token in the config is new, the daemon does not know it yet; a "
             "SIGHUP makes it read the config too");
  return got.status == 400 ? exit_usage : exit_failed; // what it was asked is not to be understood
}

int show(const invocation& how, const std::string& target,
         const std::function<void(const json::value&)>& print) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  return print_answer(how, admin_client(config->admin).get(target), print);
}

int order(const invocation& how, const std::string& target, const std::string& body,
          const std::function<void(const json::value&)>& print,
          const std::function<int(const json::value&)>& judge) {
  const auto config = load_config(how, config::reach::admin);
  if (!config) return exit_config;
  return print_answer(how, admin_client(config->admin).post(target, body), print, judge);
}

int follow_job(const invocation& how, admin_client& daemon, const std::string& begun,
               const std::function<void(const json::value& job)>& print) {
  boost::system::error_code ec;
  const auto job = cell(json::parse(begun, ec), "job");
  for (;;) {
    const auto body = accepted(daemon.get("/v1/jobs/" + job));
    if (const auto* status = std::get_if<int>(&body)) return *status;
    const auto answer = json::parse(std::get<std::string>(body), ec);
    const auto state = cell(answer, "state");
    if (state == "running") {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      continue;
    }
    how.json ? say(std::get<std::string>(body)) : print(answer);
    if (state == "done") return exit_done;
    complain(fmt::format("tidemark: job {} {}: {}", job, state, cell(answer, "reason")));
    return exit_failed;
  }
}

std::string query(const std::vector<std::pair<std::string, std::optional<std::string>>>& values) {
  std::string out;
  for (const auto& value : values) {
    if (!value.second) continue;
    out += out.empty() ? '?' : '&';
    out += value.first;
    out += '=';
    out += percent_encoded(*value.second);
  }
  return out;
}

const json::value& member(const json::value& v, std::string_view path) {
  static const json::value nothing;
  const json::value* at = &v;
  while (!path.empty()) {
    const auto name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    const auto* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(name);
    if (at == nullptr) return nothing;
  }
  return *at;
}

std::string cell(const json::value& v) {
  if (v.is_null()) return "-";
  if (const auto* text = v.if_string()) return printable(*text);
  return printable(json::serialize(v));
}

std::string cell(const json::value& v, std::string_view path) { return cell(member(v, path)); }

const json::array& elements(const json::value& v, std::string_view path) {
  static const json::array none;
  const auto* found = member(v, path).if_array();
  return found == nullptr ? none : *found;
}

} // namespace tidemark::app
