// SPDX-License-Identifier: MIT
#include "run.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <algorithm>
#include <cstdio>

// What happens in the world by itself.

namespace tidemark::sim {
namespace {

constexpr std::int64_t block_time = 2'000, second = 1'000, minute = 60 * second;
constexpr std::size_t longest_story = 200'000;

std::string body_of(std::uint64_t n, const evm::hash32& tx, std::optional<std::uint32_t> log,
                    std::optional<std::uint64_t> block) {
  std::string out = "{\"n\":" + std::to_string(n) + ",\"tx\":\"" + evm::to_hex(tx) + '"';
  if (log) out += ",\"log\":" + std::to_string(*log);
  if (block) out += ",\"block\":" + std::to_string(*block);
  return out + '}';
}

} // namespace

void run::tell(const std::string& what) {
  if (!plan_.tells) return;
  const auto ms = clock_.now() - 1'700'000'000'000;
  char at[32];
  std::snprintf(at, sizeof at, "%6lld.%03lld  ", static_cast<long long>(ms / second),
                static_cast<long long>(ms % second));
  if (story_.size() < longest_story) story_.push_back(at + what);
}

void run::begin() {
  clock_.after(growth_.about(block_time), 0, [this] { grow(); });
  clock_.after(operator_.between(20 * second, minute), 0, [this] { operate(); });
  clock_.after(strikes_.between(10 * second, 2 * minute), 0, [this] { strike(); });
}

/// A block, or a fork.
void run::grow() {
  if (quiet_) return;
  const auto what = growth_.below(100);
  const auto near = 1 + growth_.below(3), far = 1 + growth_.below(plan_.max_depth),
             deeper = plan_.max_depth + 2 + growth_.below(6), more = growth_.below(3);
  const auto meets = [&](feature f, std::uint64_t from, std::uint64_t to) {
    if (what < from || what >= to || !plan_.on.has(f)) return false;
    met_.count(f);
    return true;
  };
  if (plan_.latecomer && !latecomer_came_ && world_.mined() >= plan_.latecomer_at) {
    latecomer_came_ = true;
    daemon_.reload();
  }
  const auto before = world_.head();
  if (meets(feature::fork, 0, 8))
    world_.fork(near, near + more);
  else if (meets(feature::fork, 8, 10))
    world_.fork(far, far + more);
  else if (meets(feature::shorter, 10, 13))
    world_.fork(far, far - std::min(far, 1 + more));
  else if (what == 13 && growth_.chance(50) && meets(feature::deep_fork, 13, 14))
    world_.fork(deeper, deeper + 1);
  else if ((world_.head() - world_.left().from < plan_.max_depth || what == 14) &&
           meets(feature::back, 14, 17))
    (void)world_.back();
  else
    world_.mine();
  if (plan_.tells && world_.head() != before + 1)
    tell("the chain forks: its head was " + std::to_string(before));
  if (plan_.tells) {
    const auto& b = world_.at(world_.head());
    tell("block " + std::to_string(b.header.number) + " " +
         evm::to_hex(b.header.hash).substr(0, 10) + " with " + std::to_string(b.logs.size()) +
         " logs of " + std::to_string(b.transactions.size()) + " transactions");
  }
  hear_of(world_.at(world_.head()));
  clock_.after(growth_.about(block_time), 0, [this] { grow(); });
}

/// The provider's webhooks of a block: some never come, some come twice, or hours later.
void run::hear_of(const block& b) {
  if (plan_.on.has(feature::forged) && hooks_.chance(4)) {
    met_.count(feature::forged);
    const auto tx = evm::keccak256("forged " + std::to_string(hooks_()));
    post(body_of(hooks_(), tx, 0, b.header.number), 1);
  }
  if (plan_.transactions && plan_.on.has(feature::webhook))
    for (const auto& tx : b.header.transactions) {
      const auto n = hooks_();
      if (!hooks_.chance(30)) continue;
      const auto body = body_of(n, tx, std::nullopt, std::nullopt); // the hash alone
      clock_.after(hooks_.between(0, 3 * second), 0, [this, body] { post(body, 3); });
    }
  for (const auto& l : b.logs) {
    const auto fate = hooks_.below(100);
    const auto n = hooks_();
    const auto wait = hooks_.between(0, 3 * second), hours = hooks_.between(minute, 120 * minute);
    if (!plan_.on.has(feature::webhook) || fate < 40) continue; // dropped
    met_.count(feature::webhook);
    auto body = body_of(n, l.tx, fate % 3 == 0 ? std::nullopt : std::optional(l.log_index),
                        fate % 2 == 0 ? std::nullopt : std::optional(b.header.number));
    const bool late = fate >= 90 && plan_.on.has(feature::delayed);
    if (late) met_.count(feature::delayed);
    clock_.after(late ? hours : wait, 0, [this, body] { post(body, 3); });
    if (fate < 80 || fate >= 90 || !plan_.on.has(feature::doubled)) continue;
    met_.count(feature::doubled);
    clock_.after(wait + 2 * second, 0, [this, body] { post(body, 3); });
  }
}

/// A provider tries again what was not acknowledged, a few times.
void run::post(const std::string& body, int tries) {
  const bool acknowledged = daemon_.webhook(body);
  if (plan_.tells) tell("webhook " + body + (acknowledged ? "" : " finds nobody"));
  if (!acknowledged && tries > 1)
    clock_.after(5 * second, 0, [this, body, tries] { post(body, tries - 1); });
}

void run::operate() {
  if (quiet_) return;
  daemon_.operate(operator_.chance(70));
  clock_.after(operator_.between(20 * second, minute), 0, [this] { operate(); });
}

/// kill -9, and sometimes nobody starts it again for long.
void run::strike() {
  if (quiet_) return;
  const auto how = strikes_.below(100);
  // Long enough for a catch-up, and not all of the run.
  const auto longest = std::max(minute, static_cast<std::int64_t>(plan_.blocks) * block_time / 2);
  const auto soon = strikes_.between(50, 5 * second),
             long_after = strikes_.between(20 * second, std::min(longest, 30 * minute));
  if (daemon_.alive() && plan_.on.has(feature::killed)) {
    const bool down = how < 12 && plan_.on.has(feature::downtime);
    met_.count(down ? feature::downtime : feature::killed);
    daemon_.die(down ? long_after : soon);
  }
  clock_.after(strikes_.between(10 * second, 2 * minute), 0, [this] { strike(); });
}

} // namespace tidemark::sim
