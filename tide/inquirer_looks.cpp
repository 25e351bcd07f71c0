// SPDX-License-Identifier: MIT
#include "tide/inquirer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

// Looks at endpoints that nobody asks: a standby behind which another chain is, or that is down, is
// known before it is needed, and one that was is known to be well again.

namespace tidemark::tide {
namespace {

constexpr auto never = std::numeric_limits<inquirer::millis>::max();
constexpr inquirer::millis look_again = 60'000;

} // namespace

inquirer::effects inquirer::begin(millis now) {
  look_at_.assign(pool_.size(), now);
  if (!look_at_.empty()) look_at_.front() = never; // the preferred one is asked by the first ask
  look_around(now);
  go_on(now);
  return std::exchange(out_, {});
}

void inquirer::look_around(millis now) {
  for (std::size_t i = 0; i < look_at_.size(); ++i) {
    if (look_at_[i] > now || !pool_.may_ask(i, now)) continue;
    look_at_[i] = never;
    looks_.emplace_back(ask_head{}, i, chain_id_, false, pool_, now);
  }
}

/// Something came of this endpoint, asked or looked at: whether it is looked at later.
void inquirer::plan_look(std::size_t endpoint, millis now) {
  if (look_at_.empty()) return;
  using is = endpoint_state;
  const auto state = pool_.state(endpoint);
  const bool down = state == is::failing || state == is::refused || state == is::rate_limited;
  look_at_[endpoint] = down ? std::max(now + look_again, pool_.not_before(endpoint)) : never;
}

/// False: it is no look's.
bool inquirer::look_came(std::uint64_t n, const arrival& a, millis now) {
  const auto t = std::find_if(looks_.begin(), looks_.end(),
                              [&](talk& one) { return one.came(n, a, pool_, now); });
  if (t == looks_.end()) return false;
  if (t->is() == talk::state::going) return true;
  const auto i = t->endpoint();
  if (t->is() == talk::state::done)
    pool_.succeeded(i, t->latency(), t->read().highest(), now, true);
  else
    note_failure(*t, {}, now);
  plan_look(i, now);
  looks_.erase(t);
  out_.emplace_back(std::in_place_type<looked>, looked{i});
  return true;
}

std::optional<inquirer::millis> inquirer::next_look() const {
  auto at = never;
  for (const auto& t : looks_)
    at = std::min(at, t.waits_until().value_or(never));
  for (std::size_t i = 0; i < look_at_.size(); ++i)
    if (look_at_[i] != never) at = std::min(at, std::max(look_at_[i], pool_.not_before(i)));
  return at == never ? std::nullopt : std::optional(at);
}

} // namespace tidemark::tide
