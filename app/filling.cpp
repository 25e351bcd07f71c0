// SPDX-License-Identifier: MIT
#include "app/filling.hpp"

#include "actors/chain.hpp"
#include "app/log.hpp"
#include "tide/nursery.hpp"
#include "tide/stored_log.hpp"

#include <algorithm>
#include <memory>

namespace tidemark::app {
namespace {

constexpr std::size_t events_at_once = 500;

/// What a chain's events are read by.
struct reading_by {
  std::shared_ptr<const tide::interest> wants;
  tide::nursery children;
};

/// What the handler gets of a stored event; nothing where none of its subscriptions has it. One
/// that waits is read as its confirmation will read it, which tells all whom it fits by then.
std::optional<tide::route> route_of(const store::backlog_event& e, const reading_by& by,
                                    const tide::recipient& to) {
  if (e.place.log_index < 0) return tide::route_of_transaction(to, e.data, e.subscriptions);
  const auto kept = tide::place_of_data(e.data); // its contents may have been pruned
  if (!kept) {
    log(level::warn, component::delivery, "an event of the store is not queued",
        {{"reason", kept.error().text}});
    return std::nullopt;
  }
  auto having = e.subscriptions;
  if (e.status == tide::status::pending)
    if (const auto seen =
            by.wants->match(kept->log, kept->block_time, e.ordinal, {}, nullptr, &by.children))
      having.insert(having.end(), seen->subscriptions.begin(), seen->subscriptions.end());
  return by.wants->route_of(to.name, kept->log, e.ordinal, having);
}

std::vector<store::backlog_route> routes_of(const std::vector<store::backlog_event>& events,
                                            const reading_by& by, const config::handler& h,
                                            store::backlog_of what) {
  std::vector<store::backlog_route> out;
  for (const auto& e : events) {
    auto route = route_of(e, by, h.recipient);
    if (!route) continue;
    // That it was seen is no fact from now on.
    route->pending = route->pending && what == store::backlog_of::all;
    out.push_back({e.tx, e.place.log_index, std::move(*route)});
  }
  return out;
}

/// A new handler with a `start` gets what there is from there on; whoever else lacks a part gets
/// its places in what waits.
store::backlog_of part_of(const config::handler& h, std::uint64_t chain_id, bool is_new) {
  const bool meant = h.start_from.empty() || h.start_from.contains(chain_id);
  return is_new && h.start_with_backlog && meant ? store::backlog_of::all
                                                 : store::backlog_of::pending;
}

std::optional<std::string> fill(const store_work& run, const config::config& c,
                                const config::handler& h, bool is_new) {
  const auto count = std::make_shared<std::size_t>(0);
  for (const auto& chain : c.chains) {
    const auto from = h.start_from.find(chain.id);
    const std::uint64_t first = from == h.start_from.end() || !is_new ? 0 : from->second;
    const auto what = part_of(h, chain.id, is_new);
    const auto by = std::make_shared<reading_by>();
    const auto after = std::make_shared<std::optional<store::backlog_place>>();
    const auto more = std::make_shared<bool>(true);
    while (*more) {
      // What is read is written in the same transaction: nothing comes between.
      auto failed =
          run([=, &c, &chain, &h](store::store& file, std::int64_t now) -> store::result<void> {
            if (!by->wants) {
              const auto known = file.boot(chain.id); // from where each counts, and its lists
              if (!known) return known.error();
              by->wants = actors::interest_of(chain, c, known->counting);
              by->children = tide::nursery(known->children);
            }
            const auto events = file.backlog(chain.id, first, *after, events_at_once, what);
            if (!events) return events.error();
            *more = !events->empty();
            if (!*more) return {};
            *after = events->back().place;
            const auto routes = routes_of(*events, *by, h, what);
            *count += routes.size();
            if (routes.empty()) return {};
            return file.fill(chain.id, routes, now);
          });
      if (failed) return failed;
    }
  }
  if (is_new && (h.start_with_backlog || *count != 0))
    log(level::info, component::delivery,
        h.start_with_backlog ? "a new handler gets what the feed has"
                             : "a new handler waits for what is not confirmed yet",
        {{"handler", h.name()}, {"events", std::to_string(*count)}});
  return run([name = h.name()](store::store& file, std::int64_t) { return file.filled(name); });
}

} // namespace

std::optional<std::string> fill_handlers(const store_work& run, const config::config& c) {
  const auto all = std::make_shared<std::vector<store::unfilled_handler>>();
  auto failed = run([all](store::store& file, std::int64_t) -> store::result<void> {
    auto found = file.unfilled();
    if (!found) return found.error();
    *all = std::move(*found);
    return {};
  });
  if (failed) return failed;
  for (const auto& h : c.handlers) {
    const auto lacks =
        std::find_if(all->begin(), all->end(), [&](const auto& u) { return u.name == h.name(); });
    if (lacks == all->end()) continue;
    if ((failed = fill(run, c, h, lacks->is_new))) return failed;
  }
  return std::nullopt;
}

} // namespace tidemark::app
