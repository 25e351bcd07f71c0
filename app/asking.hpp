// SPDX-License-Identifier: MIT
#pragma once

#include "app/admin_client.hpp"
#include "app/exit_status.hpp"
#include "config/config.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// What every verb that talks to the daemon does: config, question, answer, and how it ends.

namespace tidemark::app {

namespace json = boost::json;

/// What was said on the command line beside the verb.
struct invocation {
  std::string config_file = "/etc/tidemark/tidemark.yaml";
  bool json = false;
};

/// The process's, for config::load.
std::optional<std::string> environment(const std::string& name);
/// The config; absent: every problem is on stderr, and the status is exit_config. Where less than
/// all of it is asked for, only that must be right: a daemon is asked from a shell that has not the
/// daemon's environment and secrets, and while somebody edits its config.
std::optional<config::config> load_config(const invocation& how,
                                          config::reach how_far = config::reach::all);

/// An answer with a status below 400, else the exit status, and stderr says why.
std::variant<std::string, int> accepted(const std::variant<admin_answer, no_daemon>& answer);

/// Asks for `target` and prints: the API's own JSON with --json, else what `print` does with it.
int show(const invocation& how, const std::string& target,
         const std::function<void(const json::value&)>& print);

/// Gives an order; `body` is a JSON object's text. `judge` says from the answer how the verb ends,
/// the same with --json and without; left out: it is done.
int order(const invocation& how, const std::string& target, const std::string& body,
          const std::function<void(const json::value&)>& print,
          const std::function<int(const json::value&)>& judge = {});

/// Waits for the job that the order's answer names; prints as `show` does. Fails where the job did.
int follow_job(const invocation& how, admin_client& daemon, const std::string& begun,
               const std::function<void(const json::value& job)>& print);

/// `?a=b&c=d` of those that have a value.
std::string query(const std::vector<std::pair<std::string, std::optional<std::string>>>& values);

// Looking into an answer

/// By names with dots between; null where there is no such member.
const json::value& member(const json::value& v, std::string_view path);
/// For a table: strings printable, `-` for null, all else as JSON writes it.
std::string cell(const json::value& v);
std::string cell(const json::value& v, std::string_view path);
/// The elements of an array, none of anything else.
const json::array& elements(const json::value& v, std::string_view path);

/// To stdout or stderr, with a line's end.
void say(std::string_view line);
void complain(std::string_view line);

} // namespace tidemark::app
