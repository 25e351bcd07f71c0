// SPDX-License-Identifier: MIT
#pragma once

#include "store/types.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::store {

class store;
struct reader_parts;

/// A read-only connection: one short transaction a call, ended after 250 ms (a failure that is not
/// fatal). Not thread-safe: one thread owns it; there may be several beside the writer.
class reader {
public:
  /// The store must have been opened on the path before (schema and WAL are its work).
  static result<std::unique_ptr<reader>> open(const std::string& path);
  /// Tests only: on the writer's own connection, which must outlive it and be in no group; without
  /// the limit of time, which a loaded machine would meet.
  explicit reader(store& writer);
  ~reader();

  // Status
  result<std::vector<chain_row>> chains();
  result<std::optional<chain_row>> chain(std::uint64_t chain_id);
  /// Heights from … to, highest first; at a height the canonical one first. What left the chain is
  /// there until it is pruned behind the mark.
  result<std::vector<block_row>> blocks(std::uint64_t chain_id, std::uint64_t from,
                                        std::uint64_t to);
  result<std::vector<source_row>> sources();
  result<std::vector<handler_row>> handlers();
  result<sizes> size();

  result<std::optional<job_row>> job(std::int64_t id);

  // Events
  result<page<event_item>> events(const event_filter& filter, const page_request& page);
  result<std::optional<event_life>> event(const tide::event_key& key);
  /// Facts above `after`, oldest first; `undoes` is the event's last fact before.
  result<std::vector<tide::fact>> feed(std::uint64_t after, std::size_t max_rows);
  /// The highest seq; 0: nothing yet.
  result<std::uint64_t> feed_end();
  result<page<reorg_row>> reorgs(const page_request& page);

  // Lists
  /// Newest first.
  result<page<list_row>> list(const std::string& name, const page_request& page);
  result<std::uint64_t> list_size(const std::string& name);

  // Webhooks
  result<page<webhook_row>> webhooks(const std::optional<std::string>& source,
                                     const std::optional<tide::hint_state>& state,
                                     const page_request& page);
  /// Those that are in `state` and those of which a part is: one body can name several chains.
  result<page<webhook_row>> webhooks_with(const std::optional<std::string>& source,
                                          tide::hint_state state, const page_request& page);
  result<std::optional<webhook_detail>> webhook(std::int64_t id);
  result<std::optional<std::string>> raw(std::int64_t id);

  // Delivery
  /// `state`: blocked, parked or held; absent: every key with something to send or held.
  result<page<key_row>> keys(const std::string& handler,
                             const std::optional<tide::message_state>& state,
                             const page_request& page);
  result<page<dead_row>> dead(const page_request& page);
  result<page<gap_row>> gaps(const page_request& page);
  result<page<audit_row>> audit(const page_request& page);

private:
  std::unique_ptr<reader_parts> parts_;
  explicit reader(std::unique_ptr<reader_parts> p);
};

} // namespace tidemark::store
