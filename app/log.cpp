// SPDX-License-Identifier: MIT
#include "app/log.hpp"

#include "app/repeats.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>

namespace tidemark::app {
namespace {

constexpr std::size_t lines_waiting = 4'096; // of some 250 bytes: about 1 MiB

std::atomic<bool> as_json = true;
std::shared_ptr<spdlog::async_logger> logger;
std::shared_ptr<spdlog::details::thread_pool> writer;

std::array<std::atomic<level>, config::log_components.size()> lowest; ///< by component
static_assert(static_cast<std::size_t>(component::admin) + 1 == config::log_components.size());

std::mutex repeats_mutex;
repeats said_before; ///< warnings and errors, as they are written but for the time

std::string json_text(std::string_view text) {
  return boost::json::serialize(boost::json::string(text));
}

level parse_level(std::string_view word) {
  if (word == "error") return level::error;
  if (word == "warn") return level::warn;
  return word == "info" ? level::info : level::debug; // nothing is said below debug
}

void set_levels(const config::log_section& how) {
  for (std::size_t i = 0; i < lowest.size(); ++i) {
    const auto own = how.levels.find(std::string(config::log_components[i]));
    lowest[i] = parse_level(own == how.levels.end() ? how.level : own->second);
  }
}

const char* word(level l) {
  switch (l) {
  case level::debug:
    return "debug";
  case level::info:
    return "info";
  case level::warn:
    return "warn";
  case level::error:
    break;
  }
  return "error";
}

std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1'000;
  thread_local std::time_t known = -1;
  thread_local char day[32]; // of `known`
  if (seconds != known) {
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    known = seconds;
  }
  char out[40];
  std::snprintf(out, sizeof out, "%s.%03dZ", day, static_cast<int>(ms));
  return out;
}

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A line but for its time: what tells whether two are the same.
std::string text_of(level l, component c, std::string_view msg,
                    std::initializer_list<field> fields) {
  const std::string from(config::log_components[static_cast<std::size_t>(c)]);
  std::string out;
  if (as_json) {
    out.append("\"level\":\"").append(word(l)).append("\",\"msg\":").append(json_text(msg));
    out.append(",\"component\":\"").append(from).append("\"");
    for (const auto& f : fields) {
      out.append(",").append(json_text(f.name)).append(":");
      out += f.raw ? f.value : json_text(f.value);
    }
    return out;
  }
  out.append(word(l)).append(" [").append(from).append("] ").append(msg);
  for (const auto& f : fields)
    out.append(" ").append(f.name).append("=").append(f.value);
  return out;
}

std::string line(const std::string& text, std::uint64_t repeated = 0) {
  const auto times = std::to_string(repeated);
  if (!as_json)
    return timestamp() + ' ' + text + (repeated == 0 ? std::string() : " repeated=" + times);
  return "{\"ts\":\"" + timestamp() + "\"," + text +
         (repeated == 0 ? std::string() : ",\"repeated\":" + times) + '}';
}

void write(spdlog::async_logger& to, const std::string& text, std::uint64_t repeated = 0) {
  to.log(spdlog::level::info, "{}", line(text, repeated));
}

} // namespace

void open_log(const config::log_section& how) {
  as_json = how.json;
  writer = std::make_shared<spdlog::details::thread_pool>(lines_waiting, 1);
  logger = std::make_shared<spdlog::async_logger>(
      "tidemark", std::make_shared<spdlog::sinks::stderr_sink_mt>(), writer,
      spdlog::async_overflow_policy::overrun_oldest);
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::trace);
  set_levels(how);
}

void renew_log(const config::log_section& how) {
  const auto to = logger;
  if (to && as_json != how.json) { // what is remembered is in the other form
    const std::lock_guard lock(repeats_mutex);
    for (const auto& e : said_before.end())
      write(*to, e.text, e.left_out);
  }
  as_json = how.json;
  set_levels(how);
}

void close_log() {
  if (const auto to = logger) {
    const std::lock_guard lock(repeats_mutex);
    for (const auto& e : said_before.end())
      write(*to, e.text, e.left_out);
  }
  if (writer && writer->overrun_counter() > 0)
    log_last(std::to_string(writer->overrun_counter()) +
             " log lines were dropped, because stderr did not take them in time");
  logger.reset();
  writer.reset(); // joins its thread, which writes what is left
}

void log(level l, component c, std::string_view msg, std::initializer_list<field> fields) {
  const auto to = logger;
  if (!to || l < lowest[static_cast<std::size_t>(c)]) return;
  const auto text = text_of(l, c, msg, fields);
  if (l < level::warn) return write(*to, text);
  const std::lock_guard lock(repeats_mutex);
  const auto now = steady_ms();
  const auto left_out = said_before.seen(text, now);
  for (const auto& e : said_before.due(now))
    write(*to, e.text, e.left_out);
  if (left_out) write(*to, text, *left_out);
}

void log_always(component c, std::string_view msg, std::initializer_list<field> fields) {
  if (const auto to = logger) write(*to, text_of(level::info, c, msg, fields));
}

void log_of_daemon(bool warning, std::string_view msg) {
  log(warning ? level::warn : level::info, component::daemon, msg);
}

void log_last(std::string_view msg) {
  const auto text = line(text_of(level::error, component::daemon, msg, {})) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

} // namespace tidemark::app
