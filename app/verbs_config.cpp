// SPDX-License-Identifier: MIT
#include "app/certificates.hpp"
#include "app/daemon.hpp"
#include "app/probe.hpp"
#include "app/terminal.hpp"
#include "app/verbs.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tidemark::app {
namespace {

std::string counted(std::size_t n, std::string_view what) {
  return std::to_string(n) + ' ' + std::string(what) + (n == 1 ? "" : "s");
}

std::string summary(const config::config& c) {
  std::string out = "ok: " + counted(c.chains.size(), "chain") + ", " +
                    counted(c.sources.size(), "source") + ", " +
                    counted(c.subscriptions.size(), "subscription") + ", " +
                    counted(c.handlers.size(), "handler");
  for (const auto& chain : c.chains)
    out += "\n  " + chain.name + " (" + std::to_string(chain.id) + "), " +
           counted(chain.rpc.size() + chain.heads.size(), "endpoint");
  return out;
}

std::string yes_no(const std::optional<bool>& b) { return !b ? "-" : *b ? "yes" : "no"; }
std::string number_text(const std::optional<std::uint64_t>& n) {
  return n ? std::to_string(*n) : "-";
}

std::string latency_text(double ms) {
  if (ms == 0) return "-";
  return ms < 1 ? "<1" : std::to_string(std::lround(ms));
}

/// As the first endpoint that could tell has it; 0: none could.
double block_seconds(const config::chain& chain, const std::vector<probed_endpoint>& found) {
  for (const auto& e : found)
    if (e.chain == chain.name && e.block_seconds != 0) return e.block_seconds;
  return 0;
}

void print_probes(const config::config& c, const std::vector<probed_endpoint>& found) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(found.size());
  for (const auto& e : found)
    rows.push_back({e.chain, printable(e.endpoint), e.trouble.empty() ? "ok" : "failing",
                    number_text(e.chain_id), number_text(e.head), number_text(e.safe),
                    number_text(e.finalized), yes_no(e.batches), yes_no(e.receipts),
                    yes_no(e.heads), latency_text(e.latency_ms), printable(e.trouble)});
  say('\n' + table({"CHAIN", "ENDPOINT", "STATE", "ID", "HEAD", "SAFE", "FINALIZED", "BATCHES",
                    "RECEIPTS", "HEADS", "MS", "TROUBLE"},
                   rows));
  for (const auto& chain : c.chains) {
    const double seconds = block_seconds(chain, found);
    say(chain.name + ": about " + std::to_string(calls_a_day(chain, seconds)) +
        " calls a day at most, beside backfills and webhooks" +
        (seconds > 0 ? " (a block every " + std::to_string(std::lround(seconds * 1'000)) + " ms)"
                     : ""));
  }
}

json::array problem_array(const std::vector<config::problem>& problems) {
  json::array out;
  for (const auto& p : problems)
    out.push_back(
        json::object{{"file", p.file}, {"line", p.line}, {"column", p.column}, {"text", p.text}});
  return out;
}

template <class T> json::value or_null(const std::optional<T>& v) {
  return v ? json::value(*v) : json::value(nullptr);
}

json::array probe_array(const std::vector<probed_endpoint>& found) {
  json::array out;
  for (const auto& e : found)
    out.push_back(json::object{{"chain", e.chain},
                               {"name", e.endpoint},
                               {"chain_id", or_null(e.chain_id)},
                               {"head", or_null(e.head)},
                               {"safe", or_null(e.safe)},
                               {"finalized", or_null(e.finalized)},
                               {"batches", or_null(e.batches)},
                               {"block_receipts", or_null(e.receipts)},
                               {"heads", or_null(e.heads)},
                               {"latency_ms", std::llround(e.latency_ms)},
                               {"trouble", e.trouble}});
  return out;
}

json::array estimate_array(const config::config& c, const std::vector<probed_endpoint>& found) {
  json::array out;
  for (const auto& chain : c.chains) {
    const double seconds = block_seconds(chain, found);
    out.push_back(json::object{{"chain", chain.name},
                               {"calls_a_day", calls_a_day(chain, seconds)},
                               {"block_ms", seconds > 0 ? json::value(std::llround(seconds * 1'000))
                                                        : json::value(nullptr)}});
  }
  return out;
}

} // namespace

int run(const invocation& how) {
  auto config = load_config(how);
  if (!config) return exit_config;
  return run_daemon(std::move(*config), how.config_file);
}

int check(const invocation& how, bool with_probe) {
  const auto loaded = config::load(how.config_file, environment, config::reach::all, wrong_files);
  const auto found =
      with_probe && loaded.value ? probe(*loaded.value) : std::vector<probed_endpoint>{};
  const bool usable = std::all_of(found.begin(), found.end(),
                                  [](const probed_endpoint& e) { return e.trouble.empty(); });
  if (how.json) {
    json::object out{{"ok", loaded.value.has_value() && usable},
                     {"problems", problem_array(loaded.problems)},
                     {"warnings", problem_array(loaded.warnings)}};
    if (with_probe) out.emplace("endpoints", probe_array(found));
    if (with_probe && loaded.value) out.emplace("estimates", estimate_array(*loaded.value, found));
    say(json::serialize(out));
  } else {
    for (const auto& problem : loaded.problems)
      complain(problem.to_string());
    for (const auto& warning : loaded.warnings)
      complain("warning: " + warning.to_string());
    if (loaded.value) say(summary(*loaded.value));
    if (loaded.value && with_probe) print_probes(*loaded.value, found);
  }
  if (!loaded.value) return exit_config;
  return usable ? exit_done : exit_failed;
}

int init(const std::string& folder) {
  const auto path = std::filesystem::path(folder) / "tidemark.yaml";
  std::error_code ec;
  std::filesystem::create_directories(path.parent_path(), ec);
  // O_EXCL: a config that is there, or comes to be there meanwhile, stays. It may get secrets, so
  // it is nobody else's to read.
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (fd < 0) {
    complain(errno == EEXIST ? "tidemark: " + path.string() + " is there already; it stays as it is"
                             : "tidemark: " + path.string() + ": " + std::strerror(errno));
    return exit_failed;
  }
  const std::string_view text = config::starter_yaml();
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = close(fd) == 0;
  if (!written || !closed) {
    complain("tidemark: " + path.string() + ": " + std::strerror(errno));
    std::filesystem::remove(path, ec);
    return exit_failed;
  }
  say("wrote " + path.string() + "; fill it in, then: tidemark check --config " + path.string());
  return exit_done;
}

} // namespace tidemark::app
