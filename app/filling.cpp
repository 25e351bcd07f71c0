// SPDX-License-Identifier: MIT
#include "app/filling.hpp"

#include "actors/chain.hpp"
#include "app/clock.hpp"
#include "app/log.hpp"
#include "tide/stored_log.hpp"

#include <algorithm>

namespace tidemark::app {
namespace {

constexpr std::size_t events_at_once = 500;

/// What the handler gets of a stored event; nothing where none of its subscriptions fits.
std::optional<tide::route> route_of(const store::backlog_event& e, const tide::interest& wants,
                                    const tide::recipient& to) {
  if (e.place.log_index < 0) return tide::route_of_transaction(to, e.data);
  const auto kept = tide::log_of_data(e.data);
  if (!kept) {
    log(level::warn, "an event of the store is not queued", {{"reason", kept.error().text}});
    return std::nullopt;
  }
  const auto seen = wants.match(kept->log, kept->block_time, e.ordinal, {});
  if (!seen) return std::nullopt;
  const auto route = std::find_if(seen->routes.begin(), seen->routes.end(),
                                  [&](const tide::route& r) { return r.handler == to.name; });
  return route == seen->routes.end() ? std::nullopt : std::optional(*route);
}

std::vector<store::backlog_route> routes_of(const std::vector<store::backlog_event>& events,
                                            const tide::interest& wants,
                                            const tide::recipient& to) {
  std::vector<store::backlog_route> out;
  for (const auto& e : events)
    if (auto route = route_of(e, wants, to))
      out.push_back({e.tx, e.place.log_index, std::move(*route)});
  return out;
}

/// One transaction.
template <class F> std::optional<std::string> in_group(store::store& file, F write) {
  if (auto begun = file.begin(); !begun) return begun.error().text;
  if (auto wrote = write(); !wrote) {
    file.undo();
    return wrote.error().text;
  }
  const auto done = file.commit();
  return done ? std::nullopt : std::optional(done.error().text);
}

std::optional<std::string> fill(store::store& file, const config::config& c,
                                const config::handler& h) {
  std::size_t count = 0;
  for (const auto& chain : c.chains) {
    const auto from = h.start_from.find(chain.id);
    if (!h.start_from.empty() && from == h.start_from.end()) continue;
    const auto known = file.boot(chain.id); // from where each subscription counts, and its lists
    if (!known) return known.error().text;
    const auto wants = actors::interest_of(chain, c, known->counting);
    const std::uint64_t first = from == h.start_from.end() ? 0 : from->second;
    std::optional<store::backlog_place> after;
    for (;;) {
      const auto events = file.backlog(chain.id, first, after, events_at_once);
      if (!events) return events.error().text;
      if (events->empty()) break;
      after = events->back().place;
      const auto routes = routes_of(*events, *wants, h.recipient);
      count += routes.size();
      if (routes.empty()) continue;
      if (auto failed = in_group(file, [&] { return file.fill(chain.id, routes, now_ms()); }))
        return failed;
    }
  }
  log(level::info, "a new handler gets what the feed has",
      {{"handler", h.name()}, {"events", std::to_string(count)}});
  return in_group(file, [&] { return file.filled(h.name()); });
}

} // namespace

bool fill_new_handlers(store::store& file, const config::config& c) {
  const auto names = file.unfilled();
  if (!names) {
    log_last(names.error().text);
    return false;
  }
  for (const auto& h : c.handlers) {
    if (std::find(names->begin(), names->end(), h.name()) == names->end()) continue;
    if (const auto failed = fill(file, c, h)) {
      log_last(*failed);
      return false;
    }
  }
  return true;
}

} // namespace tidemark::app
