// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "tide/lists.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// From which block a subscription counts (contract §2, last paragraphs). Resolved when it, or a
// change of it that lets more through, is first loaded; from then on the store knows.

namespace tidemark::tide {

struct subscription;

/// What a subscription lets through on one chain, as far as two can be compared: each axis (the
/// contracts, an argument …) has the values that it allows; an axis that is not there allows all.
/// Whatever can not be compared by parts stands as one value, so that any change of it counts as
/// more.
struct form {
  std::map<std::string, std::set<std::string>> axes;
  friend bool operator==(const form&, const form&) = default;
};
/// The subscription must be on that chain.
form form_of(const subscription& s, std::uint64_t chain_id);
/// A list stands in it by its name.
bool uses_list(const form& f, const std::string& list);
/// False is certain: all that `now` lets through, `before` did.
bool lets_more(const form& before, const form& now);
/// As the store keeps it.
std::string to_text(const form& f);
evm::result<form> parse_form(std::string_view text);

/// Blocks, both ends included.
struct block_span {
  std::uint64_t from = 0, to = 0;
  friend bool operator==(const block_span&, const block_span&) = default;
};

/// A subscription on one chain, as the store knows it.
struct counted {
  form is;
  std::optional<std::uint64_t> given; ///< its start_block in the config
  std::optional<std::uint64_t> from;  ///< absent: from the chain's start, which is not resolved yet
  /// Where what it let through before it was widened counts from; absent: it was not, or
  /// start_block says from where all of it counts.
  std::optional<std::uint64_t> earlier = {};
  friend bool operator==(const counted&, const counted&) = default;
};
/// How far its chain is.
struct chain_place {
  std::optional<std::uint64_t> start; ///< absent: nothing is resolved yet
  std::optional<std::uint64_t> mark;
  /// The first block that is still to be read; only where there is a start.
  std::uint64_t next() const { return mark ? *mark + 1 : start.value_or(0); }
};
struct counting_change {
  counted now;
  bool widened = false; ///< blocks that were read without it have to be looked at again
  std::optional<block_span> backfill; ///< below the mark, to be scanned
};
/// A subscription as the config has it now. `unfinished`: the lowest block that a backfill of it
/// has still to read.
counting_change count_from(const std::optional<counted>& before, const form& wanted,
                           std::optional<std::uint64_t> given, const chain_place& chain,
                           std::optional<std::uint64_t> unfinished);
/// After a fork: what it brings above `ancestor` was not there when the subscription was widened,
/// and the old part of it counts there.
counted count_after_fork(counted before, std::uint64_t ancestor);
/// Once the chain's start is resolved: what lies below it and is counted all the same.
counting_change count_at_start(const counted& before, std::uint64_t start);

/// A range below the mark that a subscription is still looked for in.
struct backfill {
  std::string subscription;
  std::uint64_t from = 0, to = 0, at = 0; ///< at: the next block to read
  friend bool operator==(const backfill&, const backfill&) = default;
};
/// After the blocks [from, to] were read for that subscription.
void advance(std::vector<backfill>& all, const std::string& subscription, std::uint64_t from,
             std::uint64_t to);

/// What a chain's Tide and its interest need of all this.
struct counting {
  /// Rises with whatever lets more through: a conclusion drawn with a lower one was drawn without
  /// it.
  std::uint64_t forms = 0;
  std::map<std::string, std::uint64_t> from; ///< by subscription; absent: the chain's start
  std::vector<backfill> backfills;           ///< in the order in which they are read
  address_lists lists;                       ///< all that the store has
  std::map<std::string, std::uint64_t> base; ///< by subscription: list_gate's
  std::shared_ptr<const std::vector<list_start>> list_starts; ///< of this chain; null: none
};

} // namespace tidemark::tide
