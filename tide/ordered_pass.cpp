// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

// `reconcile` by an operator: ranges read again, apart from where the mark is.

namespace tidemark::tide {
namespace {

constexpr std::uint32_t tries_a_range = 5;
constexpr std::size_t fresh_blocks_a_step = 50;

} // namespace

tide::effects tide::reconcile(reconcile_order order, millis now) {
  orders_.push_back(std::move(order));
  return run(now);
}

tide::effects tide::stop_reconcile(std::int64_t job, millis now) {
  end_order(job, "it was cancelled");
  return run(now);
}

/// To what counts and is there: nothing missing in what was never read is no word of it.
void tide::narrow(reconcile_order& o) const {
  const auto note = [&o](const std::string& text) {
    o.left_out += (o.left_out.empty() ? "" : "; ") + text;
  };
  if (const auto first = lowest_counted(); o.from < first) {
    note("nothing counts below block " + std::to_string(first) + ", which was not read");
    o.from = first;
  }
  if (const auto tip = held_.tip(); tip && o.to > tip->number) {
    note("the head was block " + std::to_string(tip->number));
    o.to = tip->number;
  }
}

void tide::end_order(std::int64_t job, std::string trouble) {
  const auto of_job = [job](const reconcile_order& o) { return o.job == job; };
  const auto at = std::find_if(orders_.begin(), orders_.end(), of_job);
  if (at == orders_.end()) return;
  out_.push_back(reconcile_progress{*at, true, std::move(trouble)});
  orders_.erase(at);
}

/// One range of the first order; the other passes have their turns in between.
tide::pass tide::ordered_pass() {
  const auto& failed = records_[static_cast<std::size_t>(pass_kind::ordered)];
  if (failed.failures >= tries_a_range) end_order(orders_.front().job, failed.trouble);
  if (orders_.empty()) co_return pass_end::done;
  reconcile_order o = orders_.front();
  if (!held_.tip()) {
    end_order(o.job, "no head is known yet: nothing was read");
    co_return pass_end::done;
  }
  narrow(o);
  if (o.from > o.to) {
    end_order(o.job, o.left_out + ": none of it can be read");
    co_return pass_end::done;
  }
  orders_.front() = o;
  const bool marked = mark_ && o.from <= mark_->number;
  if (!marked && behind()) { // the mark comes there by itself, and with it the first second reading
    next_ordered_ = now_ + settings_.poll;
    co_return pass_end::done;
  }
  dry_ = !o.apply;
  if (marked) {
    const auto to = std::min(o.to, mark_->number);
    const auto end = co_await reconcile_pass(o.from, to, false);
    if (end != pass_end::done) co_return end;
    o.missing += last_reconcile_->missing;
    o.extra += last_reconcile_->extra;
    o.equal += last_reconcile_->equal;
    o.from = last_reconcile_->to + 1;
  } else {
    const bool read = co_await reconcile_fresh(o);
    if (!read) co_return pass_end::failed;
  }
  // Unless it was cancelled meanwhile.
  if (orders_.empty() || orders_.front().job != o.job) co_return pass_end::done;
  if (marked) orders_.front() = o;
  if (orders_.front().from > orders_.front().to)
    end_order(o.job, "");
  else
    out_.push_back(reconcile_progress{orders_.front(), false, ""});
  co_return pass_end::done;
}

/// Above where the policy lets the mark be: the blocks that are held are read whole once more, and
/// what is missing is pending, since its second reading is still to come.
task<bool> tide::reconcile_fresh(const reconcile_order& o) {
  std::vector<evm::block_id> ids;
  for (auto at = held_.all().lower_bound(o.from);
       at != held_.all().end() && at->first <= o.to && ids.size() < fresh_blocks_a_step; ++at)
    ids.push_back(at->second.id);
  reconcile_order next = o;
  next.from = ids.empty() ? o.to + 1 : ids.back().number + 1;
  if (!ids.empty()) {
    const auto readings = co_await read_whole(ids, std::nullopt, settings_.integrity);
    if (!readings) co_return false;
    write_set set = new_set();
    saw seen;
    for (const auto& b : *readings)
      for (auto& s : sightings_of(b, "reconcile"))
        seen.logs.push_back(std::move(s));
    set.verdicts.push_back(std::move(seen));
    put(std::move(set));
    const store_answer done = co_await the_outcome{*this};
    const auto* ok = std::get_if<applied>(&done);
    if (!ok) {
      fail("what is stored above the mark differs from what was read again; reconcile decides once "
           "the mark is there");
      co_return false;
    }
    next.missing += ok->added;
    next.equal += ok->equal;
  }
  if (!orders_.empty() && orders_.front().job == next.job) orders_.front() = next;
  co_return true;
}

} // namespace tidemark::tide
