// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

#include <random>
#include <set>

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// A chain that grows and forks by a seed, the sets that a Tide would conclude of it, and one
/// handler with three keys that checks each message against those before.
class walk {
public:
  explicit walk(unsigned seed) : random_(seed) {}

  bool one_in(unsigned n) { return random_() % n == 0; }

  void grow(std::uint64_t blocks) {
    for (; blocks > 0; --blocks) {
      ++tip_;
      tide::saw seen;
      for (int i = 0, n = static_cast<int>(random_() % 3); i < n; ++i) {
        auto s = log(block(tip_, branch_), ++transactions_, i);
        s.routes[0].key = std::string("1:") + "abc"[random_() % 3];
        if (one_in(4)) s.asks.blocks = 9;
        seen.logs.push_back(s);
      }
      canonical_[tip_] = {block(tip_, branch_), seen.logs};
      w_.apply(tip_, {seen}, {header(tip_, branch_)});
    }
  }

  void reconcile() {
    if (tip_ < mark_ + 4) return;
    tide::shown v;
    for (auto n = mark_ + 1; n + 3 <= tip_; ++n) {
      v.blocks.push_back(canonical_[n].id);
      v.logs.insert(v.logs.end(), canonical_[n].logs.begin(), canonical_[n].logs.end());
    }
    mark_ = tip_ - 3;
    w_.apply(tip_, {v, tide::mark_moved{v.blocks.back()}});
  }

  void ripen() {
    const auto waiting = must(w_.db->boot(world::chain)).waiting;
    for (const tide::ripening& r : waiting) {
      if (tip_ < r.block.number + r.asks.blocks) continue;
      tide::proved p{r.block, {}, canonical_[r.block.number].logs};
      for (const auto& s : p.logs)
        p.places.push_back({s.tx, s.log_index});
      w_.apply(tip_, {p});
    }
  }

  /// Some blocks leave; about half of what they had is mined again on the new branch.
  void fork() {
    const std::uint64_t depth = 1 + random_() % std::min<std::uint64_t>(6, tip_ - 9);
    const std::uint64_t ancestor = tip_ - depth;
    std::vector<tide::verdict> verdicts;
    for (auto n = tip_; n > ancestor; --n)
      verdicts.push_back(tide::orphaned{canonical_[n].id});
    const evm::block_id base = ancestor == 9 ? block(9) : canonical_[ancestor].id;
    ++branch_;
    verdicts.push_back(tide::reorg{static_cast<std::uint32_t>(depth), base, canonical_[tip_].id,
                                   block(tip_, branch_), false});
    mark_ = std::min(mark_, ancestor);
    tide::saw again;
    std::vector<tide::held_header> headers;
    for (auto n = ancestor + 1; n <= tip_; ++n) {
      headers.push_back(header(n, branch_));
      one_block fresh{block(n, branch_), {}};
      for (auto s : canonical_[n].logs) {
        if (one_in(2)) continue;
        s.block = fresh.id;
        fresh.logs.push_back(s);
        again.logs.push_back(s);
      }
      canonical_[n] = fresh;
    }
    verdicts.push_back(again);
    w_.apply(tip_, verdicts, headers);
  }

  void deliver() {
    for (const auto& m : w_.deliver())
      check(m);
  }

  void restart() { w_.db = store::store::revive(std::move(w_.db)); }

  /// Once the chain has grown enough for all: what is on it was told last as confirmed, and nothing
  /// else was.
  void check_ledger() {
    std::set<std::string> on_chain, confirmed;
    for (const auto& [n, b] : canonical_)
      if (n <= mark_)
        for (const auto& s : b.logs)
          on_chain.insert(tide::event_id(world::chain, s.tx, s.log_index));
    for (const auto& [event, states] : told_) {
      for (std::size_t i = 0; i < states.size(); ++i)
        REQUIRE(states[i] == (i % 2 ? tide::status::rolled_back : tide::status::confirmed));
      if (states.size() % 2) confirmed.insert(event);
    }
    CHECK(confirmed == on_chain);
    CHECK(on_chain.size() > 20);
  }

  void settle() {
    // Nothing new: only time for the slow ones.
    for (int i = 0; i < 12; ++i) {
      ++tip_;
      canonical_[tip_] = {block(tip_, branch_), {}};
      w_.apply(tip_, {}, {header(tip_, branch_)});
    }
    reconcile();
    ripen();
  }

private:
  struct one_block {
    evm::block_id id;
    std::vector<tide::sighting> logs;
  };
  using place = std::pair<std::uint64_t, std::int32_t>;

  void check(const store::message& m) {
    REQUIRE(m.envelope.sequence == ++last_sequence_[m.envelope.key]);
    REQUIRE(ids_.insert(tide::message_id(m.fact)).second);
    REQUIRE_FALSE(m.envelope.late);
    const place here(m.fact.block.number, m.fact.log_index);
    place& last = last_place_[m.envelope.key];
    if (m.fact.status == tide::status::confirmed) {
      REQUIRE(last < here);
      last = here;
    } else {
      // Taken back from the top: what comes next may lie where this was.
      REQUIRE(here <= last);
      last = {here.first, here.second - 1};
    }
    told_[tide::event_id(world::chain, m.fact.tx, m.fact.log_index)].push_back(m.fact.status);
  }

  std::mt19937 random_;
  world w_;
  char branch_ = 'A';
  std::uint64_t tip_ = 9, mark_ = 9, transactions_ = 0;
  std::map<std::uint64_t, one_block> canonical_;
  std::map<std::string, std::uint64_t> last_sequence_;
  std::map<std::string, place> last_place_;
  std::set<std::string> ids_;
  std::map<std::string, std::vector<tide::status>> told_; // by event
};

} // namespace

TEST_CASE("a random walk leaves no hole and no wrong order in a key", "[lanes]") {
  walk w(GENERATE(range(1U, 41U)));
  for (int step = 0; step < 60; ++step) {
    w.grow(1 + static_cast<std::uint64_t>(step % 3));
    if (w.one_in(2)) w.reconcile();
    w.ripen();
    if (w.one_in(5)) w.fork();
    if (w.one_in(2)) w.deliver();
    if (w.one_in(10)) w.restart();
  }
  w.settle();
  w.deliver();
  w.check_ledger();
}
