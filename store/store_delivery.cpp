// SPDX-License-Identifier: MIT
#include "store/guarded.hpp"

// The store's part about handlers and their messages.

namespace tidemark::store {

result<void> store::register_handlers(std::span<const handler_in> handlers, std::int64_t now) {
  return writing(*parts_, now, [&] { parts_->all->handlers.put(handlers, now); });
}

result<void> store::set_paused(std::string_view handler, bool paused, std::string_view reason,
                               std::int64_t now) {
  return writing(*parts_, now,
                 [&] { parts_->all->handlers.set_paused(handler, paused, reason, now); });
}

result<message_batch> store::take(std::string_view handler, std::int64_t now, std::size_t limit,
                                  std::size_t max_bytes, std::optional<std::int64_t> probe_behind) {
  return writing(*parts_, now, [&] {
    return parts_->all->deliveries.take(handler, now, limit, max_bytes, probe_behind);
  });
}

result<void> store::finish(std::span<const finished> exchanges, std::int64_t now) {
  return writing(*parts_, now, [&] {
    for (const finished& f : exchanges)
      parts_->all->deliveries.finish(f, now);
  });
}

result<void> store::abandon(std::string_view handler, std::int64_t now) {
  return writing(*parts_, now, [&] { parts_->all->deliveries.abandon(handler, now); });
}

result<void> store::audit(std::string_view who, std::string_view what, std::string_view detail,
                          std::int64_t now) {
  return writing(*parts_, [&] {
    statement insert(*parts_->db, "INSERT INTO audit (at, who, what, detail) VALUES (?, ?, ?, ?)");
    insert.run(now, who, what, detail);
  });
}

result<dead_done> store::order_dead(const dead_order& o, std::int64_t now) {
  return writing(*parts_, now, [&] { return parts_->all->dead.order(o, now); });
}

result<replay_started> store::replay(const replay_order& o, std::int64_t now) {
  return writing(*parts_, now, [&] { return parts_->all->replays.begin(o, now); });
}

result<void> store::raise_epoch(std::string_view handler, std::string_view reason) {
  return writing(*parts_, [&] {
    if (const auto id = parts_->all->book.names.find(tide::name_kind::handler, handler))
      parts_->all->handlers.raise_epoch(*id, reason);
  });
}

result<std::vector<unfilled_handler>> store::unfilled() {
  return guarded(*parts_, [&] { return parts_->all->handlers.unfilled(); });
}

result<std::vector<backlog_event>> store::backlog(std::uint64_t chain_id, std::uint64_t from_block,
                                                  const std::optional<backlog_place>& after,
                                                  std::size_t limit, backlog_of what) {
  return guarded(*parts_, [&] {
    const chain_entry* c = parts_->all->book.chains.by_id(chain_id);
    return c ? parts_->all->events.backlog(c->chain, from_block, after, limit, what)
             : std::vector<backlog_event>();
  });
}

result<void> store::fill(std::uint64_t chain_id, std::span<const backlog_route> routes,
                         std::int64_t now) {
  return writing(*parts_, now, [&] {
    const chain_entry* c = parts_->all->book.chains.by_id(chain_id);
    if (!c) return;
    parts_->all->lanes.start(now, true);
    for (const backlog_route& r : routes)
      if (const auto e = parts_->all->events.find(c->chain, r.tx, r.log_index))
        parts_->all->lanes.told_later(*e, r.to);
    parts_->all->lanes.finish();
    parts_->all->book.must_sync = true;
  });
}

result<void> store::filled(std::string_view handler) {
  return writing(*parts_, [&] { parts_->all->handlers.filled(handler); });
}

} // namespace tidemark::store
