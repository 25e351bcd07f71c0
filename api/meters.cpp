// SPDX-License-Identifier: MIT
#include "api/meters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tidemark::api {
namespace {

enum class kind : std::uint8_t { counter, gauge, histogram };

struct row {
  std::string_view name; ///< without the prefix
  kind is = kind::gauge;
  std::string_view labels; ///< separated by spaces
  std::string_view help;
};

constexpr std::array<row, meter_count> rows{{
    {"build_info", kind::gauge, "version", "1, with the version of the program."},
    {"ingest_requests_total", kind::counter, "source result", "Requests to a source, by result."},
    {"ingest_commit_seconds", kind::histogram, "",
     "From a checked webhook to its commit, which its answer waits for."},
    {"source_last_received_timestamp_seconds", kind::gauge, "source",
     "When a source last sent something that was accepted; 0: not since the start."},
    {"hints_total", kind::counter, "source state", "What became of the hints in webhooks."},
    {"webhook_lead_seconds", kind::histogram, "source",
     "How much earlier than the chain itself a webhook named an event's block; 0: not earlier."},
    {"events_total", kind::counter, "chain status", "Facts about events, by their status."},
    {"events_compensated_total", kind::counter, "chain",
     "Events confirmed that no webhook had named."},
    {"logs_undecodable_total", kind::counter, "chain",
     "Logs whose topics fit a subscription without an address and whose data does not decode."},
    {"chain_head_block", kind::gauge, "chain", "The highest block that is held."},
    {"chain_head_timestamp_seconds", kind::gauge, "chain", "The time of that block."},
    {"chain_mark_block", kind::gauge, "chain",
     "The tide mark: up to here every event is stored, checked and final by the chain's policy."},
    {"chain_state", kind::gauge, "chain state", "1 for the state that the chain is in."},
    {"reorgs_total", kind::counter, "chain", "Reorgs of blocks that were held."},
    {"reorg_depth_blocks", kind::histogram, "chain", "How many of our blocks left the chain."},
    {"reconcile_runs_total", kind::counter, "chain result",
     "Ranges read for the second time: nothing differed, something did, or they could not be "
     "read."},
    {"reconcile_last_success_timestamp_seconds", kind::gauge, "chain",
     "When a range was last read for the second time."},
    {"rpc_requests_total", kind::counter, "chain endpoint method result",
     "Posts to an endpoint by the method of their first call; eth_subscription: heads told."},
    {"rpc_seconds", kind::histogram, "chain method", "How long a post to an endpoint took."},
    {"rpc_lies_total", kind::counter, "chain endpoint kind",
     "Answers that were proved to be false."},
    {"delivery_attempts_total", kind::counter, "handler outcome", "Attempts to tell a handler."},
    {"delivery_seconds", kind::histogram, "handler", "How long an attempt took."},
    {"event_latency_seconds", kind::histogram, "handler",
     "From the time of an event's block to the handler's acknowledgement."},
    {"outbox_messages", kind::gauge, "handler state", "Messages that are not delivered yet."},
    {"outbox_oldest_timestamp_seconds", kind::gauge, "handler",
     "Since when the oldest undelivered message waits; 0: none does."},
    {"blocked_keys", kind::gauge, "handler", "Keys whose first message keeps failing."},
    {"gaps_total", kind::counter, "handler",
     "Gaps in what a handler is told: what was given up, skipped, too old, or missed while away."},
    {"handler_state", kind::gauge, "handler state", "1 for the state that the handler is in."},
    {"store_commit_batch", kind::histogram, "", "Writes that were committed together."},
    {"store_bytes", kind::gauge, "part", "Size of the store's file and of its log."},
    {"store_free_bytes", kind::gauge, "", "What is free on the store's disk."},
    {"backup_last_success_timestamp_seconds", kind::gauge, "",
     "When the last backup was made; 0: never on this store."},
    {"config_reload_success", kind::gauge, "", "1: the last reading of the config took effect."},
    {"config_reload_success_timestamp_seconds", kind::gauge, "", "When one last took effect."},
}};

const row& row_of(meter m) { return rows[static_cast<std::size_t>(m)]; }

constexpr std::array<double, 15> seconds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                         0.5,   1,      2.5,   5,    10,    30,   60};
constexpr std::array<double, 14> long_seconds{1,   2.5, 5,   10,   20,   30,    60,
                                              120, 300, 600, 1200, 3600, 14400, 86400};
constexpr std::array<double, 10> counts{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

struct bounds_view {
  const double* begin_ = nullptr;
  std::size_t size = 0;
  double operator[](std::size_t i) const { return begin_[i]; }
};

bounds_view bounds_of(meter m) {
  switch (m) {
  case meter::event_latency:
    return {long_seconds.data(), long_seconds.size()};
  case meter::reorg_depth:
  case meter::store_commit_batch:
    return {counts.data(), counts.size()};
  default:
    return {seconds.data(), seconds.size()};
  }
}

void append_number(std::string& out, double v) {
  if (std::isinf(v)) {
    out += v > 0 ? "+Inf" : "-Inf";
    return;
  }
  std::array<char, 32> text{};
  // The shortest text that reads back as the same number; whole ones without an exponent.
  const bool whole = v == std::floor(v) && std::fabs(v) < 1e15;
  const auto end =
      whole ? std::to_chars(text.data(), text.data() + text.size(), static_cast<std::int64_t>(v))
            : std::to_chars(text.data(), text.data() + text.size(), v);
  out.append(text.data(), end.ptr);
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
}

/// {a="…",b="…"}; nothing where there is no label.
void append_labels(std::string& out, std::string_view names, const std::vector<std::string>& values,
                   const std::string& le = {}) {
  bool open = false;
  const auto begin_one = [&](std::string_view name) {
    out += open ? ',' : '{';
    open = true;
    out.append(name).append("=\"");
  };
  for (const std::string& value : values) {
    const auto end = std::min(names.find(' '), names.size());
    begin_one(names.substr(0, end));
    append_escaped(out, value);
    out += '"';
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  if (!le.empty()) {
    begin_one("le");
    out.append(le).append("\"");
  }
  if (open) out += '}';
}

} // namespace

meters::series& meters::at(meter m, labels of) {
  std::vector<std::string> key(of.begin(), of.end());
  auto& one = families_[m][std::move(key)];
  if (row_of(m).is == kind::histogram && one.buckets.empty())
    one.buckets.resize(bounds_of(m).size + 1);
  return one;
}

void meters::count(meter m, labels of, std::uint64_t n) {
  const std::lock_guard lock(mutex_);
  at(m, of).value += static_cast<double>(n);
}

void meters::count_is(meter m, labels of, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  auto& one = at(m, of);
  one.value = std::max(one.value, static_cast<double>(total));
}

void meters::set(meter m, labels of, double value) {
  const std::lock_guard lock(mutex_);
  at(m, of).value = value;
}

void meters::observe(meter m, labels of, double value) {
  const std::lock_guard lock(mutex_);
  auto& one = at(m, of);
  const auto bounds = bounds_of(m);
  std::size_t i = 0;
  while (i < bounds.size && value > bounds[i])
    ++i;
  ++one.buckets[i];
  ++one.observed;
  one.value += value;
}

void meters::set_state(meter m, std::string_view name, std::string_view now,
                       std::span<const std::string_view> words) {
  const std::lock_guard lock(mutex_);
  for (const std::string_view word : words)
    at(m, {name, word}).value = word == now ? 1 : 0;
}

std::string meters::text() const {
  std::string out;
  out.reserve(std::size_t{32} * 1024);
  const std::lock_guard lock(mutex_);
  for (const auto& [m, members] : families_) {
    const row& r = row_of(m);
    const std::string name = "tidemark_" + std::string(r.name);
    out.append("# HELP ").append(name).append(" ").append(r.help).append("\n# TYPE ").append(name);
    out += r.is == kind::counter ? " counter\n" : r.is == kind::gauge ? " gauge\n" : " histogram\n";
    const auto line = [&](std::string_view suffix, const std::vector<std::string>& of, double value,
                          const std::string& le = {}) {
      out.append(name).append(suffix);
      append_labels(out, r.labels, of, le);
      out += ' ';
      append_number(out, value);
      out += '\n';
    };
    for (const auto& [of, one] : members) {
      if (r.is != kind::histogram) {
        line("", of, one.value);
        continue;
      }
      const auto bounds = bounds_of(m);
      std::uint64_t below = 0;
      for (std::size_t i = 0; i < bounds.size; ++i) {
        below += one.buckets[i];
        std::string le;
        append_number(le, bounds[i]);
        line("_bucket", of, static_cast<double>(below), le);
      }
      line("_bucket", of, static_cast<double>(one.observed), "+Inf");
      line("_sum", of, one.value);
      line("_count", of, static_cast<double>(one.observed));
    }
  }
  return out;
}

} // namespace tidemark::api
