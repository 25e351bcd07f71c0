// SPDX-License-Identifier: MIT
#pragma once

#include "tide/delivery_codes.hpp"
#include "tide/fact.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Messages about messages (contract §4.4): what stands where something was left out, a new epoch, a
// ping. Pure: the same notice gives the same bytes for ever.

namespace tidemark::tide {

struct notice {
  enum class kind : std::uint8_t { gap = 0, epoch = 1, ping = 2 }; ///< kept in the store
  kind is = kind::gap;
  std::string id;
  std::int64_t at = 0; ///< when it was made, ms since 1970
  std::string data;    ///< a JSON object
};

/// What a gap says.
struct gap {
  gap_reason reason = gap_reason::skipped;
  std::vector<std::string> ids; ///< of the messages that are left out; as many as are known
  std::uint64_t count = 0;      ///< of them, known or not
  std::string by;               ///< who ordered it, or tidemark
  std::optional<std::string> chain;
  std::optional<std::uint64_t> from_block, to_block;
};
/// `lane` and `seq` are the store's numbers of its place: with the time they make its id unique.
notice gap_notice(const gap& g, std::int64_t lane, std::uint64_t seq, std::int64_t at);

struct epoch_mark {
  std::string chain;
  std::optional<evm::block_id> mark;
};
/// `reason`: restore or order_by.
notice epoch_notice(std::uint32_t epoch, std::uint32_t previous, std::string_view reason,
                    const std::vector<epoch_mark>& marks, std::int64_t at);

/// `n` tells pings of one millisecond apart.
notice ping_notice(std::uint64_t n, std::int64_t at);

/// As the store keeps it.
std::string to_row(const notice& n);
std::optional<notice> notice_of_row(std::string_view text);

/// The whole body; only a gap has a key and a sequence.
std::string compose_notice(const notice& n, const envelope& e);

} // namespace tidemark::tide
