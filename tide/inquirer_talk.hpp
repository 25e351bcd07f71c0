// SPDX-License-Identifier: MIT
#pragma once

#include "tide/pool.hpp"
#include "tide/reading.hpp"
#include "tide/rpc_wire.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tide {

/// What came of a post: an HTTP answer, or none and why.
struct http_arrival {
  enum class how : std::uint8_t { answered, too_large, cut, timed_out, unreachable };
  how came = how::answered;
  int status = 200;
  std::string body;
  std::optional<std::int64_t> retry_after; ///< a span of ms
  bool fresh = false; ///< over a new connection: who answers is asked for its chain first
  std::string text;   ///< when nothing came: why, for a person
};

/// One ask on one endpoint, from its first post to its last: how its calls are put into posts, and
/// what is sent again, smaller or later. What it learns of the endpoint's limits it tells the pool;
/// that the endpoint failed is for whoever holds it to tell. Times are ms.
class talk {
public:
  enum class state : std::uint8_t { going, done, failed, wrong_chain };
  struct sent {
    std::uint64_t n = 0;
    std::string body;
  };

  /// `patient`: nobody else can answer, so a post that fails on the way is sent once more.
  talk(const ask_what& what, std::size_t endpoint, std::uint64_t chain_id, bool patient,
       const pool& p, std::int64_t now);

  /// The posts that may go now, numbered on from `last_n`.
  std::vector<sent> go(pool& p, std::uint64_t& last_n, std::int64_t now);
  /// False: that post is none of its own.
  bool came(std::uint64_t n, const http_arrival& a, pool& p, std::int64_t now);
  /// When go() has something to send that waits for its time.
  std::optional<std::int64_t> waits_until() const;

  state is() const { return state_; }
  std::size_t endpoint() const { return endpoint_; }
  reading& read() { return *reading_; }
  double latency() const { return answers_ == 0 ? 0 : latencies_ / static_cast<double>(answers_); }
  // after failed or wrong_chain
  rpc_failure failure() const { return failure_; }
  const std::string& text() const { return text_; }
  std::optional<std::int64_t> retry_after() const { return retry_after_; }

private:
  struct flight {
    std::uint64_t n = 0;
    std::vector<std::size_t> calls; ///< none: it asks for the chain id
    std::int64_t sent_at = 0;
  };
  using calls = std::vector<std::size_t>;

  void begin(const pool& p, std::int64_t now);
  void plan_stage();
  calls next_part(const pool& p);
  sent post(calls part, std::uint64_t& last_n, std::int64_t now);
  void again(const calls& some, bool alone);
  void nothing_came(const flight& f, const http_arrival& a, pool& p, std::int64_t now);
  void checked_chain(const http_arrival& a, pool& p);
  void heard(const flight& f, const http_arrival& a, pool& p, std::int64_t now);
  void one_error_for_all(const flight& f, const http_arrival& a, const rpc_reply& r, pool& p,
                         std::int64_t now);
  bool once_more(const calls& some, std::int64_t now);
  void limited(const flight& f, const calls& refused, const rpc_error& e, const http_arrival& a,
               pool& p, std::int64_t now);
  bool take(std::size_t call, call_result r, pool& p, std::int64_t now);
  void after_part(pool& p, std::int64_t now);
  void fail(rpc_failure f, std::string text, std::optional<std::int64_t> retry_after = {});

  ask_what what_;
  std::size_t endpoint_;
  std::uint64_t chain_id_;
  bool patient_;
  std::optional<reading> reading_;
  state state_ = state::going;

  std::deque<std::size_t> waiting_; ///< calls of the stage that are to be sent
  std::vector<bool> alone_;         ///< of the stage: failed in company
  std::size_t untaken_ = 0;         ///< calls of the stage
  std::vector<flight> flights_;
  std::uint64_t beginnings_ = 0; ///< of the reading: what was asked before the last is void
  calls paid_;                   ///< the next post; its tokens are taken
  std::int64_t not_before_ = 0;  ///< for the next post
  std::optional<std::int64_t> limited_at_; ///< it asked for a pause
  bool progress_ = false;                  ///< since the last pause that the endpoint asked for
  bool checking_ = false;                  ///< the chain id is asked for
  std::vector<std::pair<flight, http_arrival>> held_; ///< while it is

  double latencies_ = 0;
  std::size_t answers_ = 0;
  rpc_failure failure_ = rpc_failure::transient;
  std::string text_;
  std::optional<std::int64_t> retry_after_;
};

} // namespace tidemark::tide
