// SPDX-License-Identifier: MIT
#include "store/ledger.hpp"

namespace tidemark::store {

bells ringer::take(name_table& words) {
  bells b = now_;
  for (const auto& [chain_id, unused] : chains_)
    b.chains_with_hints.push_back(chain_id);
  for (const auto& [handler, unused] : handlers_)
    b.handlers_due.push_back(words.text(handler));
  clear();
  return b;
}

void ringer::clear() {
  now_ = {};
  chains_.clear();
  handlers_.clear();
}

ledger::ledger(connection& c) : db(c), names(c), chains(c) { reload(); }

void ledger::reload() {
  names.forget();
  chains.load();
  handlers.clear();
  statement known(db, "SELECT handler, epoch, paused, announced FROM handlers");
  for (rows r = known.query(); r.next();)
    handlers[r.i64(0)] = {r.u32(1), r.u32(3), r.i64(2) != 0};
  last.event = db.number("SELECT max(id) FROM events");
  last.inclusion = db.number("SELECT max(id) FROM inclusions");
  last.feed = db.number("SELECT max(seq) FROM feed");
  last.lane = db.number("SELECT max(id) FROM lanes");
  last.webhook = db.number("SELECT max(id) FROM webhooks");
  last.attempt = db.number("SELECT max(id) FROM attempts");
  count_replays();
  last.taken = db.number("SELECT at FROM cursors WHERE name = 'intake'");
}

void ledger::count_replays() {
  replays = static_cast<std::uint64_t>(db.number(
      "SELECT count(DISTINCT job) FROM lanes INDEXED BY lanes_job WHERE job > 0 AND head < next"));
}

const handler_entry& ledger::handler(std::int64_t id) const {
  static const handler_entry unknown;
  const auto at = handlers.find(id);
  return at == handlers.end() ? unknown : at->second;
}

const handler_settings& ledger::settings_of(std::int64_t handler) const {
  static const handler_settings none;
  const auto at = settings.find(handler);
  return at == settings.end() ? none : at->second;
}

void ledger::count_gap(std::int64_t handler, const tide::notice& n) {
  if (n.is == tide::notice::kind::gap) ++did.gaps[names.text(handler)];
}

std::string ledger::chain_name(std::uint64_t chain_id) const {
  const auto at = chain_names.find(chain_id);
  return at == chain_names.end() ? std::to_string(chain_id) : at->second;
}

} // namespace tidemark::store
