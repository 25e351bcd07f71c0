// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::size_t hints_in_memory = 64;
constexpr millis longest_back_off = 30'000;
constexpr millis look_for_hints_anyway = 30'000; // a lost bell is made good by this

} // namespace

tide::tide(settings s, std::shared_ptr<const interest> wants, boot_state from, millis now)
    : settings_(std::move(s)), boot_(std::move(from)), wants_(std::move(wants)),
      counts_(boot_.counting), turn_(boot_.turn), started_(boot_.start_block.has_value()),
      start_(boot_.start_block.value_or(0)), mark_(boot_.mark), final_(boot_.final_block),
      halted_(boot_.halted), waiting_(boot_.waiting), nursery_(boot_.children),
      factories_(boot_.factories), ways_(boot_.ways), stored_ways_(boot_.ways),
      put_ways_(boot_.ways), now_(now), next_overlap_(now + settings_.reconcile_interval),
      next_check_(now + settings_.reorg_interval),
      asks_(static_cast<std::uint64_t>(now) << 20) { // no answer to an earlier Tide fits
  ways_.state_sync = stored_ways_.state_sync = put_ways_.state_sync =
      has_state_sync(settings_.chain_id);
  for (const auto& h : boot_.headers)
    held_.add(h);
  // What happened while we were away is found before anything is concluded on top of it.
  suspect_reorg_ = started_ && !held_.empty();
}

tide::effects tide::tick(millis now) { return run(now); }

tide::effects tide::answered(answer a, millis now) {
  if (!open_ask_ || *open_ask_ != a.n) return {};
  open_ask_.reset();
  seen_head_ = std::max(seen_head_, a.endpoint_head);
  answer_ = std::move(a);
  now_ = now;
  if (for_an_answer_)
    resume_waiting();
  else
    take_ahead();
  return run(now);
}

tide::effects tide::stored(store_answer a, millis now) {
  if (!std::exchange(store_open_, false)) return {};
  now_ = now;
  if (const auto* ok = std::get_if<applied>(&a)) {
    turn_ = ok->turn;
    others_wait_ = ok->others_wait;
    recounted_ = recounted_ || ok->recounted;
    stored_ways_ = put_ways_;
    nursery_.saved();
  } else if (const auto* no = std::get_if<refused>(&a)) {
    out_.push_back(said{
        true, "the store refused what this chain concluded, so it begins again from the store: " +
                  no->text});
    ended_ = true;
    return std::exchange(out_, {});
  }
  store_answer_ = std::move(a);
  resume_waiting();
  return run(now);
}

tide::effects tide::event_blocks(std::vector<event_block> blocks, millis now) {
  if (!std::exchange(blocks_open_, false)) return {};
  now_ = now;
  event_blocks_ = std::move(blocks);
  resume_waiting();
  return run(now);
}

tide::effects tide::hinted(std::vector<chain_hint> hints, std::optional<millis> next_due,
                           millis now) {
  hints_asked_ = false;
  for (auto& h : hints) {
    const auto same = [&](const chain_hint& x) { return x.webhook == h.webhook && x.n == h.n; };
    if (std::none_of(hints_.begin(), hints_.end(), same)) hints_.push_back(std::move(h));
  }
  next_take_ =
      std::min(next_due.value_or(now + look_for_hints_anyway), now + look_for_hints_anyway);
  next_hints_ = now;
  return run(now);
}

tide::effects tide::bell(millis now) {
  next_take_ = now;
  return run(now);
}

tide::effects tide::resume(bool accept_reorg, millis now) {
  resume_order_ = accept_reorg;
  return run(now);
}

tide::effects tide::skip(skip_order order, millis now) {
  skip_order_ = std::move(order);
  return run(now);
}

void tide::ask_for(ask_what what, std::optional<std::size_t> endpoint,
                   std::optional<std::size_t> rather_not) {
  ahead_.asked.reset();
  ahead_.come.reset();
  ahead_.whole = {};
  answer_.reset();
  open_ask({0, std::move(what), endpoint, rather_not});
}

void tide::open_ask(ask a) {
  a.n = ++asks_;
  open_ask_ = a.n;
  out_.push_back(std::move(a));
}

void tide::put(write_set set) {
  store_open_ = true;
  for (const auto& v : set.verdicts)
    if (const auto* l = std::get_if<learned>(&v)) put_ways_ = l->ways;
  // Whatever is concluded, what it may rest on is stored with it.
  auto births = nursery_.unsaved();
  set.verdicts.insert(set.verdicts.begin(), births.begin(), births.end());
  out_.push_back(conclude{std::move(set)});
}

void tide::resume_waiting() { std::exchange(suspended_, {}).resume(); }

tide::effects tide::run(millis now) {
  now_ = now;
  while (!ended_) {
    if (running_) {
      if (!running_.done()) break;
      const auto end = running_.take();
      running_ = {};
      finished(std::exchange(kind_, pass_kind::none), end);
      continue;
    }
    if (recounted_) { // what counts is in the store, and in nothing that is known here
      ended_ = true;
      break;
    }
    if (renewal_) take_over();
    const auto k = next_pass();
    if (k == pass_kind::none) break;
    kind_ = k;
    running_ = begin(k);
    running_.start();
  }
  if (!ended_ && started_ && !halted_ && !hints_asked_ && now_ >= next_take_ &&
      hints_.size() < hints_in_memory) {
    hints_asked_ = true;
    out_.push_back(want_hints{hints_in_memory - hints_.size()});
  }
  return std::exchange(out_, {});
}

pass_kind tide::next_pass() const {
  if (resume_order_) return pass_kind::resume;
  if (skip_order_) return pass_kind::skip;
  if (halted_ || !held_back_.empty()) return pass_kind::none;
  if (!started_) return now_ >= next_start_ ? pass_kind::start : pass_kind::none;
  // A fork is looked into before anything else is concluded.
  if (suspect_reorg_) return now_ >= next_reorg_ ? pass_kind::reorg : pass_kind::none;
  if (now_ >= next_head_) return pass_kind::head;
  if (!hints_.empty() && now_ >= next_hints_) return pass_kind::hints;
  if (now_ >= next_ripen_ && ripe()) return pass_kind::ripen;
  // Until all children are known nothing can be said to be all of theirs.
  if (factories_ != wants_->factories())
    return now_ >= next_nursery_ ? pass_kind::nursery : pass_kind::none;
  if (now_ >= next_reconcile_ && behind()) return pass_kind::reconcile;
  if (!orders_.empty() && now_ >= next_ordered_) return pass_kind::ordered;
  if (now_ >= next_overlap_ && mark_ && !behind()) return pass_kind::overlap;
  if (now_ >= next_check_ && !held_.empty()) return pass_kind::check;
  if (now_ >= next_backfill_ && mark_ && !counts_.backfills.empty()) return pass_kind::backfill;
  return pass_kind::none;
}

tide::pass tide::begin(pass_kind k) {
  dry_ = false;
  switch (k) {
  case pass_kind::start:
    return start_pass();
  case pass_kind::head:
    next_head_ = now_ + settings_.poll;
    return head_pass();
  case pass_kind::hints:
    return hint_pass();
  case pass_kind::reconcile:
    return reconcile_pass(first_unread(), *target(), true);
  case pass_kind::ripen:
    return ripen();
  case pass_kind::overlap:
    return overlap_pass();
  case pass_kind::ordered:
    return ordered_pass();
  case pass_kind::reorg:
    return reorg_pass();
  case pass_kind::resume:
    return resume_pass();
  case pass_kind::skip:
    return skip_pass();
  case pass_kind::backfill:
    return backfill_pass();
  case pass_kind::nursery:
    return nursery_pass();
  case pass_kind::check:
  case pass_kind::none:
    break;
  }
  next_check_ = now_ + settings_.reorg_interval;
  return check_pass();
}

millis tide::back_off(pass_kind k) const {
  auto failures = records_[static_cast<std::size_t>(k)].failures;
  if (k == pass_kind::reconcile) failures -= std::min(failures, mark_range_.narrowed());
  failures = std::min<std::uint32_t>(failures, 8);
  return std::min(settings_.poll << (failures > 0 ? failures - 1 : 0),
                  std::max(longest_back_off, settings_.poll));
}

void tide::finished(pass_kind k, pass_end end) {
  auto& r = records_[static_cast<std::size_t>(k)];
  // From its end: where it takes long, what comes after it has its turn all the same.
  if (k == pass_kind::overlap) next_overlap_ = now_ + settings_.reconcile_interval;
  if (end == pass_end::failed) {
    ++r.failures;
    if (k == pass_kind::reconcile || k == pass_kind::overlap) ++failed_scans_;
    if (trouble_ != r.trouble) out_.push_back(said{true, trouble_});
    r.trouble = std::exchange(trouble_, {});
  } else if (end == pass_end::done) {
    r = {};
    trouble_.clear(); // what stood in the way on the way there
  }
  if (k == pass_kind::reconcile && end == pass_end::failed) mark_range_.failed();
  if (k == pass_kind::reconcile && end == pass_end::done) mark_range_.read();
  if (end == pass_end::done) return;
  const auto later = now_ + (end == pass_end::failed ? back_off(k) : settings_.poll);
  switch (k) {
  case pass_kind::start:
    next_start_ = later;
    break;
  case pass_kind::hints:
    next_hints_ = later;
    break;
  case pass_kind::reconcile:
    next_reconcile_ = later;
    break;
  case pass_kind::ripen:
    next_ripen_ = later;
    break;
  case pass_kind::ordered:
    next_ordered_ = later;
    break;
  case pass_kind::reorg:
    next_reorg_ = later;
    break;
  case pass_kind::backfill:
    next_backfill_ = later;
    break;
  case pass_kind::nursery:
    next_nursery_ = later;
    break;
  default:
    break; // head and check have their next time from their begin, overlap from its end
  }
}

void tide::fail(std::string text) { trouble_ = std::move(text); }

write_set tide::new_set() const {
  write_set w;
  w.chain_id = settings_.chain_id;
  w.turn = turn_;
  w.forms = counts_.forms;
  w.view = view();
  w.dry = dry_;
  if (ways_ != stored_ways_ && !dry_) w.verdicts.push_back(learned{ways_});
  if (mark_ && mark_->number > settings_.max_depth)
    w.keep_from = mark_->number - settings_.max_depth;
  return w;
}

} // namespace tidemark::tide
