// SPDX-License-Identifier: MIT
#include "app/redecoding.hpp"

#include "actors/chain.hpp"
#include "app/log.hpp"
#include "tide/redecode.hpp"

#include <caf/actor_system.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::app {
namespace {

using worker = caf::typed_actor<caf::reacts_to<actors::look>>;

constexpr std::size_t events_at_once = 50;
constexpr std::size_t examples_kept = 20;
constexpr auto again_after = std::chrono::seconds(1);

/// One job; its pages run on the store's thread, one after the other.
struct job {
  std::int64_t id = 0;
  std::shared_ptr<redecoding::ground> ground;

  bool more = false;                       ///< after the last page
  std::optional<std::uint64_t> waits = {}; ///< the chain in which it left an event waiting

  store::result<void> page(store::store& file, std::int64_t now);

private:
  store::result<void> learn(store::store& file, const config::chain& chain);
  store::result<void> judge(store::store& file, const store::kept_page& page,
                            store::redecode_state& s, std::uint64_t chain_id, std::int64_t now);

  std::shared_ptr<const config::config> config_;
  std::optional<std::uint64_t> chain_id_; ///< whose these are
  std::shared_ptr<const tide::interest> wants_;
  tide::nursery children_;
};

const config::chain* chain_from(const config::config& c, std::uint64_t id) {
  const config::chain* found = nullptr;
  for (const auto& chain : c.chains)
    if (chain.id >= id && (found == nullptr || chain.id < found->id)) found = &chain;
  return found;
}

/// Events that came after the job's begin are not its own, so this stays good for the whole chain.
store::result<void> job::learn(store::store& file, const config::chain& chain) {
  if (chain_id_ == chain.id) return {};
  const auto known = file.boot(chain.id);
  if (!known) return known.error();
  wants_ = actors::interest_of(chain, *config_, known->counting);
  children_ = tide::nursery(known->children);
  chain_id_ = chain.id;
  return {};
}

store::result<void> job::judge(store::store& file, const store::kept_page& page,
                               store::redecode_state& s, std::uint64_t chain_id, std::int64_t now) {
  std::vector<store::reread_row> rows;
  for (const auto& e : page.events) {
    auto again = tide::read_event_again(*wants_, children_, {e.data, e.ordinal, e.subscriptions});
    if (!again)
      log(level::warn, component::store, "a stored event cannot be read again; it stays as it is",
          {{"reason", again.error().text}});
    if (!again || again->how == tide::reread::untouched) {
      ++s.counts.equal;
      continue;
    }
    ++(again->how == tide::reread::gone ? s.counts.extra : s.counts.missing);
    if (s.examples.size() < examples_kept)
      s.examples.push_back(tide::difference(e.data, again->now));
    rows.push_back({e.event, std::move(again->now)});
  }
  if (s.dry || rows.empty()) return {};
  const auto waiting = file.redecode(chain_id, rows, now);
  if (!waiting) return waiting.error();
  if (*waiting) waits = chain_id;
  return {};
}

store::result<void> job::page(store::store& file, std::int64_t now) {
  more = false;
  waits.reset();
  const auto at = file.redecode_at(id);
  if (!at) return at.error();
  if (!at->has_value()) return {}; // cancelled
  store::redecode_state s = **at;
  if (auto newest = ground->config.load(); newest != config_) {
    config_ = std::move(newest);
    chain_id_.reset();
  }
  const auto* chain = chain_from(*config_, s.chain_id);
  if (chain == nullptr) return file.end_job(id, tide::job_state::done, "", now);
  if (auto known = learn(file, *chain); !known) return known;
  if (s.chain_id != chain->id) s.after.reset();
  const auto page = file.kept(chain->id, s, events_at_once);
  if (!page) return page.error();
  if (auto judged = judge(file, *page, s, chain->id, now); !judged) return judged;
  s.chain_id = page->more ? chain->id : chain->id + 1;
  s.after = page->more ? page->last : std::nullopt;
  more = true;
  return file.note_redecode(id, s);
}

void go_on(worker::pointer self, const std::shared_ptr<job>& work) {
  const auto& ground = *work->ground;
  const auto run = [work](store::store& file, std::int64_t now) { return work->page(file, now); };
  self->request(ground.store, caf::infinite, actors::write_work{run})
      .then(
          [self, work](const actors::order_done&) {
            // What waits at or below the mark is its chain's to confirm.
            if (work->waits)
              if (const auto chain = work->ground->board.chain(*work->waits))
                caf::anon_send(chain, actors::recount{});
            if (work->more)
              go_on(self, work);
            else
              self->quit();
          },
          [self](const caf::error& e) {
            // The write failed, and is undone: once more. Else the store has ended.
            if (e == caf::sec::runtime_error)
              self->delayed_send(self, again_after, actors::look{});
            else
              self->quit();
          });
}

void start(caf::actor_system& system, std::int64_t id,
           const std::shared_ptr<redecoding::ground>& ground) {
  auto work = std::make_shared<job>();
  work->id = id;
  work->ground = ground;
  system.spawn([work](worker::pointer self) -> worker::behavior_type {
    go_on(self, work);
    return {[self, work](actors::look) { go_on(self, work); }};
  });
}

} // namespace

redecoding::redecoding(std::shared_ptr<const config::config> config,
                       const actors::switchboard& board, actors::store_actor store,
                       caf::actor_system& system)
    : ground_(new ground{std::move(config), board, std::move(store)}), system_(system) {
  take_up();
}

std::function<void()> redecoding::renewal(std::shared_ptr<const config::config> config) const {
  return [ground = ground_, config = std::move(config)] { ground->config.store(config); };
}

void redecoding::add_order(api::orders& to) const {
  to.redecode = [ground = ground_,
                 &system = system_](store::redecode_order order, const net::reply_slot& slot,
                                    const std::function<net::response(std::int64_t)>& make) {
    const auto id = std::make_shared<std::int64_t>(0);
    const auto work = [order = std::move(order), id](store::store& file,
                                                     std::int64_t now) -> store::result<void> {
      const auto begun = file.begin_redecode(order, now);
      if (!begun) return begun.error();
      *id = *begun;
      return {};
    };
    system.spawn([=, &system](worker::pointer self) -> worker::behavior_type {
      self->request(ground->store, caf::infinite, actors::write_work{work})
          .then(
              [self, ground, slot, make, id, &system](const actors::order_done&) {
                start(system, *id, ground);
                slot.deliver(make(*id));
                self->quit();
              },
              [self, slot](const caf::error& e) {
                slot.deliver(net::problem(503, self->system().render(e)));
                self->quit();
              });
      return {[](actors::look) {}};
    });
  };
}

void redecoding::take_up() const {
  const auto ids = std::make_shared<std::vector<std::int64_t>>();
  const auto work = [ids](store::store& file, std::int64_t) -> store::result<void> {
    auto found = file.running_redecodes();
    if (!found) return found.error();
    *ids = std::move(*found);
    return {};
  };
  system_.spawn([ids, work, ground = ground_,
                 &system = system_](worker::pointer self) -> worker::behavior_type {
    self->request(ground->store, caf::infinite, actors::write_work{work})
        .then(
            [self, ids, ground, &system](const actors::order_done&) {
              for (const auto id : *ids)
                start(system, id, ground);
              self->quit();
            },
            [self](const caf::error& e) {
              log(level::error, component::store,
                  "jobs of `events redecode` that a stop cut short wait for the next "
                  "start",
                  {{"reason", self->system().render(e)}});
              self->quit();
            });
    return {[](actors::look) {}};
  });
}

} // namespace tidemark::app
