// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::app {

enum class level { debug, info, warn, error };
/// The part of the program that says it; as config::log_components, in its order.
enum class component { daemon, config, store, ingest, chain, rpc, delivery, admin };

/// A flat field of a line; the value is written as a JSON string, or as it is where `raw`.
struct field {
  std::string_view name;
  std::string value;
  bool raw = false;
};

/// Starts logging to stderr as the config says. Lines that stderr does not take in time are
/// dropped, counted and said.
void open_log(const config::log_section& how);
/// Other levels or another form, from the next line on.
void renew_log(const config::log_section& how);
/// Writes what is left.
void close_log();

/// One line: `ts level msg component` and the fields, if the component's level lets it through.
/// Warnings and errors that say the same again are written once a minute, with a count. Callers
/// never pass a secret, nor of a URL more than scheme and host. Any thread.
void log(level l, component c, std::string_view msg, std::initializer_list<field> fields = {});
/// The same at level info, whatever the config lets through: what a supervisor waits for.
void log_always(component c, std::string_view msg, std::initializer_list<field> fields);
void log_of_daemon(bool warning, std::string_view msg);

/// A line at once, without a queue: for the moment before the process ends.
void log_last(std::string_view msg);

} // namespace tidemark::app
