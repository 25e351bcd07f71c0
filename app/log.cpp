// SPDX-License-Identifier: MIT
#include "app/log.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>

namespace tidemark::app {
namespace {

constexpr std::size_t lines_waiting = 4'096; // of some 250 bytes: about 1 MiB

std::atomic<bool> as_json = true;
std::shared_ptr<spdlog::async_logger> logger;
std::shared_ptr<spdlog::details::thread_pool> writer;

std::string json_text(std::string_view text) {
  return boost::json::serialize(boost::json::string(text));
}

spdlog::level::level_enum to_spdlog(level l) {
  switch (l) {
  case level::debug:
    return spdlog::level::debug;
  case level::info:
    return spdlog::level::info;
  case level::warn:
    return spdlog::level::warn;
  case level::error:
    break;
  }
  return spdlog::level::err;
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
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char day[32], out[40];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(out, sizeof out, "%s.%03dZ", day, static_cast<int>(ms));
  return out;
}

std::string line(level l, std::string_view msg, std::initializer_list<field> fields) {
  std::string out;
  if (as_json) {
    out = "{\"ts\":\"" + timestamp() + "\",\"level\":\"" + word(l) + "\",\"msg\":" + json_text(msg);
    for (const auto& f : fields) {
      out += ',' + json_text(f.name) + ':';
      out += f.raw ? f.value : json_text(f.value);
    }
    return out += '}';
  }
  out = timestamp() + ' ' + word(l) + ' ' + std::string(msg);
  for (const auto& f : fields)
    out += ' ' + std::string(f.name) + '=' + f.value;
  return out;
}

} // namespace

void open_log(const config::log_section& how) {
  as_json = how.json;
  writer = std::make_shared<spdlog::details::thread_pool>(lines_waiting, 1);
  logger = std::make_shared<spdlog::async_logger>(
      "tidemark", std::make_shared<spdlog::sinks::stderr_sink_mt>(), writer,
      spdlog::async_overflow_policy::overrun_oldest);
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::from_str(how.level));
  logger->flush_on(spdlog::level::debug);
}

void renew_log(const config::log_section& how) {
  as_json = how.json;
  if (const auto to = logger) to->set_level(spdlog::level::from_str(how.level));
}

void close_log() {
  if (writer && writer->overrun_counter() > 0)
    log_last(std::to_string(writer->overrun_counter()) +
             " log lines were dropped, because stderr did not take them in time");
  logger.reset();
  writer.reset(); // joins its thread, which writes what is left
}

void log(level l, std::string_view msg, std::initializer_list<field> fields) {
  const auto to = logger;
  if (to && to->should_log(to_spdlog(l))) to->log(to_spdlog(l), "{}", line(l, msg, fields));
}

void log_last(std::string_view msg) {
  const auto text = line(level::error, msg, {}) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

} // namespace tidemark::app
