// SPDX-License-Identifier: MIT
#include "app/opening.hpp"

#include "actors/chain.hpp"
#include "app/clock.hpp"
#include "app/exit_status.hpp"
#include "app/filling.hpp"
#include "app/group_counts.hpp"
#include "app/log.hpp"
#include "app/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>

namespace tidemark::app {
namespace {

constexpr std::size_t reader_count = 2;

int status_of(store::open_fault f) {
  switch (f) {
  case store::open_fault::held_by_another:
    return exit_unavailable;
  case store::open_fault::newer:
    return exit_config;
  case store::open_fault::damaged:
  case store::open_fault::cannot_write:
    break;
  }
  return exit_store;
}

std::string order_text(const tide::recipient& r) {
  switch (r.order) {
  case tide::order_by::chain:
    return "chain";
  case tide::order_by::contract:
    return "contract";
  case tide::order_by::subscription:
    return "subscription";
  case tide::order_by::argument:
    return "arg:" + r.argument;
  case tide::order_by::none:
    break;
  }
  return "none";
}

/// The chains that a source is known to speak of, besides those that its payloads will name.
std::vector<store::source_in> sources_of(const config::config& c) {
  std::vector<store::source_in> out;
  for (const auto& s : c.sources) {
    auto& row = out.emplace_back(store::source_in{s.name, {}});
    if (s.chain_id) row.chain_ids.push_back(*s.chain_id);
    for (const auto& [name, id] : s.networks)
      row.chain_ids.push_back(id);
  }
  return out;
}

bool gets_events_of(const config::handler& h, std::uint64_t chain, const config::config& c) {
  const auto& wanted = h.recipient.subscriptions;
  return std::any_of(c.subscriptions.begin(), c.subscriptions.end(), [&](const auto& s) {
    return s.chains.contains(chain) &&
           std::find(wanted.begin(), wanted.end(), s.name) != wanted.end();
  });
}

store::handler_in row_of(const config::handler& h, const config::config& c) {
  store::handler_in row;
  row.name = h.name();
  row.pending = h.recipient.pending;
  row.confirmed = h.recipient.confirmed;
  row.order_by = order_text(h.recipient);
  row.subscriptions = h.recipient.subscriptions;
  row.pending_max_age = h.pending_max_age.count();
  row.max_message = h.max_message;
  row.batch = h.batch.max_events;
  row.linger = h.batch.linger.count();
  row.from = h.start_from;
  for (const auto& chain : c.chains)
    if (gets_events_of(h, chain.id, c)) row.chains.push_back(chain.id);
  return row;
}

bool adopt(store::store& file, const config::config& c, store::tally& did) {
  const auto rows = store_part(c);
  std::string trouble;
  if (auto begun = file.begin(); !begun)
    trouble = begun.error().text;
  else if (auto put = file.adopt(rows, now_ms()); !put)
    trouble = put.error().text;
  if (!trouble.empty()) {
    file.undo();
    log_last(trouble);
    return false;
  }
  auto done = file.commit();
  if (!done) log_last(done.error().text);
  if (!done) return false;
  did = std::move(done->did);
  const auto unfilled = fill_handlers(
      [&](const store_write& write) -> std::optional<std::string> {
        if (auto begun = file.begin(); !begun) return begun.error().text;
        if (auto wrote = write(file, now_ms()); !wrote) {
          file.undo();
          return wrote.error().text;
        }
        const auto committed = file.commit();
        return committed ? std::nullopt : std::optional(committed.error().text);
      },
      c);
  if (unfilled) log_last(*unfilled);
  return !unfilled;
}

} // namespace

std::vector<store::list_use> uses_of(const config::config& c, const std::string& list) {
  std::vector<store::list_use> out;
  for (const auto& chain : c.chains)
    for (const auto& s : c.subscriptions)
      if (s.chains.count(chain.id) && tide::uses_list(tide::form_of(s, chain.id), list))
        out.push_back({chain.id, s.name});
  return out;
}

store::config_in store_part(const config::config& c) {
  store::config_in out;
  out.sources = sources_of(c);
  for (const auto& h : c.handlers)
    out.handlers.push_back(row_of(h, c));
  for (const auto& l : c.lists)
    if (l.file) out.lists.push_back({l.name, l.addresses, uses_of(c, l.name)});
  for (const auto& chain : c.chains) {
    out.chains.push_back(actors::counting_of(chain, c));
    out.chain_names[chain.id] = chain.name;
  }
  return out;
}

std::vector<std::string> moved_starts(const config::config& c, store::reader& reader) {
  std::vector<std::string> out;
  for (const auto& chain : c.chains) {
    const auto row = reader.chain(chain.id);
    if (!row || !*row || !(*row)->start_block || !chain.start_block ||
        *(*row)->start_block == *chain.start_block)
      continue;
    const auto stored = *(*row)->start_block;
    out.push_back(fmt::format("chain {}: the config says start_block {}, but the store counts from "
                              "block {}. Say `start_block: {}` (or leave it out), or begin a new "
                              "store",
                              chain.name, *chain.start_block, stored, stored));
  }
  return out;
}

std::variant<opened_store, int> open_store(const config::config& c) {
  auto opened = store::store::open({c.store.path.string(), c.store.full, c.instance, {}, now_ms()});
  if (const auto* bad = std::get_if<store::open_error>(&opened)) {
    log_last(bad->text);
    return status_of(bad->kind);
  }
  opened_store out;
  out.file = std::move(std::get<std::unique_ptr<store::store>>(opened));
  if (const auto& log = out.file->log_set_aside(); !log.empty())
    app::log(level::warn, component::store,
             "the store is a backup, and the log beside it was another store's: it is set aside",
             {{"path", log}});
  // A restore's epoch is the second in which it came; whatever comes next is to find another one.
  if (const auto epoch = out.file->epoch())
    while (now_ms() / 1'000 == *epoch)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (std::size_t i = 0; i < reader_count; ++i) {
    auto r = store::reader::open(c.store.path.string());
    if (!r) {
      log_last(r.error().text);
      return exit_store;
    }
    out.readers.push_back(std::move(*r));
  }
  const auto moved = moved_starts(c, *out.readers.front());
  for (const auto& text : moved)
    log_last(text);
  if (!moved.empty()) return exit_config;
  if (!adopt(*out.file, c, out.did)) return exit_store;
  return out;
}

evm::result<std::shared_ptr<api::live>> open_board(store::store& file, const config::config& c,
                                                   const store::tally& did) {
  const auto epoch = file.epoch();
  if (!epoch) return evm::fail(epoch.error().text);
  const auto last_backup = file.last_backup();
  if (!last_backup) return evm::fail(last_backup.error().text);
  auto board = std::make_shared<api::live>(api::identity{version(), now_ms(), *epoch});
  if (*last_backup) board->set_last_backup(**last_backup);
  board->counted().know(c, version());
  count_group(board->counted(), c, did);
  board->set_reload(true, now_ms());
  return board;
}

} // namespace tidemark::app
