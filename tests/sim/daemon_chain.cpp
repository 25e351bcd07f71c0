// SPDX-License-Identifier: MIT
#include "daemon.hpp"

#include "watched.hpp"

#include "evm/hex.hpp"

#include <utility>

// The chain and its endpoints: what the chain actor and the rpc actor do.

namespace tidemark::sim {
namespace {

constexpr std::int64_t endpoint_timeout = 10'000;

tide::inquirer::arrival arrival_of(node::reply&& r) {
  using how = tide::inquirer::arrival::how;
  tide::inquirer::arrival a;
  a.status = r.status;
  a.fresh = r.fresh;
  a.retry_after = r.retry_after;
  switch (r.came) {
  case node::reply::how::answered:
    a.came = how::answered;
    a.body = std::move(r.body);
    break;
  case node::reply::how::cut:
    a.came = how::cut;
    a.text = "the connection was cut";
    break;
  case node::reply::how::timed_out:
    a.came = how::timed_out;
    a.text = "no answer in time";
    break;
  case node::reply::how::unreachable:
    a.came = how::unreachable;
    a.text = "the connection was refused";
    break;
  }
  return a;
}

const char* name_of(const tide::ask_what& what) {
  static constexpr const char* names[] = {"head",     "headers", "blocks", "range",
                                          "receipts", "logs",    "votes"};
  return what.index() < std::size(names) ? names[what.index()] : "something";
}

std::string short_text(const evm::block_id& id) {
  return std::to_string(id.number) + " " + evm::to_hex(id.hash).substr(0, 10);
}

} // namespace

/// Everything that a Tide knows comes from the store.
void daemon::boot_chain() {
  ++chain_life_;
  tick_at_.reset();
  tide_.reset();
  tide::boot_state state;
  if (!guarded([&] { state = store_->boot(chain_id).value(); })) return;
  audit_.begin_from(state);
  auto wants = interest_of(plan_, state.counting, latecomer_);
  tide_.emplace(settings_, std::move(wants), std::move(state), clock_.now());
  carry_out(tide_->tick(clock_.now()));
}

void daemon::carry_out(tide::tide::effects effects) {
  for (auto& e : effects)
    std::visit([this](auto& what) { act(what); }, e);
  if (tide_->ended()) return later(1, [this] { boot_chain(); });
  for (auto& e : tide_->meanwhile(clock_.now()))
    std::visit([this](auto& what) { act(what); }, e);
  arm();
}

void daemon::carry_out(tide::inquirer::effects effects) {
  for (auto& e : effects)
    std::visit([this](auto& what) { act(what); }, e);
  arm();
}

void daemon::act(tide::ask& a) {
  if (tell)
    tell("asks for " + std::string(name_of(a.what)) +
         (a.endpoint ? " at " + name(*a.endpoint) : ""));
  carry_out(inquirer_->ask(std::move(a), clock_.now()));
}

void daemon::act(tide::conclude& c) {
  const auto set = std::make_shared<tide::write_set>(std::move(c.set));
  later(pace_.between(0, 20), [this, set, n = chain_life_] {
    if (n != chain_life_) return;
    std::optional<tide::store_answer> answer;
    if (!guarded([&] { answer = store_->apply(*set, clock_.now()).value(); })) return;
    bool reorg = false, halt = false;
    for (const auto& v : set->verdicts) {
      reorg |= std::holds_alternative<tide::reorg>(v);
      halt |= std::holds_alternative<tide::halted>(v);
    }
    const auto* done = std::get_if<tide::applied>(&*answer);
    if (done) {
      reorgs += reorg;
      halts += halt;
    }
    if (tell) {
      std::string text = done ? "stored:" : "not stored:";
      for (const auto& h : set->headers)
        text += " [" + short_text(h.id) + "]";
      for (const auto& v : set->verdicts)
        if (const auto* m = std::get_if<tide::mark_moved>(&v))
          text += " mark " + short_text(m->to);
        else if (const auto* o = std::get_if<tide::orphaned>(&v))
          text += " orphaned " + short_text(o->block);
        else if (const auto* r = std::get_if<tide::reorg>(&v))
          text += " reorg to " + short_text(r->ancestor);
      if (done)
        text += " (" + std::to_string(done->added) + " added, " + std::to_string(done->confirmed) +
                " confirmed, " + std::to_string(done->rolled_back) + " rolled back)";
      tell(text);
    }
    if (done) look(*set);
    if (tide_) carry_out(tide_->stored(std::move(*answer), clock_.now()));
  });
}

void daemon::act(tide::want_hints& w) {
  later(pace_.between(0, 10), [this, limit = w.limit, n = chain_life_] {
    if (n != chain_life_ || !tide_) return;
    store::hint_batch batch;
    if (!guarded([&] { batch = store_->take_hints(chain_id, clock_.now(), limit).value(); }))
      return;
    carry_out(tide_->hinted(batch.hints, batch.next_due, clock_.now()));
  });
}

void daemon::act(tide::want_event_blocks&) {
  later(pace_.between(0, 10), [this, n = chain_life_] {
    if (n != chain_life_ || !tide_) return;
    carry_out(tide_->event_blocks(store_->event_blocks(chain_id).value(), clock_.now()));
  });
}

void daemon::act(tide::said& s) {
  if (tell) tell((s.warning ? "warns: " : "says: ") + s.text);
}

void daemon::act(tide::caught_lying& l) {
  ++lies_caught;
  if (tell) tell(name(l.endpoint) + " is caught lying: " + l.evidence);
  // That a chain counts log indexes its own way is only believed after a while.
  const bool odd_chain = plan_.on.has(feature::index_by_transaction);
  if (!lie && !odd_chain && nodes_[l.endpoint].honest() && fault.empty())
    fault = "an honest endpoint was blamed: " + name(l.endpoint) + ": " + l.evidence;
  carry_out(inquirer_->lied(l.endpoint, l.evidence, clock_.now()));
}

void daemon::act(tide::inquirer::post& p) {
  ++posts;
  auto& way = ways_[p.endpoint];
  const auto there = way.between(1, 40), back = way.between(1, 60);
  later(there, [this, n = p.n, endpoint = p.endpoint, body = std::move(p.body), back] {
    auto r = nodes_[endpoint].serve(body, clock_.now());
    auto delay = back + r.delay;
    if (r.came == node::reply::how::timed_out || delay > endpoint_timeout) {
      r.came = node::reply::how::timed_out;
      delay = endpoint_timeout;
    }
    if (tell && (r.came != node::reply::how::answered || r.status != 200))
      tell(name(endpoint) + " fails: " + std::to_string(static_cast<int>(r.came)) + " HTTP " +
           std::to_string(r.status));
    const auto kept = std::make_shared<node::reply>(std::move(r));
    later(delay, [this, n, endpoint, kept] {
      if (kept->came == node::reply::how::answered) nodes_[endpoint].arrived(*kept);
      carry_out(inquirer_->came(n, arrival_of(std::move(*kept)), clock_.now()));
    });
  });
}

void daemon::act(tide::answer& a) {
  const auto kept = std::make_shared<tide::answer>(std::move(a));
  later(0, [this, kept, n = chain_life_] {
    if (n != chain_life_ || !tide_) return;
    if (lie) lie(*kept);
    if (const auto* none = std::get_if<tide::no_answer>(&kept->what); none && tell)
      tell("no answer: " + none->text);
    carry_out(tide_->answered(std::move(*kept), clock_.now()));
  });
}

void daemon::act(tide::inquirer::warned& w) {
  if (tell) tell("warns: " + w.text);
}

/// Timers for whoever wants to be asked again.
void daemon::arm() {
  const auto now = clock_.now();
  if (tide_ && !tide_->ended()) {
    const auto at = std::max(tide_->next_tick(), now + 1);
    if (!tick_at_ || *tick_at_ > at) {
      tick_at_ = at;
      later(at - now, [this, at, n = chain_life_] {
        if (n != chain_life_ || tick_at_ != at || !tide_) return;
        tick_at_.reset();
        carry_out(tide_->tick(clock_.now()));
      });
    }
  }
  if (!inquirer_) return;
  const auto next = inquirer_->next_tick();
  if (!next) return;
  const auto at = std::max(*next, now + 1);
  if (inquirer_tick_at_ && *inquirer_tick_at_ <= at) return;
  inquirer_tick_at_ = at;
  later(at - now, [this, at] {
    if (inquirer_tick_at_ != at) return;
    inquirer_tick_at_.reset();
    carry_out(inquirer_->tick(clock_.now()));
  });
}

} // namespace tidemark::sim
