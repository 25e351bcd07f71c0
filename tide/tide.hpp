// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"
#include "tide/held.hpp"
#include "tide/status.hpp"
#include "tide/task.hpp"
#include "tide/whole.hpp"
#include "tide/write_set.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::tide {

using millis = std::int64_t; ///< ms since 1970, or a span of them

struct settings {
  std::uint64_t chain_id = 0;
  std::string name;
  needs confirmations;                      ///< the chain's own policy: what the mark means
  std::optional<std::uint64_t> start_block; ///< absent: the head at the first start
  bool follow = true, instant = false;
  tag strongest_tag = tag::none; ///< of every policy that can apply here: which tags are asked for
  proof integrity = proof::bloom;
  millis poll = 4'000, reorg_interval = 15'000, reconcile_interval = 60'000;
  std::uint64_t max_depth = 256, max_range = 2'000, overlap = 256;
};

// What a Tide wants done.
struct want_hints {
  std::size_t limit = 0;
};                           ///< the chain's due hints → hinted()
struct want_event_blocks {}; ///< blocks in which we hold events, from the top → event_blocks()
struct conclude {
  write_set set;
}; ///< one at a time → stored()
struct said {
  bool warning = false;
  std::string text;
}; ///< a line for the log
struct caught_lying {
  std::size_t endpoint = 0;
  std::string evidence;
};
struct resume_answered {
  resume_report report;
};
using effect =
    std::variant<ask, conclude, want_hints, want_event_blocks, said, caught_lying, resume_answered>;

/// One chain, as a value: takes what happened and the time, gives back what to do. No clock, socket
/// or thread decides anything in it.
///
/// It runs one pass at a time (head, hints, reconcile, reorg: design §5), each a coroutine that
/// waits for an answer or for the store, so a pass never concludes on top of a write set that is
/// not committed, nor across a reorg. When the store refuses a set `ended()` is true and a new Tide
/// begins from what the store says.
class tide {
public:
  using effects = std::vector<effect>;

  tide(settings s, std::shared_ptr<const interest> wants, boot_state from, millis now);
  tide(const tide&) = delete;
  tide& operator=(const tide&) = delete;

  effects tick(millis now);               ///< at the latest at next_tick()
  effects answered(answer a, millis now); ///< to an ask; an answer to none that waits is dropped
  effects stored(store_answer a, millis now);
  effects hinted(std::vector<chain_hint> hints, std::optional<millis> next_due, millis now);
  effects event_blocks(std::vector<event_block> blocks, millis now);
  effects bell(millis now);                      ///< the store has due hints for us
  effects resume(bool accept_reorg, millis now); ///< an operator's order → resume_answered
  /// While there is a reason, no pass begins (the disk is nearly full); empty: on they go.
  void hold(std::string reason) { held_back_ = std::move(reason); }

  millis next_tick() const;
  bool ended() const { return ended_; }
  chain_status status() const; ///< without endpoints
  const boot_state& began_from() const { return boot_; }

private:
  enum class pass_end : std::uint8_t { done, failed, again };
  enum class pass_kind : std::uint8_t {
    none,
    start,
    head,
    hints,
    reconcile,
    overlap,
    reorg,
    check,
    resume
  };
  using pass = task<pass_end>;

  // tide.cpp: the loop
  effects run(millis now);
  pass_kind next_pass() const;
  pass begin(pass_kind k);
  void finished(pass_kind k, pass_end end);
  millis back_off(pass_kind k) const;
  bool ripe() const;
  /// Without `bloom` a header's bloom proves nothing, on chains whose blooms do not hold.
  bool may_have_ours(const evm::header& h) const {
    return settings_.integrity == proof::none || wants_->may_be_in(h.logs_bloom);
  }
  bool behind() const; ///< target is above the mark
  chain_view view() const;
  std::optional<std::uint64_t> target() const;
  std::uint64_t first_unmarked() const { return mark_ ? mark_->number + 1 : start_; }
  void fail(std::string text);
  std::string place(const evm::block_id& id) const;
  write_set new_set() const;

  // start_pass.cpp
  pass start_pass();
  // head_pass.cpp
  pass head_pass();
  pass take_new(const std::vector<evm::header>& fresh, std::size_t endpoint);
  void note_tags(const head_answer& a);
  std::string origin_of(const evm::hash32& tx) const;
  // reading.cpp of blocks, shared by the passes
  task<std::optional<std::vector<block_reading>>> read_whole(const std::vector<evm::block_id>& ids,
                                                             std::optional<std::size_t> endpoint);
  std::vector<sighting> sightings_of(const block_reading& b, const std::string& origin) const;
  // reconcile_pass.cpp
  struct scan;
  pass reconcile_pass(std::uint64_t from, std::uint64_t to, bool moves_mark);
  pass overlap_pass();
  pass ripen();
  task<bool> read_suspicious(scan& s, std::size_t endpoint);
  task<bool> conclude_scan(scan& s);
  task<bool> conclude_slice(scan& s, std::size_t first, std::size_t last);
  void after_slice(const scan& s, std::size_t last, const applied& a);
  // reorg_pass.cpp
  struct fork {
    bool found = false;
    std::optional<evm::block_id> ancestor;
    evm::header base;
    evm::block_id new_head;
    bool lost = false;
  };
  pass check_pass();
  pass reorg_pass();
  task<std::optional<fork>> find_fork();
  bool must_halt(std::uint64_t ancestor) const;
  pass undo(const fork& f);
  pass halt(const std::string& reason);
  pass resume_pass();
  task<std::optional<fork>> find_deep_fork(const std::vector<event_block>& blocks,
                                           const fork& seen);
  // hint_pass.cpp
  pass hint_pass();
  void look_again(const chain_hint& h, bool no_answer, std::vector<verdict>& out);

  // What the coroutines wait for. Asking and waiting are two statements, and what a pass hands to
  // another is a named object: g++ 12 destroys aggregates twice that are made inside a co_await
  // expression (GCC bugs 98056, 100611).
  void ask_for(ask_what what, std::optional<std::size_t> endpoint = {});
  void put(write_set set);
  struct suspended {
    tide& t;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) { t.suspended_ = h; }
  };
  struct the_answer : suspended {
    answer await_resume() { return std::move(*t.answer_); }
  };
  struct the_outcome : suspended {
    store_answer await_resume() { return std::move(*t.store_answer_); }
  };
  struct the_event_blocks : suspended {
    std::vector<event_block> await_resume() { return std::move(*t.event_blocks_); }
  };
  void resume_waiting();

  // what never changes
  settings settings_;
  std::shared_ptr<const interest> wants_;
  boot_state boot_;

  // what the store holds too
  std::uint64_t turn_ = 0;
  bool started_ = false;
  std::uint64_t start_ = 0;
  std::optional<evm::block_id> mark_, final_;
  std::optional<std::string> halted_;
  held_headers held_;
  std::vector<ripening> waiting_;

  // what is only known now
  std::optional<evm::block_id> safe_, finalized_;
  std::uint64_t seen_head_ = 0; ///< the highest head that an endpoint named
  std::string held_back_;
  bool suspect_reorg_ = false;
  std::optional<std::uint64_t>
      second_look_; ///< the ancestor of a fork at or below the mark, seen once
  std::deque<chain_hint> hints_;
  std::optional<bool> resume_order_; ///< accept_reorg
  std::optional<reconcile_report> last_reconcile_;
  std::string trouble_; ///< why the pass in progress is about to fail
  std::string notice_;  ///< a lasting word about the chain, not a failure
  struct record {
    std::uint32_t failures = 0; ///< in a row
    std::string trouble;        ///< the last one's
  };
  std::array<record, 9> records_; ///< by pass_kind

  // when
  millis now_ = 0;
  millis next_start_ = 0, next_head_ = 0, next_take_ = 0, next_hints_ = 0, next_reconcile_ = 0;
  millis next_overlap_ = 0, next_check_ = 0, next_reorg_ = 0;
  bool hints_asked_ = false;

  // the pass in progress
  pass_kind kind_ = pass_kind::none;
  pass running_;
  std::coroutine_handle<> suspended_;
  std::uint64_t asks_ = 0;
  std::optional<std::uint64_t> open_ask_;
  bool store_open_ = false, blocks_open_ = false, ended_ = false;
  std::optional<answer> answer_;
  std::optional<store_answer> store_answer_;
  std::optional<std::vector<event_block>> event_blocks_;
  effects out_;
};

} // namespace tidemark::tide
