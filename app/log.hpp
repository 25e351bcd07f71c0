// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::app {

enum class level { debug, info, warn, error };

/// A flat field of a line; the value is written as a JSON string, or as it is where `raw`.
struct field {
  std::string_view name;
  std::string value;
  bool raw = false;
};

/// Starts logging to stderr as the config says. Lines that stderr does not take in time are
/// dropped, counted and said.
void open_log(const config::log_section& how);
/// Another level or form, from the next line on.
void renew_log(const config::log_section& how);
/// Writes what is left.
void close_log();

/// One line: `ts level msg` and the fields. Callers never pass a secret, nor of a URL more than
/// scheme and host. Any thread.
void log(level l, std::string_view msg, std::initializer_list<field> fields = {});

/// A line at once, without a queue: for the moment before the process ends.
void log_last(std::string_view msg);

} // namespace tidemark::app
