// SPDX-License-Identifier: MIT
#include "app/opening.hpp"

#include "app/clock.hpp"
#include "app/exit_status.hpp"
#include "app/log.hpp"

#include <chrono>
#include <string>

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

/// Where a chain counts from was resolved once; another number in the config later is a
/// misunderstanding that would lose events.
bool starts_agree(const config::config& c, store::reader& reader) {
  bool agree = true;
  for (const auto& chain : c.chains) {
    const auto row = reader.chain(chain.id);
    if (!row || !*row || !(*row)->start_block || !chain.start_block ||
        *(*row)->start_block == *chain.start_block)
      continue;
    agree = false;
    log_last("chain " + chain.name + ": the config says start_block " +
             std::to_string(*chain.start_block) + ", but the store counts from block " +
             std::to_string(*(*row)->start_block) + ". Say `start_block: " +
             std::to_string(*(*row)->start_block) + "` (or leave it out), or begin a new store");
  }
  return agree;
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

bool register_handlers(store::store& file, const config::config& c) {
  std::vector<store::handler_in> rows;
  for (const auto& h : c.handlers)
    rows.push_back({h.name(), h.recipient.pending, h.recipient.confirmed, order_text(h.recipient)});
  std::string trouble;
  if (auto begun = file.begin(); !begun)
    trouble = begun.error().text;
  else if (auto put = file.register_handlers(rows, now_ms()); !put)
    trouble = put.error().text;
  if (!trouble.empty()) {
    file.undo();
    log_last(trouble);
    return false;
  }
  const auto done = file.commit();
  if (!done) log_last(done.error().text);
  return done.has_value();
}

} // namespace

std::variant<opened_store, int> open_store(const config::config& c) {
  auto opened = store::store::open({c.store.path.string(), c.store.full, c.instance, {}});
  if (const auto* bad = std::get_if<store::open_error>(&opened)) {
    log_last(bad->text);
    return status_of(bad->kind);
  }
  opened_store out;
  out.file = std::move(std::get<std::unique_ptr<store::store>>(opened));
  for (std::size_t i = 0; i < reader_count; ++i) {
    auto r = store::reader::open(c.store.path.string());
    if (!r) {
      log_last(r.error().text);
      return exit_store;
    }
    out.readers.push_back(std::move(*r));
  }
  if (!starts_agree(c, *out.readers.front())) return exit_config;
  if (!register_handlers(*out.file, c)) return exit_store;
  return out;
}

} // namespace tidemark::app
