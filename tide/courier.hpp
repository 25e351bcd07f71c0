// SPDX-License-Identifier: MIT
#pragma once

#include "tide/codes.hpp"
#include "tide/delivery_codes.hpp"
#include "tide/status.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <unordered_map>

// What one handler's answers mean, and when it is sent what (contract §4.3). Pure: times come in,
// in ms since 1970, and chance comes from a seed.

namespace tidemark::tide {

struct courier_settings {
  std::uint32_t concurrency = 8;                           ///< keys in flight, at least 1
  std::size_t max_bytes = std::size_t{16} * 1024 * 1024;   ///< of bodies in flight
  std::int64_t retry_initial = 1'000, retry_max = 900'000; ///< ms
  std::uint32_t attempts = 0;                              ///< that count, of a message; 0: no end
  std::int64_t max_age = 0;                                ///< ms of a message's budget; 0: no end
  tide::on_exhausted on_exhausted = on_exhausted::block;   ///< once attempts or max_age are reached
  double rate = 0;                                         ///< messages a second; 0: no limit
};

/// How an exchange ended, as the client saw it.
struct exchange_end {
  enum class kind : std::uint8_t {
    answered,
    no_answer,  ///< sent, perhaps, and no whole answer came: a cut, a time-out, no HTTP
    unreachable ///< DNS, TLS, a refused connection or a refused address: nobody saw the message
  };
  kind is = kind::no_answer;
  std::uint16_t status = 0; ///< of an answer
  std::string retry_after;  ///< the header's value; empty: none
  std::string text;         ///< the answer's first 4 KiB, or for a person why there is none
  std::uint32_t ms = 0;     ///< how long it took
  std::string body = {};    ///< of an answer, as far as it was read
  bool cut_short = false;   ///< it is longer than that
};

/// A message, or a batch of one key's, in flight: one a lane.
struct sent_message {
  std::int64_t id = 0; ///< of the attempt
  std::int64_t lane = 0;
  std::uint64_t seq = 0;     ///< of the first
  std::uint32_t attempt = 1; ///< of those that count
  std::size_t bytes = 0;
  std::int64_t age = 0;    ///< ms of the budget that are used up
  std::uint32_t count = 1; ///< messages in it
  bool batch = false;      ///< in the form of a batch, if only of one
  bool notice = false; ///< messages about messages alone: taken by who refuses it, and never parked
  std::uint64_t sequence = 0; ///< that the first one says, for `acked_through`
  bool replay = false;        ///< tried until it is taken: a replay sends all, and nothing parks it
};

/// What an end means for its message; the store is told.
struct judgement {
  tide::outcome outcome = outcome::failed;
  bool done = false; ///< the key goes on, behind `taken` messages
  std::uint32_t taken = 0;
  bool split = false; ///< what the batch held goes message by message now; nothing counted
  std::optional<on_exhausted> parks = {}; ///< park_key or park_event
  std::int64_t aged = 0;                  ///< ms more of the budget
  std::optional<std::int64_t> retry_at;   ///< absent: as soon as the handler takes any
};

/// One handler. Its caller keeps to this round: wants() → taking() → the store's take → took() →
/// ended() for each message, whose judgement goes to the store with the next take.
class courier {
public:
  courier(courier_settings s, std::uint64_t seed, std::int64_t now);

  /// The store rang: something is due.
  void bell(std::int64_t now);

  /// What to take from the store now; no messages: nothing.
  struct order {
    std::size_t messages = 0, bytes = 0;
    /// A probe, whatever its key waits for itself: of the first lane that is due some time behind
    /// this one, or else of the first of all.
    std::optional<std::int64_t> probe_behind = {};
  };
  order wants(std::int64_t now) const;
  /// An order of at least one message is on its way to the store. One at a time.
  void taking();
  /// The store's answer to it: what is in flight from now on, and when the next one is due.
  void took(std::span<const sent_message> messages, std::optional<std::int64_t> next_due,
            std::int64_t now);
  /// Nothing is wanted before: as the store knows it of whoever sent for this handler before.
  void waits_until(std::int64_t at);
  /// The store did not answer it; asks again at `retry_at`.
  void took_nothing(std::int64_t retry_at);

  /// An exchange is over; one that is not in flight changes nothing.
  judgement ended(std::int64_t id, const exchange_end& how, std::int64_t now);

  /// The handler said that it is gone: its pause is to be stored, and nothing is wanted until
  /// pause_stored().
  bool must_pause() const { return pause_ == pausing::wanted; }
  void pause_stored();

  /// Somebody says that it may be tried now, whatever it asked for and however it failed.
  void resumed(std::int64_t now);

  /// From now on nothing is wanted any more.
  void drain() { draining_ = true; }

  /// When wants() is to be asked again if nothing happens until then; absent: not before something
  /// does.
  std::optional<std::int64_t> next_wake() const;

  std::size_t in_flight() const { return in_flight_.size(); }
  /// Without the name.
  handler_status status(std::int64_t now) const;

private:
  enum class pausing : std::uint8_t { no, wanted, stored };

  judgement succeeded(const sent_message& m, bool probe, std::int64_t now);
  judgement told_to_wait(const exchange_end& how, bool probe, std::int64_t now);
  judgement failed(const sent_message& m, const exchange_end& how, bool probe, std::int64_t now);
  judgement handler_bad(const sent_message& m, const exchange_end& how, bool probe,
                        std::int64_t now);
  judgement gone(std::int64_t now);

  void open_breaker(std::string reason, std::int64_t now);
  void probe_failed(std::string reason, std::int64_t now);
  void due_at(std::int64_t at);
  bool has_room() const;
  std::int64_t back_off(std::uint32_t attempt);
  judgement counted(const sent_message& m, const exchange_end& how, std::int64_t now);
  double tokens(std::int64_t now) const;

  const courier_settings settings_;
  std::mt19937_64 random_;
  bool draining_ = false;

  std::unordered_map<std::int64_t, sent_message> in_flight_; ///< by id
  std::size_t bytes_ = 0;
  std::size_t window_;              ///< how many may be in flight: grows after the breaker closed
  std::optional<std::int64_t> due_; ///< when the store has something, as far as we know

  double tokens_ = 1; ///< of `rate`, at tokens_at_
  std::int64_t tokens_at_ = 0;

  pausing pause_ = pausing::no;
  std::int64_t wait_until_ = 0; ///< the whole handler asked for it
  std::int64_t later_wait_ = 0; ///< the last wait of a 429 that named none; doubles

  bool broken_ = false; ///< the breaker is open
  std::int64_t probe_at_ = 0, probe_wait_ = 0;
  std::optional<std::int64_t> probe_; ///< the id of the one in flight
  std::int64_t probed_ = 0;           ///< the lane of the last one
  bool ordered_broken_ = false;       ///< the breaker was open when the last order was given
  /// Failures in a row that count, and whether they were of one lane alone.
  std::uint32_t row_ = 0;
  std::int64_t row_lane_ = 0;
  bool row_of_several_ = false;
  /// Lane → seq of the messages that the handler refused as broken ones. Were others taken since,
  /// it is they who are.
  std::unordered_map<std::int64_t, std::uint64_t> refused_;

  std::string why_broken_;
  std::int64_t since_ = 0; ///< 0: it never changed
};

} // namespace tidemark::tide
