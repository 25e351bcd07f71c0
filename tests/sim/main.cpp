// SPDX-License-Identifier: MIT
#include "run.hpp"
#include "shrink.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The simulation as a program: long runs, replays of a failing seed, and its shortest story.

namespace {

using namespace tidemark::sim;

constexpr const char* usage =
    "usage: sim [--seed N | --seeds A..B] [--blocks M] [--steps S] [--endpoints I,…]\n"
    "           [--without FEATURE,…] [--no-strict] [--no-shrink] [--story]\n"
    "Plays the runs of these seeds (1..300), each until M blocks were mined, and says what was\n"
    "met. A seed that fails is made simpler, and how to replay that is said.\n";

struct order {
  std::uint64_t first = 1, last = 300, blocks = 0, steps = 0;
  std::vector<std::size_t> endpoints; ///< none named: all
  std::vector<feature> without;
  bool story = false, shrinks = true, strict = true;
};

std::optional<std::uint64_t> number(std::string_view text) {
  const std::string s(text);
  char* end = nullptr;
  const auto n = std::strtoull(s.c_str(), &end, 10);
  return s.empty() || *end != '\0' ? std::nullopt : std::optional<std::uint64_t>(n);
}

bool read_features(std::string_view list, std::vector<feature>& out) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const auto f = feature_named(list.substr(0, comma));
    if (!f) return false;
    out.push_back(*f);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return true;
}

bool read_numbers(std::string_view list, std::vector<std::size_t>& out) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const auto n = number(list.substr(0, comma));
    if (!n) return false;
    out.push_back(*n);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return true;
}

bool read(int argc, char** argv, order& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--story") {
      o.story = true;
    } else if (name == "--no-shrink") {
      o.shrinks = false;
    } else if (name == "--no-strict") {
      o.strict = false;
    } else {
      if (++i == argc) return false;
      const std::string_view value = argv[i];
      const auto dots = value.find("..");
      const auto n = number(value.substr(0, dots));
      if (name == "--without") {
        if (!read_features(value, o.without)) return false;
      } else if (name == "--endpoints") {
        if (!read_numbers(value, o.endpoints)) return false;
      } else if (!n) {
        return false;
      } else if (name == "--seed") {
        o.first = o.last = *n;
      } else if (name == "--seeds" && dots != std::string_view::npos) {
        const auto last = number(value.substr(dots + 2));
        if (!last) return false;
        o.first = *n;
        o.last = *last;
      } else if (name == "--blocks") {
        o.blocks = *n;
      } else if (name == "--steps") {
        o.steps = *n;
      } else {
        return false;
      }
    }
  }
  return true;
}

plan plan_for(std::uint64_t seed, const order& o) {
  auto p = plan_of(seed);
  if (o.blocks) p.blocks = o.blocks;
  if (o.steps) p.steps = o.steps;
  if (!o.strict) p.strict = false;
  for (const auto f : o.without)
    p.on.remove(f);
  if (!o.endpoints.empty()) {
    const auto left_out = [&](const endpoint_plan& e) {
      return std::find(o.endpoints.begin(), o.endpoints.end(), e.index) == o.endpoints.end();
    };
    p.endpoints.erase(std::remove_if(p.endpoints.begin(), p.endpoints.end(), left_out),
                      p.endpoints.end());
  }
  return p;
}

std::string replay_of(const plan& p) {
  const auto whole = plan_of(p.seed);
  std::string out =
      "sim --seed " + std::to_string(p.seed) + " --blocks " + std::to_string(p.blocks);
  std::string without;
  for (std::size_t n = 0; n < features; ++n)
    if (const auto f = static_cast<feature>(n); whole.on.has(f) && !p.on.has(f))
      without += (without.empty() ? "" : ",") + std::string(name_of(f));
  if (!without.empty()) out += " --without " + without;
  if (p.endpoints.size() < whole.endpoints.size())
    for (std::size_t i = 0; i < p.endpoints.size(); ++i)
      out += (i == 0 ? " --endpoints " : ",") + std::to_string(p.endpoints[i].index);
  if (whole.strict && !p.strict) out += " --no-strict";
  return out + " --story";
}

struct totals {
  tally met;
  std::uint64_t blocks = 0, steps = 0, told = 0, reorgs = 0, halts = 0, deaths = 0, posts = 0,
                lies = 0;
};

std::string play_one(const plan& p, totals& sum) {
  std::optional<run> r;
  std::string fault;
  try {
    r.emplace(p);
    fault = r->play();
  } catch (const std::exception& e) {
    fault = std::string("thrown: ") + e.what();
  }
  if (!r) return fault;
  for (const auto& line : r->story())
    std::puts(line.c_str());
  sum.met.add(r->met());
  sum.blocks += r->chain().mined();
  sum.steps += r->steps();
  sum.told += r->told();
  sum.reorgs += r->process().reorgs;
  sum.halts += r->process().halts;
  sum.deaths += r->process().deaths;
  sum.posts += r->process().posts;
  sum.lies += r->process().lies_caught;
  return fault;
}

void print(const totals& t, double seconds) {
  std::printf("%llu blocks, %llu steps, %llu requests, %llu messages, %llu reorgs, %llu halts, "
              "%llu deaths, %llu lies caught in %.1f s: %.0f steps/s, %.0f blocks/s\n",
              static_cast<unsigned long long>(t.blocks), static_cast<unsigned long long>(t.steps),
              static_cast<unsigned long long>(t.posts), static_cast<unsigned long long>(t.told),
              static_cast<unsigned long long>(t.reorgs), static_cast<unsigned long long>(t.halts),
              static_cast<unsigned long long>(t.deaths), static_cast<unsigned long long>(t.lies),
              seconds, static_cast<double>(t.steps) / seconds,
              static_cast<double>(t.blocks) / seconds);
  std::string line = "met:";
  for (std::size_t n = 0; n < features; ++n)
    line += " " + std::string(name_of(static_cast<feature>(n))) + " " +
            std::to_string(t.met.of(static_cast<feature>(n)));
  std::puts(line.c_str());
}

} // namespace

int main(int argc, char** argv) {
  order o;
  if (!read(argc, argv, o)) {
    std::fputs(usage, stderr);
    return 2;
  }
  totals sum;
  std::uint64_t failed = 0;
  const auto began = std::chrono::steady_clock::now();
  for (auto seed = o.first; seed <= o.last; ++seed) {
    auto p = plan_for(seed, o);
    p.tells = o.story;
    if (o.story) std::puts(describe(p).c_str());
    const auto fault = play_one(p, sum);
    if (fault.empty()) continue;
    ++failed;
    std::printf("seed %llu fails: %s\n", static_cast<unsigned long long>(seed), fault.c_str());
    std::fflush(stdout);
    if (!o.shrinks || o.story) continue;
    const auto shortest = shrink(p, fault, [](const std::string&) {});
    std::printf("  simpler: %s\n  %s\n  replay: %s\n", shortest.fault.c_str(),
                describe(shortest.how).c_str(), replay_of(shortest.how).c_str());
    std::fflush(stdout);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  print(sum, took.count());
  std::printf("%llu of %llu seeds failed\n", static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(o.last - o.first + 1));
  return failed == 0 ? 0 : 1;
}
