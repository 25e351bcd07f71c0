// SPDX-License-Identifier: MIT
#pragma once

#include "tide/head_message.hpp"
#include "tide/status.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tidemark::tide {

/// One WebSocket endpoint, as a value: connects, asks for its chain, subscribes to new heads, and
/// begins anew when the connection breaks, breaks the rules or falls silent. A head only rings:
/// the chain is then looked at over HTTP, and nothing that came over the socket is believed. So the
/// worst that it can do is ring too often, which is limited, or not at all, which is noticed.
class head_watch {
public:
  using millis = std::int64_t; ///< ms since 1970, or a span of them
  static constexpr millis between_pings = 20'000;

  struct settings {
    std::string name; ///< the endpoint's
    std::uint64_t chain_id = 0;
    millis timeout = 10'000; ///< of a call and of a ping
  };

  // What came of a connection
  struct opened {};
  struct said {
    std::string text;
  };
  struct ponged {};
  /// It is gone, or never was.
  struct ended {
    enum class how : std::uint8_t { cut, timed_out, unreachable, too_large, declined };
    how came = how::cut;
    int status = 0;   ///< the HTTP status, where it was declined
    std::string text; ///< for a person; no URL beyond scheme and host
  };
  using arrival = std::variant<opened, said, ponged, ended>;

  // What to do
  struct open {
    std::uint64_t n = 0; ///< comes back with what came of it
  };
  struct say {
    std::string text;
  };
  struct ping {};
  struct close {};
  struct ring {}; ///< the chain may have a new head: look
  struct told {   ///< a line for the log
    bool warning = false;
    std::string text;
  };
  /// A call ended, or a head came: in the metrics' words (api/meters.hpp).
  struct counted {
    std::string_view method, result;
    std::optional<double> seconds;
  };
  using effect = std::variant<open, say, ping, close, ring, told, counted>;
  using effects = std::vector<effect>;

  /// `seed`: of the jitter.
  head_watch(settings s, std::uint64_t seed, millis now);

  effects came(std::uint64_t n, const arrival& a, millis now); ///< of an older connection: dropped
  effects tick(millis now);                                    ///< at the latest at next_tick()
  /// The highest head that the chain's other endpoints show.
  effects chain_at(std::uint64_t head, millis now);

  std::optional<millis> next_tick() const; ///< absent: something is waited for
  bool follows() const { return step_ == step::following; }
  endpoint_status status() const;
  const std::string& trouble() const { return trouble_; } ///< of the last failure; empty: it works

private:
  enum class step : std::uint8_t { resting, opening, asking_chain, subscribing, following };

  void act(const opened&, millis now);
  void act(const said& s, millis now);
  void act(const ponged&, millis now);
  void act(const ended& e, millis now);
  void begin(millis now);
  void ask(step s, millis now);
  void chain_said(const head_message& m, millis now);
  void subscribed(const head_message& m, millis now);
  void head_came(const head_message& m, millis now);
  void refused_call(const rpc_error& e, millis now);
  void follow_tick(millis now);
  void ring_soon(millis now);
  void ring_if_due(millis now);
  void count(std::string_view result, millis now);
  void fail(endpoint_state state, std::string text, millis now, millis at_least = 0);
  void measured(millis took);
  bool floods(millis now);
  bool is_silent(millis now) const;
  millis gaps(millis times, millis unknown) const;

  settings settings_;
  std::minstd_rand random_;
  endpoint_status says_;
  std::string trouble_;
  std::uint32_t failures_ = 0; ///< in a row
  std::uint64_t n_ = 0;        ///< the connection

  step step_ = step::resting;
  millis since_ = 0;        ///< the step
  millis rest_until_ = 0;   ///< resting
  millis second_at_ = 0;    ///< messages are counted from here
  std::uint32_t heard_ = 0; ///< in that second

  // following
  std::string subscription_, last_hash_;
  std::uint64_t last_ = 0; ///< the head told last; before the first: what the others had
  bool any_head_ = false;
  millis head_at_ = 0;  ///< when it came
  millis gap_ = 0;      ///< between heads, on average; 0: not known
  millis alive_at_ = 0; ///< the last message of any kind
  millis ping_at_ = 0;  ///< the next
  std::optional<millis> pinged_at_;
  millis look_at_ = 0; ///< nothing was heard for so long that the others are asked
  std::uint32_t looks_ = 0;

  // the others
  std::uint64_t chain_head_ = 0;
  std::optional<millis> ahead_since_; ///< of the last head told here

  // ringing
  millis rang_at_ = 0;
  std::optional<millis> ring_at_, again_at_;
  std::uint32_t agains_ = 0;

  effects out_;
};

} // namespace tidemark::tide
