// SPDX-License-Identifier: MIT
#include "shrink.hpp"

#include "run.hpp"

#include <algorithm>
#include <cctype>
#include <exception>
#include <utility>

namespace tidemark::sim {
namespace {

/// Of one kind: the same words, whatever blocks, events and endpoints they name.
std::string kind_of(const std::string& fault) {
  std::string out;
  for (const auto c : fault.substr(0, 160))
    if (std::isalpha(static_cast<unsigned char>(c)) || c == ' ') out += c;
  // A hash ends what is alike.
  return out.substr(0, std::min<std::size_t>(out.find(" x"), 60));
}

} // namespace

std::string play(const plan& p) {
  try {
    return run(p).play();
  } catch (const std::exception& e) {
    return std::string("thrown: ") + e.what();
  }
}

finding shrink(const plan& failing, const std::string& fault,
               const std::function<void(const std::string&)>& said) {
  finding best{failing, fault};
  const auto tries = [&](const plan& p) {
    auto f = play(p);
    if (f.empty() || kind_of(f) != kind_of(fault)) return false;
    best = {p, std::move(f)};
    return true;
  };
  // Fewer blocks: first half as many, then a quarter less, then one in ten.
  for (const auto part : {2, 4, 10})
    for (auto p = best.how; p.blocks > 12; p = best.how) {
      p.blocks -= std::max<std::uint64_t>(p.blocks / static_cast<std::uint64_t>(part), 1);
      if (!tries(p)) break;
      said(std::to_string(p.blocks) + " blocks are enough");
    }
  for (bool simpler = true; simpler;) {
    simpler = false;
    for (std::size_t n = 0; n < features; ++n) {
      const auto f = static_cast<feature>(n);
      auto p = best.how;
      if (!p.on.has(f)) continue;
      p.on.remove(f);
      if (tries(p)) simpler = true;
    }
    said("simpler: " + describe(best.how));
    for (const auto part : {&plan::strict, &plan::transactions, &plan::latecomer}) {
      auto p = best.how;
      if (std::exchange(p.*part, false)) simpler |= tries(p);
    }
    for (std::size_t i = 0; i < best.how.endpoints.size() && best.how.endpoints.size() > 1; ++i) {
      auto p = best.how;
      p.endpoints.erase(p.endpoints.begin() + static_cast<std::ptrdiff_t>(i));
      if (is_fair(p)) simpler |= tries(p);
    }
  }
  for (const auto part : {4, 10})
    for (auto p = best.how; p.blocks > 8; p = best.how) {
      p.blocks -= std::max<std::uint64_t>(p.blocks / static_cast<std::uint64_t>(part), 1);
      if (!tries(p)) break;
      said(std::to_string(p.blocks) + " blocks are enough");
    }
  return best;
}

} // namespace tidemark::sim
