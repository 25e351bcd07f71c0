// SPDX-License-Identifier: MIT
#include "run.hpp"

#include "watched.hpp"

#include "evm/hex.hpp"
#include "tide/fact.hpp"

#include <algorithm>
#include <map>

namespace tidemark::sim {
namespace {

constexpr std::int64_t begins_at = 1'700'000'000'000, minute = 60'000;
constexpr std::int64_t longest_quiet = 20 * minute;

tide::settings settings_of(const plan& p) {
  tide::settings s;
  s.chain_id = chain_id;
  s.name = "sim";
  s.confirmations = {p.tags ? 0 : p.confirmations, p.tags ? tide::tag::finalized : tide::tag::none};
  s.strongest_tag = s.confirmations.at_least;
  s.follow = p.follow;
  s.max_depth = p.max_depth;
  s.integrity = p.integrity;
  s.backfill = p.backfill;
  s.endpoints = p.endpoints.size();
  s.quorum = p.quorum;
  s.poll = 1'000;
  s.reorg_interval = 5'000;
  s.reconcile_interval = 20'000;
  s.overlap = 6;
  return s;
}

std::vector<node> nodes_of(const plan& p, const world& w, renderer& texts, tally& met) {
  std::vector<node> nodes;
  for (std::size_t i = 0; i < p.endpoints.size(); ++i) {
    node_traits t;
    t.seed = p.seed;
    t.index = p.endpoints[i].index;
    for (std::size_t n = 0; n < features; ++n)
      if (const auto f = static_cast<feature>(n); p.endpoints[i].can.has(f) && p.on.has(f))
        t.can.add(f);
    t.start = begins_at;
    t.gap = p.gap;
    t.length = p.length;
    t.lies_within = p.max_depth;
    t.lies_anywhere = p.integrity == tide::proof::receipts && p.backfill == tide::proof::receipts;
    t.always_lies = p.none_honest;
    t.keeps_dead_blocks = t.index % 2 == 0;
    nodes.emplace_back(w, texts, met, t);
  }
  return nodes;
}

std::vector<service> services_of(const plan& p, tally& met) {
  std::vector<service> all;
  for (std::size_t i = 0; i < handlers().size(); ++i)
    all.emplace_back(handlers()[i].name,
                     troubles(p.seed, "handler", i, p.on, begins_at, 4 * p.gap, 2 * p.length), met,
                     !p.on.has(feature::index_by_transaction));
  return all;
}

} // namespace

run::run(plan p)
    : plan_(std::move(p)), clock_(begins_at), world_(plan_.seed, plan_.on),
      growth_(plan_.seed, "growth"), hooks_(plan_.seed, "hooks"), operator_(plan_.seed, "operator"),
      strikes_(plan_.seed, "strikes"), nodes_(nodes_of(plan_, world_, texts_, met_)),
      services_(services_of(plan_, met_)),
      daemon_(plan_, clock_, world_, nodes_, services_, settings_of(plan_), met_) {
  if (plan_.tells) daemon_.tell = [this](const std::string& what) { tell(what); };
  for (int i = 0; i < 6; ++i)
    world_.mine();
  daemon_.boot();
}

std::string run::fault() const {
  if (!daemon_.fault.empty()) return daemon_.fault;
  for (const auto& s : services_)
    if (!s.ledger.fault.empty()) return s.ledger.fault;
  return {};
}

void run::for_a_while(std::int64_t ms) {
  const auto until = clock_.now() + ms;
  while (fault().empty() && clock_.step(daemon_.life(), until))
    ++steps_;
  clock_.wait_until(until);
}

std::string run::compare() {
  if (auto wrong = fault(); !wrong.empty()) return wrong;
  if (!daemon_.alive()) return "the process is down";
  const auto s = daemon_.status();
  tide::chain_view v;
  v.head = world_.head();
  v.finalized = v.safe = v.head - std::min<std::uint64_t>(v.head, finalized_depth);
  while (!world_.find(*v.finalized))
    --*v.finalized;
  auto target = plan_.tags ? *v.finalized : v.head - plan_.confirmations;
  while (!world_.find(target))
    --target;
  if (!s.mark || s.mark->number != target)
    return "the mark is at " + (s.mark ? std::to_string(s.mark->number) : std::string("nothing")) +
           ", it should be at " + std::to_string(target) + ": " +
           std::string(tide::to_text(s.state)) + " " + s.reason + " (" + daemon_.endpoints() + ")";
  if (!world_.is_canonical(*s.mark)) return "the mark is not on the canonical chain";
  std::map<std::string, std::string> truth;
  const auto wants = daemon_.interest();
  for (auto n = wants->lowest(daemon_.start_block()); n <= target; ++n) {
    const auto* b = world_.find(n);
    if (!b) continue;
    for (const auto& l : b->logs)
      if (const auto event = wants->match(l, 0, std::nullopt, "");
          event && tide::holds(event->asks, n, v))
        truth[tide::event_id(chain_id, l.tx, static_cast<std::int32_t>(l.log_index))] =
            evm::to_hex(l.block.hash);
    for (std::size_t i = 0; i < b->transactions.size(); ++i)
      if (const auto event = wants->match(world::event_of(*b, i), 0, "");
          event && tide::holds(event->asks, n, v))
        truth[tide::event_id(chain_id, event->tx, -1)] = evm::to_hex(b->header.hash);
  }
  for (const auto& service : services_) {
    const auto& told = service.ledger.confirmed();
    for (const auto& [event, hash] : truth) {
      const auto it = told.find(event);
      if (it == told.end()) return service.name() + " was never told of " + event + " in " + hash;
      if (it->second != hash)
        return service.name() + " has " + event + " in block " + it->second + ", not in " + hash;
    }
    for (const auto& [event, hash] : told)
      if (!truth.count(event))
        return service.name() + " believes in " + event + ", which the chain does not have";
  }
  return {};
}

/// No more troubles and no more forks: whatever was begun ends.
std::string run::settle() {
  quiet_ = true;
  daemon_.be_quiet();
  for (auto& n : nodes_)
    n.recover();
  for (auto& s : services_)
    s.recover();
  tell("from now on all is quiet");
  for (int i = 0; i < 16; ++i) {
    world_.mine();
    for_a_while(2'000);
  }
  // Nothing waits for its confirmations at the end, nor behind what does.
  for (int i = 0; i < 8; ++i)
    world_.mine_these({});
  std::string wrong;
  const auto end = clock_.now() + longest_quiet;
  while (clock_.now() < end) {
    daemon_.operate(true);
    for_a_while(20'000);
    wrong = compare();
    if (wrong.empty() || !fault().empty()) break;
  }
  return wrong;
}

std::string run::play() {
  begin();
  while (world_.mined() < plan_.blocks && steps_ < plan_.steps) {
    if (!clock_.step(daemon_.life())) break;
    ++steps_;
    if (auto wrong = fault(); !wrong.empty()) return wrong;
  }
  if (plan_.none_honest && told() > 0) return "told something though no endpoint is honest";
  return settle();
}

tally run::met() const {
  auto all = met_;
  all.add(world_.shapes);
  return all;
}

std::size_t run::told() const {
  std::size_t n = 0;
  for (const auto& s : services_)
    n += s.ledger.told;
  return n;
}

// Stories

void run::catch_up() { for_a_while(45'000); }

void run::restart() {
  daemon_.die(0);
  for_a_while(1);
}

void run::half_a_pass(int things) {
  const auto before = daemon_.posts;
  while (daemon_.posts == before && clock_.step(daemon_.life()))
    ++steps_;
  for (; things > 0 && clock_.step(daemon_.life()); --things)
    ++steps_;
}

void run::hint(const evm::hash32& tx, std::optional<std::uint32_t> log_index) {
  std::string body = "{\"n\":" + std::to_string(steps_) + ",\"tx\":\"" + evm::to_hex(tx) + '"';
  if (log_index) body += ",\"log\":" + std::to_string(*log_index);
  (void)daemon_.webhook(body + '}');
}

std::string run::life(const evm::hash32& tx, std::int32_t log_index) {
  const auto event = daemon_.reader().event({chain_id, tx, log_index}).value();
  std::string out;
  if (event)
    for (const auto& f : event->history)
      out += (out.empty() ? "" : " ") + std::string(tide::to_text(f.status));
  return out;
}

std::optional<tide::fact> run::last_fact(const evm::hash32& tx, std::int32_t log_index) {
  const auto event = daemon_.reader().event({chain_id, tx, log_index}).value();
  return event ? std::optional(event->item.fact) : std::nullopt;
}

std::string run::hint_state(std::int64_t webhook) {
  const auto w = daemon_.reader().webhook(webhook).value();
  return w ? std::string(tide::to_text(w->row.state)) : std::string();
}

} // namespace tidemark::sim
