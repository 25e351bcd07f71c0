// SPDX-License-Identifier: MIT
#include "run.hpp"

#include "evm/hex.hpp"
#include "store/reader.hpp"

#include <algorithm>
#include <stdexcept>

namespace tidemark::sim {
namespace {

constexpr std::uint64_t chain_id = 1;

struct death : std::runtime_error {
  death() : std::runtime_error("the process dies here") {}
};

template <class... F> struct overloaded : F... { using F::operator()...; };
template <class... F> overloaded(F...) -> overloaded<F...>;

} // namespace

run::run(const plan& p) : plan_(p), world_(p.seed) {
  settings_.chain_id = chain_id;
  settings_.name = "sim";
  settings_.confirmations = {p.tags ? 0 : p.confirmations,
                             p.tags ? tide::tag::finalized : tide::tag::none};
  settings_.strongest_tag = settings_.confirmations.at_least;
  settings_.follow = p.follow;
  settings_.max_depth = p.max_depth;
  settings_.poll = 1'000;
  settings_.reorg_interval = 5'000;
  settings_.reconcile_interval = 20'000;
  settings_.overlap = 6;
  tide::subscription s;
  s.name = "transfers";
  s.chains[chain_id] = {};
  s.event =
      evm::parse_event("Transfer(address indexed from, address indexed to, uint256 value)").value();
  const tide::policy policy{std::nullopt, p.tags ? std::nullopt : std::optional(p.confirmations),
                            settings_.confirmations.at_least};
  std::vector<tide::recipient> recipients;
  const std::vector<std::pair<std::string, tide::order_by>> orders{
      {"by-contract", tide::order_by::contract},
      {"by-argument", tide::order_by::argument},
      {"unordered", tide::order_by::none},
      {"with-pending", tide::order_by::chain}};
  std::vector<store::handler_in> rows;
  for (const auto& [name, order] : orders) {
    tide::recipient r{name, {"transfers"}, name == "with-pending", true, order, "to"};
    recipients.push_back(r);
    rows.push_back({name, r.pending, r.confirmed, "any"});
    names_.push_back(name);
    handlers_.emplace_back(name);
  }
  wants_ =
      std::make_shared<const tide::interest>(chain_id, "sim", policy, std::vector{s}, recipients);
  store::options o;
  o.path = ":memory:";
  o.hook = [this](const char*) {
    if (countdown_ > 0 && --countdown_ == 0) throw death();
  };
  store_ = std::move(std::get<std::unique_ptr<store::store>>(store::store::open(std::move(o))));
  (void)store_->begin();
  (void)store_->register_handlers(rows, now_);
  (void)store_->commit();
  for (int i = 0; i < 6; ++i)
    world_.mine();
  boot();
}

void run::boot() {
  todo_.clear();
  tide_.reset();
  (void)store_->begin();
  const auto state = store_->boot(chain_id);
  (void)store_->commit();
  tide_.emplace(settings_, wants_, state.value(), now_);
  carry_out(tide_->tick(now_));
}

void run::die() {
  ++deaths;
  countdown_ = 0;
  todo_.clear();
  tide_.reset();
  store_ = store::store::revive(std::move(store_));
  boot();
}

/// A group of its own around a write; false: the process died in it.
bool run::guarded(const std::function<void()>& write) {
  if (plan_.crashes && !quiet_ && world_.chance(2)) countdown_ = 1 + world_.random() % 40;
  try {
    (void)store_->begin();
    write();
    if (auto done = store_->commit(); !done)
      throw std::runtime_error("commit: " + done.error().text);
    countdown_ = 0;
    return true;
  } catch (const death&) {
    die();
    return false;
  }
}

void run::carry_out(tide::tide::effects effects) {
  for (auto& e : effects)
    todo_.push_back(std::move(e));
}

/// Whatever the Tide wants next; the world may have moved on since it asked.
void run::work_off() {
  auto e = std::move(todo_.front());
  todo_.pop_front();
  std::visit(
      overloaded{[&](tide::ask& a) {
                   tide::answer out;
                   out.n = a.n;
                   out.endpoint_name = "node";
                   const bool fails = !quiet_ && world_.chance(5);
                   const auto lag = !quiet_ && world_.chance(10) ? world_.random() % 6 : 0;
                   out.what = fails ? tide::answer_what(tide::no_answer{"the endpoint failed"})
                                    : world_.ask(a.what, lag);
                   if (lie_) lie_(out.what);
                   out.endpoint_head = world_.head() - std::min(world_.head(), lag);
                   carry_out(tide_->answered(std::move(out), now_));
                 },
                 [&](tide::conclude& c) {
                   tide::store_answer answer;
                   if (!guarded([&] { answer = store_->apply(c.set, now_).value(); })) return;
                   for (const auto& v : c.set.verdicts) {
                     reorgs += std::holds_alternative<tide::reorg>(v);
                     halts += std::holds_alternative<tide::halted>(v);
                   }
                   carry_out(tide_->stored(std::move(answer), now_));
                   if (tide_->ended()) boot();
                 },
                 [&](tide::want_hints& w) {
                   store::hint_batch batch;
                   if (!guarded(
                           [&] { batch = store_->take_hints(chain_id, now_, w.limit).value(); }))
                     return;
                   carry_out(tide_->hinted(batch.hints, batch.next_due, now_));
                 },
                 [&](tide::want_event_blocks&) {
                   carry_out(tide_->event_blocks(store_->event_blocks(chain_id).value(), now_));
                 },
                 [&](tide::said&) {},
                 [&](tide::caught_lying& l) {
                   if (!lie_)
                     throw std::runtime_error("an honest endpoint was blamed: " + l.evidence);
                 },
                 [&](tide::resume_answered&) {}},
      e);
}

/// A hint: of something on the chain, of something that left it, or of nothing at all; once, twice,
/// or late.
void run::webhook() {
  store::hint_in h;
  h.chain_id = chain_id;
  const auto& b =
      world_.at(world_.head() - world_.random() % std::min<std::uint64_t>(world_.head(), 12));
  if (!b.logs.empty() && !world_.chance(15)) {
    const auto& l = b.logs[world_.random() % b.logs.size()];
    h.tx = l.tx;
    if (!world_.chance(30)) h.log_index = l.log_index;
    h.block = l.block.number;
  } else {
    h.tx = world_.make_transaction().hash;
  }
  for (int times = world_.chance(20) ? 2 : 1; times > 0; --times) {
    std::int64_t id = 0;
    const auto body = "body " + std::to_string(world_.random() % 1'000'000);
    if (!guarded([&] { id = store_->append({"relay", now_, "[]", body}).value().id; })) return;
    const store::extracted row{id, tide::hint_state::irrelevant, {h}};
    std::vector<store::raw_webhook> untaken = store_->untaken(10, 1 << 20).value();
    std::vector<store::extracted> rows;
    for (const auto& u : untaken)
      rows.push_back(u.id == id ? row : store::extracted{u.id, tide::hint_state::irrelevant, {h}});
    if (!guarded([&] { (void)store_->put_intake(rows, now_).value(); })) return;
  }
  carry_out(tide_->bell(now_));
}

/// Takes and finishes for one handler, some of it with failures, some of it never finished before a
/// crash.
bool run::deliver(std::size_t i) {
  store::message_batch batch;
  if (!guarded(
          [&] { batch = store_->take(names_[i], now_, 1 + world_.random() % 8, 1 << 20).value(); }))
    return false;
  std::vector<store::finished> ended;
  for (const auto& m : batch.messages) {
    store::finished f{names_[i], m.lane, m.seq, m.attempt_id, tide::outcome::ok,
                      200,       3,      "",    true,         {}};
    if (!quiet_ && world_.chance(10)) {
      // The handler failed, before or after it took the message in.
      if (world_.chance(50)) handlers_[i].take(m);
      f.outcome = tide::outcome::failed;
      f.done = false;
      f.http_status = 500;
      f.retry_at = now_ + static_cast<std::int64_t>(world_.random() % 5'000);
    } else {
      handlers_[i].take(m);
    }
    ended.push_back(std::move(f));
  }
  if (!ended.empty()) guarded([&] { (void)store_->finish(ended, now_).value(); });
  return !ended.empty();
}

void run::step() {
  now_ += static_cast<std::int64_t>(world_.random() % 1'500);
  const auto what = world_.random() % 100;
  if (what < 30)
    world_.mine();
  else if (what < 38)
    world_.fork(1 + world_.random() % 3, 1);
  else if (what < 40)
    world_.fork(1 + world_.random() % plan_.max_depth, world_.random() % 2);
  else if (what < 41)
    world_.fork(plan_.max_depth + 2 + world_.random() % 6, 1);
  else if (what < 43)
    (void)world_.back();
  else if (what < 55)
    webhook();
  else if (what < 75)
    (void)deliver(world_.random() % handlers_.size());
  else if (what < 77 && plan_.crashes)
    die();
  carry_out(tide_->tick(now_));
  for (auto n = world_.random() % 8; n > 0 && !todo_.empty(); --n)
    work_off();
  if (tide_->status().state == tide::chain_state::halted && world_.chance(30))
    carry_out(tide_->resume(true, now_));
}

/// No more faults and no more forks: whatever was begun ends.
void run::settle() {
  quiet_ = true;
  for (int i = 0; i < 16; ++i)
    world_.mine();
  for (int round = 0; round < 300; ++round) {
    now_ += 700;
    if (round % 40 == 0 && round < 200) world_.mine();
    carry_out(tide_->tick(now_));
    while (!todo_.empty())
      work_off();
    if (tide_->status().state == tide::chain_state::halted) carry_out(tide_->resume(true, now_));
  }
  now_ += 60'000;
  for (std::size_t i = 0; i < handlers_.size(); ++i)
    while (deliver(i))
      ++now_;
}

void run::catch_up() {
  quiet_ = true;
  for (int round = 0; round < 60; ++round) {
    now_ += 700;
    carry_out(tide_->tick(now_));
    while (!todo_.empty())
      work_off();
  }
  for (std::size_t i = 0; i < handlers_.size(); ++i)
    while (deliver(i))
      ++now_;
}

void run::half_a_pass(int effects) {
  quiet_ = true;
  now_ += 1'000;
  carry_out(tide_->tick(now_));
  for (; effects > 0 && !todo_.empty(); --effects)
    work_off();
}

void run::hint(const evm::hash32& tx, std::optional<std::uint32_t> log_index) {
  store::hint_in h;
  h.chain_id = chain_id;
  h.tx = tx;
  h.log_index = log_index;
  (void)store_->begin();
  const auto id =
      store_->append({"relay", now_, "[]", "body " + evm::to_hex(tx) + std::to_string(now_)})
          .value()
          .id;
  (void)store_
      ->put_intake(std::vector{store::extracted{id, tide::hint_state::irrelevant, {h}}}, now_)
      .value();
  (void)store_->commit();
  carry_out(tide_->bell(now_));
}

std::string run::life(const evm::hash32& tx, std::int32_t log_index) {
  store::reader r(*store_);
  const auto event = r.event({chain_id, tx, log_index}).value();
  std::string out;
  if (event)
    for (const auto& f : event->history)
      out += (out.empty() ? "" : " ") + std::string(tide::to_text(f.status));
  return out;
}

std::optional<tide::fact> run::last_fact(const evm::hash32& tx, std::int32_t log_index) {
  store::reader r(*store_);
  const auto event = r.event({chain_id, tx, log_index}).value();
  return event ? std::optional(event->item.fact) : std::nullopt;
}

std::string run::hint_state(std::int64_t webhook) {
  store::reader r(*store_);
  const auto w = r.webhook(webhook).value();
  return w ? std::string(tide::to_text(w->row.state)) : std::string();
}

std::string run::compare() {
  const auto s = tide_->status();
  const auto target = plan_.tags ? world_.head() - 8 : world_.head() - plan_.confirmations;
  if (!s.mark || s.mark->number != target)
    return "the mark is at " + (s.mark ? std::to_string(s.mark->number) : std::string("nothing")) +
           ", it should be at " + std::to_string(target) + ": " + s.reason;
  if (!world_.is_canonical(*s.mark)) return "the mark is not on the canonical chain";
  std::map<std::string, std::string> truth;
  const auto start = tide_->began_from().start_block.value_or(6);
  for (auto n = start; n <= target; ++n)
    for (const auto& l : world_.at(n).logs)
      if (wants_->match(l, 0, std::nullopt, ""))
        truth[tide::event_id(chain_id, l.tx, static_cast<std::int32_t>(l.log_index))] =
            evm::to_hex(l.block.hash);
  for (std::size_t i = 0; i < handlers_.size(); ++i) {
    if (!handlers_[i].fault.empty()) return handlers_[i].fault;
    const auto& told = handlers_[i].confirmed();
    for (const auto& [event, hash] : truth) {
      const auto it = told.find(event);
      if (it == told.end()) return names_[i] + " was never told of " + event;
      if (it->second != hash) return names_[i] + " has " + event + " in another block";
    }
    for (const auto& [event, hash] : told)
      if (!truth.count(event))
        return names_[i] + " believes in " + event + ", which the chain does not have";
  }
  return {};
}

std::string run::play() {
  for (std::uint64_t i = 0; i < plan_.steps; ++i) {
    step();
    for (const auto& h : handlers_)
      if (!h.fault.empty()) return "step " + std::to_string(i) + ": " + h.fault;
  }
  settle();
  return compare();
}

std::size_t run::told() const {
  std::size_t n = 0;
  for (const auto& h : handlers_)
    n += h.told;
  return n;
}

} // namespace tidemark::sim
