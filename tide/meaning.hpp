// SPDX-License-Identifier: MIT
#pragma once

#include "tide/courier.hpp"

#include <string>

// What an answer means (the table of contract §4.3). Pure.

namespace tidemark::tide {

enum class meaning : std::uint8_t {
  ok,
  later,      ///< the whole handler waits
  failed,     ///< counts against the message
  gone,       ///< the handler is to be paused
  handler_bad ///< counts against the handler alone
};

/// `notice`: it was a message about messages, which who does not know them may refuse.
meaning meaning_of(const exchange_end& how, bool notice, std::int64_t now);

/// For a person, of one that is not ok.
std::string reason_of(const exchange_end& how);

/// How many of a batch's `count` messages, the first of which says `first`, are taken by a 2xx with
/// `{"acked_through":"<sequence>"}`: all where it says nothing of the kind, none where what it says
/// cannot be understood.
std::uint32_t acked(const exchange_end& how, std::uint64_t first, std::uint32_t count);

} // namespace tidemark::tide
