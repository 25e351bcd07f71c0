// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"
#include "tide/counting.hpp"
#include "tide/effect.hpp"
#include "tide/final_words.hpp"
#include "tide/held.hpp"
#include "tide/mark_range.hpp"
#include "tide/pass_kind.hpp"
#include "tide/quorum.hpp"
#include "tide/read_ahead.hpp"
#include "tide/ripe_order.hpp"
#include "tide/task.hpp"
#include "tide/whole.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::tide {

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
  effects bell(millis now);      ///< the store has due hints for us
  effects meanwhile(millis now); ///< when the effects of another call are on their way
  effects look(millis now);      ///< there may be a new head: it is not waited for
  // An operator's orders; one at a time.
  effects resume(bool accept_reorg, millis now); ///< → resume_answered
  effects skip(skip_order order, millis now);    ///< → skip_answered
  /// What is an event from the next pass on, and from where it counts; and rows that wait at or
  /// below the mark though no pass of ours left them so.
  effects renew(std::shared_ptr<const interest> wants, const boot_state& from, millis now);
  /// Any number of them, one after the other, a range at a time → reconcile_progress each.
  effects reconcile(reconcile_order order, millis now);
  effects stop_reconcile(std::int64_t job, millis now); ///< → reconcile_progress, ended
  /// While there is a reason, no pass begins (the disk is nearly full); empty: on they go.
  void hold(std::string reason) { held_back_ = std::move(reason); }

  millis next_tick() const;
  bool ended() const { return ended_; }
  chain_status status() const; ///< without endpoints
  const boot_state& began_from() const { return boot_; }

private:
  enum class pass_end : std::uint8_t { done, failed, again };
  using pass = task<pass_end>;

  // tide.cpp: the loop; renewal.cpp: take_over
  effects run(millis now);
  pass_kind next_pass() const;
  pass begin(pass_kind k);
  void finished(pass_kind k, pass_end end);
  millis back_off(pass_kind k) const;
  void take_over();
  // view.cpp: what is known now
  bool ripe() const;
  bool may_have_ours(const evm::header& h, proof asked) const {
    return may_have(*wants_, h, asked);
  }
  bool may_have(const interest& wants, const evm::header& h, proof asked) const;
  bool behind() const; ///< target is above the mark
  chain_view view() const;
  std::optional<std::uint64_t> target() const;
  std::uint64_t first_unmarked() const { return mark_ ? mark_->number + 1 : start_; }
  /// The lowest block that anything counts from; no higher than the start.
  std::uint64_t lowest_counted() const { return wants_->lowest(start_); }
  std::size_t rows_a_set() const { return others_wait_ ? 250 : 1'000; } ///< 2 ms, 7 ms of the store
  std::uint64_t first_unread() const;
  void fail(std::string text);
  std::string place(const evm::block_id& id) const;
  std::string notices() const;
  write_set new_set() const;

  // start_pass.cpp, nursery_pass.cpp
  pass start_pass(), nursery_pass();
  task<bool> read_creations(std::uint64_t from, std::uint64_t to);
  // head_pass.cpp
  struct head_seen {
    evm::header head;
    std::size_t endpoint = 0;
  };
  pass head_pass();
  bool leave_behind(write_set& set, const store_answer& done, const evm::header& lowest) const;
  pass take_new(const std::vector<evm::header>& fresh, std::size_t endpoint);
  task<std::optional<head_seen>> look_at_head();
  void note_tags(const head_answer& a, std::optional<std::size_t> alone);
  task<bool> set_back(const evm::header& head, std::size_t endpoint);
  std::string origin_of(const evm::hash32& tx) const;
  // proving.cpp: what the passes share
  /// The header at that height out of an answer to ask_headers, or null: then `trouble_` says why.
  const evm::header* header_at(const answer& a, std::uint64_t number);
  void object(const answer& by, const objection& o, proof asked,
              std::span<block_reading> read = {});
  bool shows_odd_blooms(const answer& by, const objection& o, std::span<block_reading> read);
  void note_ways(const block_reading& b, proof asked);
  proved proof_of(const block_reading& b, const std::string& origin) const;
  void stands_alone(std::size_t endpoint, const std::string& evidence);
  task<bool> vouched(const evm::block_id& id, std::optional<std::size_t> by);
  task<std::optional<std::vector<block_reading>>> read_whole(const std::vector<evm::block_id>& ids,
                                                             std::optional<std::size_t> endpoint,
                                                             proof asked);
  std::vector<sighting> sightings_of(const block_reading& b, const std::string& origin) const;
  // reconcile_pass.cpp
  struct scan; // scan.hpp
  pass reconcile_pass(std::uint64_t from, std::uint64_t to, bool moves_mark,
                      const backfill* fills = nullptr);
  bool lies_deep(std::uint64_t from) const;
  pass overlap_pass();
  // backfill_pass.cpp
  pass backfill_pass();
  task<bool> hold_down_to(std::uint64_t number);
  bool waits_for_policies(const backfill& b) const;
  bool wait_for_policies(scan& s, const std::string& subscription);
  task<bool> has_our_mark(const answer& range, std::uint64_t last);
  pass ripen(); // ripen_pass.cpp
  task<bool> conclude_ripe(const std::vector<evm::block_id>& ids);
  bool continues_ours(const std::vector<evm::header>& headers, std::uint64_t from);
  std::optional<evm::block_id> final_at(const evm::block_id& mark) const;
  // ordered_pass.cpp
  pass ordered_pass();
  task<bool> reconcile_fresh(const reconcile_order& o);
  void narrow(reconcile_order&) const, end_order(std::int64_t job, std::string trouble);
  // scan_proof.cpp
  bool hold_against_range(const scan& s, const block_reading& b);
  task<bool> read_proofs(scan& s, const std::vector<evm::block_id>& ids);
  task<bool> prove(scan&s), prove_near(scan&s), prove_deep(scan&s), conclude_scan(scan&s);
  task<bool> differ_from_second(scan& s, std::vector<evm::block_id>& differ);
  task<bool> conclude_slice(scan& s, std::size_t first, std::size_t last);
  write_set slice_of(const scan& s, std::size_t first, std::size_t last) const;
  task<bool> settle(scan& s, const disputed& differs);
  void after_slice(const scan& s, std::size_t last, const applied& a);
  // reorg_pass.cpp
  struct fork; // fork.hpp
  pass check_pass(), reorg_pass(), resume_pass(), skip_pass();
  pass_end no_fork();
  task<std::optional<fork>> find_fork(std::optional<std::size_t> endpoint, bool lower_too);
  enum class walk : std::uint8_t { met, at_the_end, unclear };
  task<walk> walk_down(fork& f, std::optional<evm::header>& upper);
  task<bool> below_the_held(fork& f, std::optional<evm::header>& upper);
  enum class word : std::uint8_t { left, ours, split };
  task<std::optional<word>> poll_forks(fork& f, bool lower_too);
  bool must_halt(std::uint64_t ancestor) const;
  pass undo(const fork& f);
  pass halt(const std::string& reason);
  task<std::optional<fork>> fork_to_follow();
  pass skipped_to(const skip_order& order, const evm::block_id& last);
  task<std::optional<fork>> find_deep_fork(const std::vector<event_block>& blocks,
                                           const fork& seen);
  // hint_pass.cpp
  struct hints_in_hand;
  pass hint_pass();
  task<bool> look_up(hints_in_hand& in);
  void weigh(hints_in_hand& in, chain_hint h);
  write_set hints_set(const hints_in_hand& in, const std::vector<block_reading>& readings) const;
  void put_back(hints_in_hand& in);
  task<bool> stands(const std::vector<block_reading>& readings,
                    std::optional<std::size_t> endpoint);
  void look_again(const chain_hint& h, bool no_answer, std::vector<verdict>& out);

  // What the coroutines wait for. Asking and waiting are two statements, what a pass hands to
  // another is a named object, and no co_await stands behind ?:, && or ||: g++ 12 destroys
  // aggregates twice that are made inside a co_await expression, and temporaries of a branch that
  // was not taken (GCC bugs 98056, 100611).
  void ask_for(ask_what what, std::optional<std::size_t> endpoint = {},
               std::optional<std::size_t> rather_not = {});
  // read_ahead.cpp
  void ask_ahead(ask_range next, std::uint64_t bound);
  void take_ahead(), ask_whole_ahead(), take_whole_ahead();
  std::optional<read_ahead::arrival> came_ahead(const ask_range& wanted);
  std::optional<answer> came_whole(const ask_blocks& wanted);
  void open_ask(ask a); ///< its number is given here
  void put(write_set set), resume_waiting();
  struct suspended {
    tide& t;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) { t.suspended_ = h; }
  };
  /// One that was asked for ahead may be here already.
  struct the_answer : suspended {
    bool await_ready() const noexcept { return t.answer_.has_value(); }
    void await_suspend(std::coroutine_handle<> h) {
      t.for_an_answer_ = true;
      suspended::await_suspend(h);
    }
    answer await_resume() {
      t.for_an_answer_ = false;
      return *std::exchange(t.answer_, std::nullopt);
    }
  };
  struct the_outcome : suspended {
    store_answer await_resume() { return std::move(*t.store_answer_); }
  };
  struct the_event_blocks : suspended {
    std::vector<event_block> await_resume() { return std::move(*t.event_blocks_); }
  };

  settings settings_; // never changes
  boot_state boot_;

  // what changes between passes alone
  std::shared_ptr<const interest> wants_;
  struct renewal {
    std::shared_ptr<const interest> wants;
    counting counts;
    std::vector<ripening> waiting;
  };
  std::optional<renewal> renewal_;

  // what the store holds too
  counting counts_;
  std::uint64_t turn_ = 0;
  bool started_ = false;
  std::uint64_t start_ = 0;
  std::optional<evm::block_id> mark_, final_;
  std::optional<std::string> halted_;
  held_headers held_;
  std::vector<ripening> waiting_; ///< which are read once more when they are ripe, in ripe_order_
  ripe_order ripe_order_;
  nursery nursery_;
  std::string factories_;                    ///< whose children up to the mark are in it
  chain_ways ways_, stored_ways_, put_ways_; ///< as known · as the store has it · as given to it

  // what is only known now
  std::optional<evm::block_id> safe_, finalized_;
  final_words final_words_;
  std::optional<chain_view> agreed_; ///< how far a quorum has come; its absence: nobody asked yet
  std::string disagreement_;         ///< why there is no quorum
  std::optional<millis> lower_since_, set_back_since_; ///< heads below ours · of another chain
  struct {
    std::uint64_t number = 0, head = 0;
    millis since = 0;
  } standing_; ///< the finalized tag, since it last moved
  oddity odd_blooms_, odd_indexes_;
  loners alone_;
  std::optional<std::size_t> doubted_; ///< its last range was of another chain than ours
  std::uint64_t seen_head_ = 0;        ///< the highest head that an endpoint named
  std::string held_back_;
  bool suspect_reorg_ = false;
  std::optional<std::uint64_t> second_look_; ///< ancestor of a fork that was seen once, by the mark
  std::deque<chain_hint> hints_;
  std::optional<bool> resume_order_; ///< accept_reorg
  std::optional<skip_order> skip_order_;
  std::map<std::string, ripening> backfills_wait_; ///< by subscription: the event that it stops at
  std::deque<reconcile_order> orders_;             ///< the first one is worked at
  bool dry_ = false;                               ///< this pass only says what it would change
  std::optional<reconcile_report> last_reconcile_;
  mark_range mark_range_;
  std::uint64_t failed_scans_ = 0, undecodable_ = 0;
  std::string trouble_; ///< why the pass in progress is about to fail
  struct record {
    std::uint32_t failures = 0; ///< in a row
    std::string trouble;        ///< the last one's
  };
  std::array<record, pass_kinds> records_; ///< by pass_kind

  millis now_ = 0, next_start_ = 0, next_head_ = 0, next_take_ = 0, next_hints_ = 0;
  millis next_reconcile_ = 0, next_ripen_ = 0, next_ordered_ = 0, next_nursery_ = 0;
  millis next_overlap_ = 0, next_check_ = 0, next_reorg_ = 0, next_backfill_ = 0, next_low_ = 0;
  // the pass in progress
  pass_kind kind_ = pass_kind::none;
  pass running_;
  std::coroutine_handle<> suspended_;
  std::uint64_t asks_ = 0;
  std::optional<std::uint64_t> open_ask_;
  read_ahead ahead_;
  bool store_open_ = false, others_wait_ = false, blocks_open_ = false, ended_ = false;
  bool recounted_ = false;                           ///< it ends as soon as its pass has
  bool hints_asked_ = false, for_an_answer_ = false; ///< what is suspended waits for an answer
  std::optional<answer> answer_;
  std::optional<store_answer> store_answer_;
  std::optional<std::vector<event_block>> event_blocks_;
  effects out_;
};

} // namespace tidemark::tide
