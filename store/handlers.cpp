// SPDX-License-Identifier: MIT
#include "store/handlers.hpp"

#include "store/facts.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace tidemark::store {
namespace {

/// A gap names so many messages; the count is of all.
constexpr std::size_t named_ids = 500;

/// Names have no line breaks.
std::string lines_of(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names)
    out += name + '\n';
  return out;
}
bool has_line(const std::string& lines, const std::string& name) {
  return ('\n' + lines).find('\n' + name + '\n') != std::string::npos;
}

} // namespace

handler_table::handler_table(ledger& l, lane_book& lanes)
    : ledger_(l), lanes_(lanes),
      known_(l.db,
             "SELECT order_by, away, confirmed, subscriptions FROM handlers WHERE handler = ?"),
      insert_(l.db, "INSERT INTO handlers (handler, pending, confirmed, order_by, paused, reason,"
                    " since, epoch, announced, raised, subscriptions, filling, chains,"
                    " first_blocks, max_message)"
                    " VALUES (?, ?, ?, ?, 0, '', ?, 1, 1, '', ?, 1, ?, ?, ?)"),
      update_(l.db, "UPDATE handlers SET pending = ?, confirmed = ?, order_by = ?, away = NULL,"
                    " subscriptions = ?, filling = CASE WHEN filling = 0 AND ? THEN 2 ELSE filling"
                    " END, chains = ?, first_blocks = ?, max_message = ? WHERE handler = ?"),
      all_(l.db, "SELECT handler FROM handlers WHERE away IS NULL"),
      set_away_(l.db, "UPDATE handlers SET away = ? WHERE handler = ?"),
      missed_(l.db, "SELECT " TIDEMARK_FACT_COLUMNS ", f.event FROM " TIDEMARK_FACT_TABLES
                    " WHERE f.seq > ?1 AND f.status < 2 AND NOT EXISTS (SELECT 1 FROM outbox o"
                    " CROSS JOIN lanes l ON l.id = o.lane WHERE o.feed = f.seq"
                    " AND l.handler = ?2) ORDER BY f.seq"),
      about_(l.db, "SELECT 1 FROM event_subscriptions WHERE subscription = ? AND event = ?"),
      set_paused_(l.db, "UPDATE handlers SET paused = ?1, reason = ?2, since = ?3,"
                        " wait_until = wait_until * ?1 WHERE handler = ?4"),
      wake_(l.db, "UPDATE lanes SET " TIDEMARK_WAKE " WHERE handler = ?2 AND due > ?1"),
      raise_(l.db, "UPDATE handlers SET " TIDEMARK_RAISE_EPOCH("1", "?1") " WHERE handler = ?2"),
      open_(l.db, "SELECT 1 FROM lanes INDEXED BY lanes_open WHERE handler = ? AND epoch <= ?"
                  " AND (state <> 3 OR held > 0) AND state <> 5 LIMIT 1"),
      announced_(l.db, "SELECT 1 FROM lanes WHERE handler = ? AND key = '' AND epoch = ?"),
      raised_(l.db, "SELECT raised FROM handlers WHERE handler = ?"),
      marks_(l.db, "SELECT chain_id, mark, mark_hash FROM chains ORDER BY chain"),
      unfilled_(l.db,
                "SELECT n.name, h.filling FROM handlers h CROSS JOIN names n ON n.id = h.handler"
                " WHERE h.filling > 0 AND h.away IS NULL"),
      filled_(l.db, "UPDATE handlers SET filling = 0 WHERE handler = ?") {}

void handler_table::put(std::span<const handler_in> handlers, std::int64_t now) {
  leave(handlers);
  for (const handler_in& h : handlers) {
    const std::int64_t id = ledger_.names.id(tide::name_kind::handler, h.name);
    const handler_settings& has = take_settings(id, h);
    const std::string chains = has.chains_text(), from = has.from_text();
    ledger_.handlers.try_emplace(id);
    ledger_.bells.handler(id);
    const std::string subscriptions = lines_of(h.subscriptions);
    const auto was = known(id);
    if (!was) {
      insert_.run(id, h.pending, h.confirmed, std::string_view(h.order_by), now,
                  std::string_view(subscriptions), std::string_view(chains), std::string_view(from),
                  has.max_message);
      continue;
    }
    const bool more =
        was->away || (h.confirmed && !was->confirmed) ||
        std::any_of(h.subscriptions.begin(), h.subscriptions.end(),
                    [&](const std::string& s) { return !has_line(was->subscriptions, s); });
    update_.run(h.pending, h.confirmed, std::string_view(h.order_by),
                std::string_view(subscriptions), more, std::string_view(chains),
                std::string_view(from), has.max_message, id);
    if (was->order_by != h.order_by) raise_epoch(id, "order_by");
    if (was->away) come_back(id, h, *was->away, now);
  }
}

/// `start` counts where the handler is new, or the chain is to it: another one later is no order to
/// leave out what it would be told.
const handler_settings& handler_table::take_settings(std::int64_t handler, const handler_in& h) {
  handler_settings& s = ledger_.settings[handler];
  for (const auto& [chain, block] : h.from)
    if (std::find(s.chains.begin(), s.chains.end(), chain) == s.chains.end())
      s.from.try_emplace(chain, block);
  s.pending_max_age = h.pending_max_age;
  s.linger = h.linger;
  s.batch = h.batch;
  s.max_message = h.max_message;
  s.chains = h.chains;
  return s;
}

std::optional<handler_table::row> handler_table::known(std::int64_t handler) {
  rows r = known_.query(handler);
  if (!r.next()) return std::nullopt;
  return row{std::string(r.text(0)), r.maybe_i64(1), r.i64(2) != 0, std::string(r.text(3))};
}

void handler_table::leave(std::span<const handler_in> handlers) {
  std::set<std::int64_t> there;
  for (const handler_in& h : handlers)
    there.insert(ledger_.names.id(tide::name_kind::handler, h.name));
  std::vector<std::int64_t> gone;
  for (rows r = all_.query(); r.next();)
    if (!there.contains(r.i64(0))) gone.push_back(r.i64(0));
  for (const std::int64_t handler : gone)
    set_away_.run(ledger_.last.feed, handler);
}

/// One gap for what the feed got meanwhile that it would have been told.
void handler_table::come_back(std::int64_t handler, const handler_in& h, std::int64_t since,
                              std::int64_t now) {
  std::vector<std::int64_t> wanted;
  for (const std::string& s : h.subscriptions)
    wanted.push_back(ledger_.names.id(tide::name_kind::subscription, s));
  tide::gap gap;
  gap.reason = tide::gap_reason::away;
  gap.by = "tidemark";
  for (rows r = missed_.query(since, handler); r.next();) {
    const tide::fact f = read_fact(r);
    const std::int64_t event = r.i64(fact_columns);
    if (f.status == tide::status::pending ? !h.pending : !h.confirmed) continue;
    if (ledger_.before_start(handler, f.chain_id, f.block.number)) continue;
    const bool fits = std::any_of(wanted.begin(), wanted.end(), [&](std::int64_t subscription) {
      return about_.query(subscription, event).next();
    });
    if (!fits) continue;
    ++gap.count;
    if (gap.ids.size() < named_ids) gap.ids.push_back(tide::message_id(f));
  }
  if (gap.count == 0) return;
  lanes_.start(now, true);
  lane& l = lanes_.open(handler, "0:away", 0); // of no chain, so it waits for none
  lanes_.append(l, {{}, {}, false, tide::gap_notice(gap, l.id, l.next, now)});
  lanes_.finish();
}

void handler_table::set_paused(std::string_view handler, bool paused, std::string_view reason,
                               std::int64_t now) {
  const std::int64_t id = ledger_.names.id(tide::name_kind::handler, handler);
  set_paused_.run(paused, reason, now, id);
  // Who resumes it has mended something: nothing waits for its turn. Nor does it while it is
  // paused: that costs no message any of its time.
  wake_.run(now, id);
  if (const auto at = ledger_.handlers.find(id); at != ledger_.handlers.end()) {
    at->second.paused = paused;
    if (!paused) at->second.wait_until = 0;
  }
  ledger_.bells.handler(id);
}

void handler_table::raise_epoch(std::int64_t handler, std::string_view reason) {
  raise_.run(reason, handler);
  ++ledger_.handlers[handler].epoch;
}

bool handler_table::queue_is_empty(std::int64_t handler, std::uint32_t epoch) {
  return !open_.query(handler, epoch).next();
}

void handler_table::announce(std::int64_t now) {
  for (const auto& [handler, entry] : ledger_.handlers) {
    if (entry.announced >= entry.epoch || !queue_is_empty(handler, entry.announced)) continue;
    const auto next = next_epoch(handler, entry.announced);
    if (!announced_.query(handler, next.epoch).next())
      announce(handler, next, entry.announced, now);
  }
}

/// Each is announced, and with its own reason; a restore leaves numbers out.
handler_table::raised_epoch handler_table::next_epoch(std::int64_t handler,
                                                      std::uint32_t announced) {
  std::string raised;
  if (rows r = raised_.query(handler); r.next()) raised = r.text(0);
  for (std::string_view rest = raised; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    std::uint32_t epoch = 0;
    const auto number = std::from_chars(one.data(), one.data() + one.size(), epoch);
    if (number.ec != std::errc{} || epoch <= announced) continue;
    return {epoch, std::string(one.substr(one.find(':') + 1))};
  }
  return {announced + 1, raised}; // as a store says it that was raised before numbers were kept
}

void handler_table::announce(std::int64_t handler, const raised_epoch& next, std::uint32_t previous,
                             std::int64_t now) {
  std::vector<tide::epoch_mark> marks;
  for (rows r = marks_.query(); r.next();) {
    std::optional<evm::block_id> mark;
    if (!r.null(1)) mark = evm::block_id{r.u64(1), r.hash(2)};
    marks.push_back({ledger_.chain_name(r.u64(0)), mark});
  }
  lanes_.start(now, true);
  lane& l = lanes_.open(handler, "", 0, next.epoch);
  lanes_.append(l,
                {{}, {}, false, tide::epoch_notice(next.epoch, previous, next.reason, marks, now)});
  lanes_.finish();
}

std::vector<unfilled_handler> handler_table::unfilled() {
  std::vector<unfilled_handler> found;
  for (rows r = unfilled_.query(); r.next();)
    found.push_back({std::string(r.text(0)), r.i64(1) == 1});
  return found;
}

void handler_table::filled(std::string_view handler) {
  if (const auto id = ledger_.names.find(tide::name_kind::handler, handler)) filled_.run(*id);
}

} // namespace tidemark::store
