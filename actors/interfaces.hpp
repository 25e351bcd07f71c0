// SPDX-License-Identifier: MIT
#pragma once

#include "actors/store_messages.hpp"
#include "net/http_client.hpp"
#include "net/reply_slot.hpp"
#include "store/reader.hpp"
#include "store/store.hpp"
#include "store/types.hpp"
#include "tide/ask.hpp"
#include "tide/courier.hpp"
#include "tide/head_watch.hpp"
#include "tide/inquirer.hpp"
#include "tide/status.hpp"
#include "tide/write_set.hpp"

#include <caf/fwd.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

// The map: every actor's typed interface, and every message (those to the store are next door).
// Nothing here leaves the process, so messages need no wire format; whatever is large travels as a
// pointer to const.
//
// The store is the queue, messages are bells: a bell says "look", and a lost one is made good by
// the next, by a due time, or by a restart.  So no mailbox holds work.

namespace tidemark::actors {

// -- bells and triggers

struct look {};    ///< something is there for you
struct recount {}; ///< what is an event here, or from where it counts, has changed in the store
struct tick {
  std::uint64_t generation = 0;
};                 ///< a timer; an older generation's is void
struct resumed {}; ///< an operator lets it send: no earlier answer makes it wait
struct drain {};   ///< finish what is in flight, take no more, then quit
struct restart {
  std::size_t unit = 0;
  std::uint64_t life = 0;
}; ///< the supervisor to itself
struct stop_in {
  std::int64_t ms = 0;
}; ///< the supervisor: end everything, in order, within that time
struct unit;
struct unit_change {
  boxed<unit> is;
  bool gone = false; ///< it ends; otherwise it ends, if it is there, and starts as `is` says
};
struct change_units {
  boxed<std::vector<unit_change>> changes;
}; ///< to the supervisor; answered once those that end have ended and the others were started
struct no_more_changes {}; ///< to the supervisor: the daemon stops, so nobody waits for one

// -- to and from a chain

struct asked {
  boxed<tide::ask> ask;
};
struct answered {
  boxed<tide::answer> answer;
};
struct caught_lying {
  std::size_t endpoint = 0;
  std::string kind, evidence; ///< as tide::caught_lying
};
struct http_answered {
  std::uint64_t n = 0;
  boxed<tide::inquirer::arrival> how;
};                    ///< n: the post
struct head_heard {}; ///< there may be a new head; nothing else is believed of who says so
struct socket_spoke {
  std::uint64_t n = 0;
  boxed<tide::head_watch::arrival> how;
}; ///< n: the connection
struct others_at {
  std::uint64_t head = 0;
}; ///< the highest head that the chain's HTTP endpoints show
struct resume_chain {
  bool accept_reorg = false;
  std::string who;
};
struct chain_resumed {
  boxed<tide::resume_report> report;
};
struct skip_blocks {
  boxed<tide::skip_order> order;
};
struct blocks_skipped {
  boxed<tide::skip_answered> how;
};
struct reconcile_range {
  boxed<tide::reconcile_order> order;
}; ///< goes on as its job, whose row says how
struct stop_range {
  std::int64_t job = 0;
};

// -- from outside CAF

/// A verified webhook of one connection; the slot answers it.
struct incoming {
  boxed<webhook> hook;
  std::size_t hints = 0;
  net::reply_slot slot;
};
/// Work for a reader's thread and connection; it answers by itself.
struct read_work {
  std::function<void(store::reader&)> work;
};
struct exchange_ended {
  std::int64_t n = 0;
  boxed<tide::exchange_end> how;
}; ///< n: the attempt

} // namespace tidemark::actors
// clang-format off
#define TIDEMARK_MESSAGES(X) \
  X(put_webhook) X(webhook_stored) X(take_raw) X(raw_webhooks) X(put_extracted) \
  X(extracted_stored) X(boot_chain) X(chain_booted) X(apply_set) X(set_answer) X(take_hints) \
  X(hints_taken) X(list_event_blocks) X(event_blocks_listed) X(turn_order) X(messages_taken) \
  X(pause_handler) X(reprocess_webhooks) X(write_audit) X(write_work) X(ping_handler) \
  X(handler_pinged) X(order_done) X(change_list) X(list_changed) X(adopt_config) X(look) \
  X(resumed) X(recount) X(tick) X(drain) X(restart) X(stop_in) X(change_units) \
  X(no_more_changes) X(read_work) X(asked) X(answered) X(caught_lying) X(http_answered) X(head_heard) X(socket_spoke) X(others_at) \
  X(resume_chain) X(chain_resumed) X(skip_blocks) X(blocks_skipped) X(reconcile_range) \
  X(stop_range) X(incoming) X(exchange_ended)
// clang-format on
#define TIDEMARK_UNSAFE(name) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tidemark::actors::name)
TIDEMARK_MESSAGES(TIDEMARK_UNSAFE)
#undef TIDEMARK_UNSAFE

namespace tidemark::actors {

/// STORE: an answer means durable. Small writes before one chain's set. Rings bells after each
/// commit.
using store_actor = caf::typed_actor<
    caf::replies_to<put_webhook>::with<webhook_stored>, // one row: the only write before an answer
                                                        // to a sender
    caf::replies_to<take_raw>::with<raw_webhooks>,      // what intake has not read yet
    caf::replies_to<put_extracted>::with<extracted_stored>,        // hints and the cursor
    caf::replies_to<boot_chain>::with<chain_booted>,               // what a Tide begins from
    caf::replies_to<apply_set>::with<set_answer>,                  // one conclusion of one chain
    caf::replies_to<take_hints>::with<hints_taken>,                // a lease
    caf::replies_to<list_event_blocks>::with<event_blocks_listed>, // for the ancestor of a very
                                                                   // deep fork
    caf::replies_to<turn_order>::with<messages_taken>,     // what ended, and what to send next
    caf::replies_to<pause_handler>::with<order_done>,      // with its audit row
    caf::replies_to<reprocess_webhooks>::with<order_done>, // with its audit row
    caf::replies_to<write_audit>::with<order_done>,
    caf::replies_to<change_list>::with<list_changed>, // with its audit row
    caf::replies_to<adopt_config>::with<order_done>,  // with its audit row
    caf::replies_to<write_work>::with<order_done>,    // in the group's transaction
    caf::reacts_to<tick>>;                            // commit the group

/// INTAKE: raw webhooks above the cursor become hints, in id order.
using intake_actor = caf::typed_actor<caf::reacts_to<look>>;

/// CHAIN: the only one that decides anything about its chain.
using chain_actor = caf::typed_actor<caf::reacts_to<look>, // due hints
                                     caf::reacts_to<head_heard>,
                                     caf::reacts_to<tick>,     // the Tide's next time
                                     caf::reacts_to<answered>, // from rpc
                                     caf::reacts_to<recount>,
                                     // an operator's orders
                                     caf::replies_to<resume_chain>::with<chain_resumed>,
                                     caf::replies_to<skip_blocks>::with<blocks_skipped>,
                                     caf::reacts_to<reconcile_range>, caf::reacts_to<stop_range>>;

/// RPC: reads one ask on one endpoint, others take over; always answers, if only with no_answer.
using rpc_actor = caf::typed_actor<caf::reacts_to<asked>, // → answered, to the one that asked
                                   caf::reacts_to<caught_lying>,  // a proof against an endpoint
                                   caf::reacts_to<http_answered>, // from the HTTP client
                                   caf::reacts_to<tick>>;

/// HEADS: one WebSocket endpoint, whose new heads wake its chain; nothing rests on what it says.
using heads_actor = caf::typed_actor<caf::reacts_to<socket_spoke>, // from the socket
                                     caf::reacts_to<others_at>, caf::reacts_to<tick>>;

/// DELIVERY: one handler's courier and its connections.
using delivery_actor =
    caf::typed_actor<caf::reacts_to<look>,           // due lanes, or an order changed its state
                     caf::reacts_to<resumed>,        // an operator's
                     caf::reacts_to<tick>,           // the courier's next time
                     caf::reacts_to<exchange_ended>, // from the HTTP client
                     caf::replies_to<ping_handler>::with<handler_pinged>, // an operator's
                     caf::reacts_to<drain>>;

/// READER: one read-only connection; detached.
using reader_actor = caf::typed_actor<caf::reacts_to<read_work>>;

/// SUPERVISOR: starts all the others, starts them again when they die, ends them in order.
using supervisor_actor = caf::typed_actor<caf::reacts_to<restart>, caf::reacts_to<stop_in>,
                                          caf::reacts_to<no_more_changes>,
                                          caf::replies_to<change_units>::with<order_done>>;

/// LISTENER: between the sockets and the store.
using listener_actor = caf::typed_actor<caf::reacts_to<incoming>>;

} // namespace tidemark::actors
