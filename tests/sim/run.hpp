// SPDX-License-Identifier: MIT
#pragma once

#include "daemon.hpp"
#include "plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::sim {

/// One run: a world, its endpoints, its providers and handlers, and the daemon among them, with a
/// clock of our own. Everything that happens follows from the plan, so a failing one replays
/// exactly.
class run {
public:
  explicit run(plan p);

  /// Empty: every promise was kept, and at quiet each ledger equals the canonical chain.
  std::string play();
  /// Empty: the mark is where it should be and each handler's ledger equals the canonical chain up
  /// to it.
  std::string compare();

  // For stories that are written, not drawn
  world& chain() { return world_; }
  /// Lets the daemon do all that it can about the chain as it is now.
  void catch_up();
  void restart();
  void resume(bool accept) { daemon_.operate(accept); }
  /// The plan's late subscription comes.
  void reload() { daemon_.reload(); }
  /// The next look at the head begins, and so many things happen after that.
  void half_a_pass(int things);
  void hint(const evm::hash32& tx, std::optional<std::uint32_t> log_index);
  tide::chain_status status() const { return daemon_.status(); }
  /// The statuses that an event has gone through, oldest first: "pending confirmed rolled_back".
  std::string life(const evm::hash32& tx, std::int32_t log_index);
  std::optional<tide::fact> last_fact(const evm::hash32& tx, std::int32_t log_index);
  std::string hint_state(std::int64_t webhook);
  const ledger_handler& handler(std::size_t i) const { return services_[i].ledger; }
  /// Changes the answers of one endpoint, or of all.
  void lie(std::function<void(tide::answer_what&)> f, std::optional<std::size_t> by = {}) {
    daemon_.lie = nullptr;
    if (f)
      daemon_.lie = [f = std::move(f), by](tide::answer& a) {
        if (a.endpoint == by.value_or(a.endpoint)) f(a.what);
      };
  }
  /// The same where it matters who says what: the votes of several are one answer.
  void twist(std::function<void(tide::answer&)> f) { daemon_.lie = std::move(f); }
  std::uint64_t reorgs() const { return daemon_.reorgs; }

  // What happened
  const daemon& process() const { return daemon_; }
  tally met() const;
  std::size_t told() const;
  std::uint64_t steps() const { return steps_; }
  const std::vector<std::string>& story() const { return story_; }

private:
  // run.cpp
  std::string fault() const;
  void for_a_while(std::int64_t ms);
  std::string settle();
  // run_events.cpp
  void begin();
  void grow();
  void post(const std::string& body, int tries);
  void hear_of(const block& b);
  void operate();
  void strike();
  void tell(const std::string& what);

  plan plan_;
  timeline clock_;
  world world_;
  renderer texts_;
  tally met_;
  stream growth_, hooks_, operator_, strikes_;
  std::vector<node> nodes_;
  std::vector<service> services_;
  daemon daemon_;
  std::vector<std::string> story_;
  std::uint64_t steps_ = 0, told_block_ = 0;
  bool quiet_ = false, latecomer_came_ = false;
};

} // namespace tidemark::sim
