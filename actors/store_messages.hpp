// SPDX-License-Identifier: MIT
#pragma once

#include "store/store.hpp"
#include "store/types.hpp"
#include "tide/courier.hpp"
#include "tide/write_set.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::actors {

/// What is handed on by pointer, because CAF copies the parts of a shared message.
template <class T> struct boxed {
  std::shared_ptr<const T> is;
  const T& operator*() const { return *is; }
  const T* operator->() const { return is.get(); }
};
template <class T> boxed<T> box(T value) { return {std::make_shared<const T>(std::move(value))}; }

// -- to the store

/// A webhook that is signed and in size, on its way to disk.
struct webhook {
  std::string source;
  std::int64_t at = 0;
  std::string headers, body;
};
struct put_webhook {
  boxed<webhook> hook;
};
struct webhook_stored {
  std::int64_t id = 0;
  bool duplicate = false;
};

struct take_raw {
  std::size_t rows = 0, bytes = 0;
};
struct raw_webhooks {
  boxed<std::vector<store::raw_webhook>> rows;
};
struct put_extracted {
  boxed<std::vector<store::extracted>> rows;
};
struct extracted_stored {};

struct boot_chain {
  std::uint64_t chain_id = 0;
};
struct chain_booted {
  boxed<tide::boot_state> state;
};
struct apply_set {
  boxed<tide::write_set> set;
};
struct set_answer {
  boxed<tide::store_answer> answer;
};
struct take_hints {
  std::uint64_t chain_id = 0;
  std::size_t limit = 0;
};
struct hints_taken {
  boxed<store::hint_batch> batch;
};
struct list_event_blocks {
  std::uint64_t chain_id = 0;
};
struct event_blocks_listed {
  boxed<std::vector<tide::event_block>> blocks;
};

/// Finishing some messages and starting others is one write.
struct delivery_turn {
  std::string handler;
  std::vector<store::finished> finished;
  std::size_t take = 0, max_bytes = 0; ///< 0: only finish
  std::optional<std::int64_t> probe_behind = {};
  bool first = false; ///< of this actor: what is in flight is one's that is gone
};
struct turn_order {
  boxed<delivery_turn> turn;
};
struct messages_taken {
  boxed<store::message_batch> batch;
};

struct pause_handler {
  std::string handler;
  bool paused = false;
  std::string reason, who;
};
struct reprocess_webhooks {
  std::vector<std::int64_t> ids;
  std::string who;
};
struct write_audit {
  std::string who, what, detail;
};
/// An operator's order, as a write of the store's group.
struct write_work {
  std::function<store::result<void>(store::store&, std::int64_t now)> work;
};
struct order_done {
  std::uint64_t count = 0;
};
struct change_list {
  boxed<store::list_order> order;
};
struct list_changed {
  boxed<store::list_result> how;
};
struct adopt_config {
  boxed<store::config_in> config;
  std::string who;
  /// Where it counts from now on, in line with the store's writes: on the store's thread.
  std::function<void()> in_force = {};
};

/// A ping, beside the queue; the answer says what the handler made of it.
struct ping_handler {};
struct handler_pinged {
  std::string id;
  boxed<tide::exchange_end> how;
};

} // namespace tidemark::actors
