// SPDX-License-Identifier: MIT
#include "config/changes.hpp"

#include <algorithm>

namespace tidemark::config {
namespace {

template <class T> const std::string& name_of(const T& v) { return v.name; }
const std::string& name_of(const handler& v) { return v.name(); }

template <class T> const T* find(const std::vector<T>& in, const std::string& name) {
  const auto at =
      std::find_if(in.begin(), in.end(), [&](const T& v) { return name_of(v) == name; });
  return at == in.end() ? nullptr : &*at;
}

/// What decides of a chain's events, and of who hears of them.
std::vector<tide::subscription> on_chain(const config& c, std::uint64_t id) {
  std::vector<tide::subscription> out;
  std::copy_if(c.subscriptions.begin(), c.subscriptions.end(), std::back_inserter(out),
               [&](const tide::subscription& s) { return s.chains.count(id) != 0; });
  return out;
}

std::vector<tide::recipient> recipients(const config& c) {
  std::vector<tide::recipient> out;
  for (const auto& h : c.handlers)
    out.push_back(h.recipient);
  return out;
}

/// The same list, of a file or not; what is in it changes without its subscriptions.
bool same_lists(const config& before, const config& now) { return before.lists == now.lists; }

void compare_fixed(const config& before, const config& now, changes& out) {
  const auto fixed = [&](const char* name, bool same) {
    if (!same)
      out.refused.push_back(std::string(name) +
                            " cannot change while the daemon runs: restart it for that");
  };
  fixed("instance", before.instance == now.instance);
  fixed("store.path", before.store.path == now.store.path);
  fixed("store.durability", before.store.full == now.store.full);
  fixed("store.min_free", before.store.min_free == now.store.min_free);
  fixed("ingest.listen", before.ingest.listen == now.ingest.listen);
  fixed("admin.listen", before.admin.listen == now.admin.listen);
  const auto& retention = before.store;
  fixed("store.retention", retention.keep_webhooks == now.store.keep_webhooks &&
                               retention.keep_deliveries == now.store.keep_deliveries &&
                               retention.keep_events == now.store.keep_events);
  fixed("ingest.trusted_proxies", before.ingest.trusted_proxies == now.ingest.trusted_proxies);
  fixed("ingest.tls, given or not,", before.ingest.tls.has_value() == now.ingest.tls.has_value());
  fixed("admin.tls, given or not,", before.admin.tls.has_value() == now.admin.tls.has_value());
  auto limits = before.ingest;
  limits.listen = now.ingest.listen;
  limits.trusted_proxies = now.ingest.trusted_proxies;
  limits.tls = now.ingest.tls; // its files are read again
  fixed("ingest (max_body, max_connections, max_in_flight, timeouts)", limits == now.ingest);
  for (const auto& c : now.chains)
    if (const auto* was = find(before.chains, c.name); was && was->id != c.id)
      out.refused.push_back("chains: '" + c.name + "' has id " + std::to_string(was->id) +
                            ", which cannot become " + std::to_string(c.id) +
                            " while the daemon runs: give the other chain another name");
}

} // namespace

changes compare(const config& before, const config& now) {
  changes out;
  compare_fixed(before, now, out);
  const bool told_otherwise = recipients(before) != recipients(now);
  for (const auto& c : before.chains)
    if (!find(now.chains, c.name)) out.chains_gone.push_back(c.name);
  for (const auto& c : now.chains) {
    const auto* was = find(before.chains, c.name);
    if (!was || *was != c || told_otherwise || on_chain(before, c.id) != on_chain(now, c.id) ||
        !same_lists(before, now))
      out.chains_anew.push_back(c.name);
  }
  for (const auto& h : before.handlers)
    if (!find(now.handlers, h.name())) out.handlers_gone.push_back(h.name());
  for (const auto& h : now.handlers) {
    const auto* was = find(before.handlers, h.name());
    if (!was || *was != h) out.handlers_anew.push_back(h.name());
  }
  if (before.sources != now.sources) out.rest.emplace_back("sources");
  if (!same_lists(before, now)) out.rest.emplace_back("lists");
  if (before.log != now.log) out.rest.emplace_back("log");
  return out;
}

} // namespace tidemark::config
