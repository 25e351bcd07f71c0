// SPDX-License-Identifier: MIT
#include "store/ledger.hpp"

#include <sstream>

namespace tidemark::store {
namespace {

std::vector<std::uint64_t> read_chains(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::uint64_t> chains;
  for (std::uint64_t chain = 0; in >> chain;)
    chains.push_back(chain);
  return chains;
}

std::map<std::uint64_t, std::uint64_t> read_from(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::map<std::uint64_t, std::uint64_t> from;
  std::uint64_t chain = 0, block = 0;
  for (char colon = 0; in >> chain >> colon >> block;)
    from[chain] = block;
  return from;
}

} // namespace

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
  statement known(db, "SELECT handler, epoch, paused, announced, chains, first_blocks, max_message,"
                      " wait_until FROM handlers");
  for (rows r = known.query(); r.next();) {
    handlers[r.i64(0)] = {r.u32(1), r.u32(3), r.i64(2) != 0, r.i64(7)};
    handler_settings& s = settings[r.i64(0)];
    s.chains = read_chains(r.text(4));
    s.from = read_from(r.text(5));
    s.max_message = r.u64(6);
  }
  std::erase_if(settings, [&](const auto& s) { return !handlers.contains(s.first); }); // undone
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

bool ledger::before_start(std::int64_t handler, std::uint64_t chain_id, std::uint64_t block) const {
  const auto& from = settings_of(handler).from;
  const auto first = from.find(chain_id);
  return first != from.end() && block < first->second;
}

std::string handler_settings::chains_text() const {
  std::string text;
  for (const std::uint64_t chain : chains)
    text += std::to_string(chain) + ' ';
  return text;
}

std::string handler_settings::from_text() const {
  std::string text;
  for (const auto& [chain, block] : from)
    text += std::to_string(chain) + ':' + std::to_string(block) + ' ';
  return text;
}

void ledger::count_gap(std::int64_t handler, const tide::notice& n) {
  if (n.is == tide::notice::kind::gap) ++did.gaps[names.text(handler)];
}

std::string ledger::chain_name(std::uint64_t chain_id) const {
  const auto at = chain_names.find(chain_id);
  return at == chain_names.end() ? std::to_string(chain_id) : at->second;
}

} // namespace tidemark::store
