// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"
#include "tide/inquirer_talk.hpp"
#include "tide/pool.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::tide {

/// A chain's endpoints at work, as a value: takes what a Tide asks, gives HTTP requests, takes what
/// came of them, gives answers. Whom it asks, with how much at once, when again, and what an error
/// means is decided here; whoever holds it only sends and waits.
class inquirer {
public:
  using millis = std::int64_t; ///< ms since 1970, or a span of them

  /// One HTTP POST of `body` to an endpoint; `n` comes back with what came of it.
  struct post {
    std::uint64_t n = 0;
    std::size_t endpoint = 0;
    std::string body;
  };
  /// A line for the log: no secret, no URL.
  struct warned {
    std::string text;
  };
  /// An endpoint was looked at: status() may say something else now.
  struct looked {
    std::size_t endpoint = 0;
  };
  using effect = std::variant<post, answer, warned, looked>;
  using effects = std::vector<effect>;

  using arrival = http_arrival;

  /// `seed`: of the jitter.
  inquirer(std::uint64_t chain_id, std::vector<endpoint_settings> endpoints,
           std::uint64_t max_range, std::uint64_t seed);

  /// Before the first ask: every endpoint but the preferred one, which that ask is for, is looked
  /// at once, and any of them again a minute after it was last heard of while it is down. Without
  /// it none is asked but for an answer.
  effects begin(millis now);
  effects ask(tide::ask a, millis now); ///< a new ask ends one that still waits
  effects came(std::uint64_t n, const arrival& a, millis now); ///< of an older ask: dropped
  effects tick(millis now);                                    ///< at the latest at next_tick()
  /// An endpoint said what cannot be.
  effects lied(std::size_t endpoint, const std::string& evidence, millis now);

  std::optional<millis> next_tick() const; ///< absent: an answer is waited for, or nothing is
  std::vector<endpoint_status> status() const { return pool_.status(); }

private:
  /// The ask that is open.
  struct job {
    tide::ask ask;
    pool::wanted about;
    std::vector<bool> tried;
    int rounds = 0;
    std::string trouble;           ///< of every endpoint that failed, for a person
    std::optional<millis> turn_at; ///< nobody may be asked before
    std::vector<talk> talks;       ///< one; of votes one an endpoint
    std::optional<answer> lagging; ///< a head that another endpoint may know better
    votes_answer votes;
  };

  void choose(millis now);
  void ask_everybody(millis now);
  bool wait_for_a_turn(millis now);
  void settle(talk& t, millis now);
  void talk_failed(talk& t, millis now);
  void note_failure(const talk& t, std::optional<std::uint64_t> lowest, millis now);
  void done(talk& t, millis now);
  void go_on(millis now);
  void give_up();
  void answer_with(answer_what what, std::size_t endpoint);
  bool for_votes() const;
  // inquirer_looks.cpp
  void look_around(millis now);
  void plan_look(std::size_t endpoint, millis now);
  bool look_came(std::uint64_t n, const arrival& a, millis now);
  std::optional<millis> next_look() const;
  answer made(answer_what what, std::size_t endpoint) const;

  std::uint64_t chain_id_;
  pool pool_;
  std::minstd_rand random_;
  std::uint64_t last_n_ = 0;
  std::optional<job> job_;
  std::vector<talk> looks_;
  std::vector<millis> look_at_;           ///< of each endpoint; empty before begin()
  std::vector<std::string> last_refusal_; ///< of each endpoint: it is said once
  effects out_;
};

} // namespace tidemark::tide
