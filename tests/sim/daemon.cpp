// SPDX-License-Identifier: MIT
#include "daemon.hpp"

#include "watched.hpp"

#include "evm/hex.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <stdexcept>

namespace tidemark::sim {
namespace {

struct death : std::runtime_error {
  death() : std::runtime_error("the process dies here") {}
};

constexpr std::size_t webhooks_at_once = 10, bytes_at_once = 1 << 20;

/// The bodies that the simulation's webhooks have; what is no hint is read as none.
std::vector<store::hint_in> hints_in(const std::string& body) {
  boost::json::error_code ec;
  const auto v = boost::json::parse(body, ec);
  if (ec || !v.is_object()) return {};
  const auto& o = v.get_object();
  store::hint_in h;
  h.chain_id = chain_id;
  h.tx = evm::parse_hash(std::string(o.at("tx").get_string()));
  if (const auto* n = o.if_contains("log")) h.log_index = n->to_number<std::uint32_t>();
  if (const auto* n = o.if_contains("block")) h.block = n->to_number<std::uint64_t>();
  return {h};
}

} // namespace

daemon::daemon(const plan& p, timeline& clock, world& w, std::vector<node>& nodes,
               std::vector<service>& services, tide::settings settings, tally& met)
    : plan_(p), clock_(clock), world_(w), nodes_(nodes), services_(services),
      settings_(std::move(settings)), met_(met), audit_(w, interest_of(p, {}, p.latecomer)),
      deaths_(p.seed, "deaths"), pace_(p.seed, "pace") {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    ways_.emplace_back(p.seed, "way", p.endpoints[i].index);
  store::options o;
  o.path = ":memory:";
  o.hook = [this](const char*) {
    if (countdown_ > 0 && --countdown_ == 0) throw death();
  };
  auto opened = store::store::open(std::move(o));
  if (const auto* why = std::get_if<store::open_error>(&opened))
    throw std::runtime_error(why->text);
  store_ = std::move(std::get<std::unique_ptr<store::store>>(opened));
  (void)store_->begin();
  (void)store_->register_handlers(rows_of_handlers(), clock_.now());
  (void)store_->commit();
}

daemon::~daemon() {
  reader_.reset(); // it is a guest on the store's connection
}

void daemon::later(std::int64_t ms, std::function<void()> what) {
  clock_.after(ms, life_, std::move(what));
}

/// What counts, as the config has it.
void daemon::adopt() {
  const auto config = counting_of(plan_, latecomer_);
  (void)store_->count({&config, 1}).value();
}

void daemon::boot() {
  (void)store_->begin();
  adopt();
  (void)store_->commit();
  reader_ = std::make_unique<store::reader>(*store_);
  std::vector<tide::endpoint_settings> endpoints;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    endpoints.push_back({"node" + std::to_string(plan_.endpoints[i].index), std::nullopt, 0});
  inquirer_.emplace(chain_id, std::move(endpoints), settings_.max_range, plan_.seed + life_);
  boot_chain();
  if (!alive()) return; // it died while it began
  carry_out(inquirer_->begin(clock_.now()));
  begin_deliveries();
  later(0, [this] { take_in(); });
}

void daemon::die(std::int64_t down_for) {
  ++deaths;
  ++life_;
  countdown_ = 0;
  writing_ = false;
  tick_at_.reset();
  inquirer_tick_at_.reset();
  deliveries_.clear();
  tide_.reset();
  inquirer_.reset();
  reader_.reset();
  for (auto& n : nodes_)
    n.hang_up();
  store_ = store::store::revive(std::move(store_));
  if (tell) tell("the process died; it is down for " + std::to_string(down_for) + " ms");
  clock_.after(down_for, life_, [this] { boot(); });
}

/// A group of its own around a write; false: the process died in it.
bool daemon::guarded(const std::function<void()>& write) {
  if (plan_.on.has(feature::dies_writing) && !quiet_ && deaths_.below(400) == 0) {
    countdown_ = 1 + deaths_.below(40);
    met_.count(feature::dies_writing);
  }
  try {
    (void)store_->begin();
    write();
    auto done = store_->commit();
    if (!done) {
      if (fault.empty()) fault = "the store failed: " + done.error().text;
      return true;
    }
    countdown_ = 0;
    rang(*done);
    return true;
  } catch (const death&) {
    die(deaths_.between(10, 4'000));
    return false;
  }
}

void daemon::rang(const store::bells& b) {
  if (b.webhooks) later(pace_.between(0, 5), [this] { take_in(); });
  if (!b.chains_with_hints.empty() && tide_)
    later(0, [this] {
      if (tide_) carry_out(tide_->bell(clock_.now()));
    });
  for (const auto& name : b.handlers_due)
    for (std::size_t i = 0; i < services_.size(); ++i)
      if (services_[i].name() == name && i < deliveries_.size())
        later(0, [this, i] {
          deliveries_[i].courier->bell(clock_.now());
          pump(i);
        });
}

bool daemon::webhook(const std::string& body) {
  if (!alive()) return false;
  return guarded([&] { (void)store_->append({"relay", clock_.now(), "[]", body}).value(); });
}

/// The intake: what was posted becomes hints.
void daemon::take_in() {
  const auto raw = store_->untaken(webhooks_at_once, bytes_at_once).value();
  if (raw.empty()) return;
  std::vector<store::extracted> rows;
  for (const auto& r : raw)
    rows.push_back({r.id, tide::hint_state::unparsed, hints_in(r.body)});
  if (!guarded([&] { (void)store_->put_intake(rows, clock_.now()).value(); })) return;
  later(1, [this] { take_in(); });
}

void daemon::look(const tide::write_set& applied) {
  audit_.look(*store_, *reader_, applied);
  if (fault.empty()) fault = audit_.fault;
}

void daemon::operate(bool accept_reorg) {
  if (!alive()) return;
  if (tide_->status().state == tide::chain_state::halted) {
    if (tell) tell(accept_reorg ? "chain resume --accept-reorg" : "chain resume");
    carry_out(tide_->resume(accept_reorg, clock_.now()));
  }
  for (const auto& h : reader_->handlers().value())
    if (h.paused) {
      if (tell) tell("handlers resume " + h.name);
      if (!guarded([&] { (void)store_->set_paused(h.name, false, "", clock_.now()); })) return;
    }
}

void daemon::reload() {
  latecomer_ = true;
  if (tell) tell("another subscription comes");
  if (!alive() || !guarded([&] { adopt(); })) return; // it is read when it starts
  later(pace_.between(0, 50), [this, n = chain_life_] {
    if (n != chain_life_ || !tide_) return;
    // The answer takes its way: what was concluded without it may be written meanwhile.
    later(pace_.between(0, 50), [this, n, state = store_->boot(chain_id).value()] {
      if (n != chain_life_ || !tide_) return;
      carry_out(tide_->renew(interest_of(plan_, state.counting, latecomer_), state, clock_.now()));
    });
  });
}

std::shared_ptr<const tide::interest> daemon::interest() const {
  return interest_of(plan_, store_->boot(chain_id).value().counting, latecomer_);
}

std::uint64_t daemon::start_block() const {
  return store_->boot(chain_id).value().start_block.value_or(0);
}

std::string daemon::endpoints() const {
  std::string out;
  if (!inquirer_) return out;
  for (const auto& e : inquirer_->status())
    out += (out.empty() ? "" : ", ") + e.name + " " + std::string(tide::to_text(e.state)) +
           " head " + std::to_string(e.head.value_or(0)) + " errors " + std::to_string(e.errors) +
           " lies " + std::to_string(e.lies);
  return out;
}

} // namespace tidemark::sim
