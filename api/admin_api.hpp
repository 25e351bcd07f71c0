// SPDX-License-Identifier: MIT
#pragma once

#include "api/live.hpp"
#include "config/config.hpp"
#include "net/http_server.hpp"
#include "net/reply_slot.hpp"
#include "net/response.hpp"
#include "store/reader.hpp"
#include "store/redecode_types.hpp"
#include "store/upkeep.hpp"
#include "tide/courier.hpp"
#include "tide/status.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// The admin API (contract §5): what it answers, without a socket and without an actor.

namespace tidemark::api {

/// How reading the config again ended.
struct reload_report {
  bool done = false;
  bool given_up = false;                 ///< the daemon began to stop amid it
  std::vector<config::problem> problems; ///< why not; the config in force stays whole
  std::vector<config::problem> warnings;
  std::vector<std::string> changed; ///< what started, ended or began anew, for a person
};

/// What an operator may order. Each is called on the thread that answers, must return at once, and
/// has the slot answered later: with what its last argument makes of the outcome, or with a
/// problem(). The audit row, by `who`, is the order's own.
struct orders {
  /// An audit row of a request that never became an order, or whose order failed.
  std::function<void(const std::string& who, const std::string& what, const std::string& detail)>
      note;
  std::function<void(const std::string& chain, bool accept_reorg, const std::string& who,
                     net::reply_slot, std::function<net::response(const tide::resume_report&)>)>
      resume;
  /// The order names the chain's blocks, who and why.
  std::function<void(const std::string& chain, tide::skip_order, net::reply_slot,
                     std::function<net::response(const tide::skip_answered&)>)>
      skip;
  std::function<void(const std::string& handler, bool paused, const std::string& reason,
                     const std::string& who, net::reply_slot, std::function<net::response()>)>
      pause;
  std::function<void(std::vector<std::int64_t> webhooks, const std::string& who, net::reply_slot,
                     std::function<net::response(std::uint64_t count)>)>
      reprocess;
  std::function<void(store::list_order, net::reply_slot,
                     std::function<net::response(const store::list_result&)>)>
      change_list;
  /// Reads the config again: all of it takes effect, or none.
  std::function<void(const std::string& who, net::reply_slot,
                     std::function<net::response(const reload_report&)>)>
      reload;
  /// Parked messages; `make` hears what became of them.
  std::function<void(store::dead_order, net::reply_slot,
                     std::function<net::response(const store::dead_done&)>)>
      dead;
  std::function<void(store::replay_order, net::reply_slot,
                     std::function<net::response(const store::replay_started&)>)>
      replay;
  /// A signed ping, whatever the handler's state.
  std::function<void(
      const std::string& handler, const std::string& who, net::reply_slot,
      std::function<net::response(const std::string& id, const tide::exchange_end&)>)>
      test;
  /// Ends a job; `make` hears whether there was one that ran.
  std::function<void(std::int64_t job, const std::string& who, net::reply_slot,
                     std::function<net::response(bool)>)>
      cancel;
  /// Reads a range of the chain again, as a job; `make` gets its id. The order's job is given here.
  std::function<void(const std::string& chain, tide::reconcile_order, const std::string& who,
                     net::reply_slot, std::function<net::response(std::int64_t job)>)>
      reconcile;
  /// Reads stored events again, as a job; `make` gets its id.
  std::function<void(store::redecode_order, net::reply_slot,
                     std::function<net::response(std::int64_t job)>)>
      redecode;
  // Upkeep of the store's file; one at a time, however long it takes.
  template <class T> using upkept = std::function<net::response(const store::result<T>&)>;
  std::function<void(net::reply_slot, upkept<std::vector<std::string>>)> check;
  std::function<void(net::reply_slot, upkept<store::file_stats>)> stats;
  std::function<void(const std::string& to, const std::string& who, net::reply_slot,
                     upkept<std::uint64_t>)>
      back_up;
  std::function<void(const std::string& who, net::reply_slot, upkept<store::pruning>)> prune;
};

/// The feed has nothing yet: ask again, with this, at the feed's next bell and at `until`.
struct wait_for_feed {
  std::int64_t until = 0; ///< ms since 1970
};
/// The answer is a stream of server-sent events: every fact above `after`, each as feed_event()
/// writes it.
struct follow_feed {
  std::uint64_t after = 0;
};
/// An order has the slot now and answers it.
struct ordered {};

using answer = std::variant<net::response, wait_for_feed, follow_feed, ordered>;

/// One fact as a server-sent event, its seq as the id.
std::string feed_event(const tide::fact& f, const std::string& instance);
/// The head of such an answer, without its stream.
net::response feed_stream_head();

/// Const and without state of its own: any thread, several at once.
class admin_api {
public:
  /// How long a follower of the feed may wait. The server's limit for an answer must be longer.
  static constexpr std::chrono::milliseconds longest_wait{25'000};

  /// All three must outlive this.
  admin_api(const config::config& config, live& board, const orders& orders)
      : config_(config), board_(board), orders_(orders) {}

  /// By the head alone: every refusal (Host, Origin, path, method, token, media type), and what
  /// needs neither store nor order, so that a probe of /livez never queues behind a read. Never
  /// blocks.
  std::optional<net::response> at_head(const net::request& request) const;

  /// Everything, at_head's part included. `now`: ms since 1970. `waited`: what the same request's
  /// wait_for_feed said, when it is asked again.
  api::answer answer(const net::request& request, store::reader& reader, std::int64_t now,
                     const net::reply_slot& slot,
                     std::optional<wait_for_feed> waited = std::nullopt) const;

private:
  const config::config& config_;
  live& board_;
  const orders& orders_;
};

} // namespace tidemark::api
