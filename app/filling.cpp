// SPDX-License-Identifier: MIT
#include "app/filling.hpp"

#include "actors/chain.hpp"
#include "app/log.hpp"
#include "tide/stored_log.hpp"

#include <algorithm>
#include <memory>

namespace tidemark::app {
namespace {

constexpr std::size_t events_at_once = 500;

/// What the handler gets of a stored event; nothing where none of its subscriptions fits.
std::optional<tide::route> route_of(const store::backlog_event& e, const tide::interest& wants,
                                    const tide::recipient& to) {
  if (e.place.log_index < 0) return tide::route_of_transaction(to, e.data);
  const auto kept = tide::log_of_data(e.data);
  if (!kept) {
    log(level::warn, component::delivery, "an event of the store is not queued",
        {{"reason", kept.error().text}});
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

std::optional<std::string> fill(const store_work& run, const config::config& c,
                                const config::handler& h) {
  const auto count = std::make_shared<std::size_t>(0);
  for (const auto& chain : c.chains) {
    const auto from = h.start_from.find(chain.id);
    if (!h.start_from.empty() && from == h.start_from.end()) continue;
    const std::uint64_t first = from == h.start_from.end() ? 0 : from->second;
    const auto wants = std::make_shared<std::shared_ptr<const tide::interest>>();
    const auto after = std::make_shared<std::optional<store::backlog_place>>();
    const auto more = std::make_shared<bool>(true);
    while (*more) {
      // What is read is written in the same transaction: nothing comes between.
      auto failed =
          run([=, &c, &chain, &h](store::store& file, std::int64_t now) -> store::result<void> {
            if (!*wants) {
              const auto known = file.boot(chain.id); // from where each counts, and its lists
              if (!known) return known.error();
              *wants = actors::interest_of(chain, c, known->counting);
            }
            const auto events = file.backlog(chain.id, first, *after, events_at_once);
            if (!events) return events.error();
            *more = !events->empty();
            if (!*more) return {};
            *after = events->back().place;
            const auto routes = routes_of(*events, **wants, h.recipient);
            *count += routes.size();
            if (routes.empty()) return {};
            return file.fill(chain.id, routes, now);
          });
      if (failed) return failed;
    }
  }
  log(level::info, component::delivery, "a new handler gets what the feed has",
      {{"handler", h.name()}, {"events", std::to_string(*count)}});
  return run([name = h.name()](store::store& file, std::int64_t) { return file.filled(name); });
}

} // namespace

std::optional<std::string> fill_new_handlers(const store_work& run, const config::config& c) {
  const auto names = std::make_shared<std::vector<std::string>>();
  auto failed = run([names](store::store& file, std::int64_t) -> store::result<void> {
    auto found = file.unfilled();
    if (!found) return found.error();
    *names = std::move(*found);
    return {};
  });
  if (failed) return failed;
  for (const auto& h : c.handlers) {
    if (std::find(names->begin(), names->end(), h.name()) == names->end()) continue;
    if ((failed = fill(run, c, h))) return failed;
  }
  return std::nullopt;
}

} // namespace tidemark::app
