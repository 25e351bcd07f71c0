// SPDX-License-Identifier: MIT
#pragma once

#include "handler.hpp"
#include "world.hpp"

#include "store/store.hpp"
#include "tide/tide.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidemark::sim {

struct plan {
  std::uint64_t seed = 1;
  std::uint64_t steps = 200;
  std::uint64_t confirmations = 3, max_depth = 8;
  bool follow = true;
  bool crashes = true;
  bool tags = false; ///< confirms by `finalized`
};

/// One story: the real Tide and the real store on a made-up chain, with a clock of our own.
/// Everything that happens is drawn from the seed, so a failing one replays exactly.
class run {
public:
  explicit run(const plan& p);
  /// Empty: every promise was kept and at quiet each ledger equals the canonical chain.
  std::string play();
  /// Empty: the mark is where it should be and each handler's ledger equals the canonical chain up
  /// to it.
  std::string compare();

  // For stories that are written, not drawn
  world& chain() { return world_; }
  /// Lets the daemon do all that it can about the chain as it is now.
  void catch_up();
  void restart() { die(); }
  void resume(bool accept) { carry_out(tide_->resume(accept, now_)); }
  /// One effect, so that the world can change in the middle of a pass.
  void half_a_pass(int effects);
  void hint(const evm::hash32& tx, std::optional<std::uint32_t> log_index);
  tide::chain_status status() const { return tide_->status(); }
  /// The statuses that an event has gone through, oldest first: "pending confirmed rolled_back".
  std::string life(const evm::hash32& tx, std::int32_t log_index);
  std::optional<tide::fact> last_fact(const evm::hash32& tx, std::int32_t log_index);
  std::string hint_state(std::int64_t webhook);
  const ledger_handler& handler(std::size_t i) const { return handlers_[i]; }
  void lie(std::function<void(tide::answer_what&)> f) { lie_ = std::move(f); }

  std::size_t told() const;
  std::uint64_t reorgs = 0, halts = 0, deaths = 0;

private:
  void boot();
  void die();
  void step();
  void settle();
  void carry_out(tide::tide::effects effects);
  void work_off();
  void webhook();
  bool deliver(std::size_t handler); ///< false: there was nothing to send
  bool guarded(const std::function<void()>& write);

  plan plan_;
  world world_;
  tide::settings settings_;
  std::shared_ptr<const tide::interest> wants_;
  std::unique_ptr<store::store> store_;
  std::optional<tide::tide> tide_;
  std::deque<tide::effect> todo_;
  std::vector<ledger_handler> handlers_;
  std::vector<std::string> names_;
  std::int64_t now_ = 1'700'000'000'000;
  std::uint64_t countdown_ = 0; ///< statements until the process dies; 0: it does not
  std::uint64_t hooks_ = 0;
  bool quiet_ = false;
  std::function<void(tide::answer_what&)> lie_; ///< what the endpoint makes of its answers
};

} // namespace tidemark::sim
