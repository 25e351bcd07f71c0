// SPDX-License-Identifier: MIT
#pragma once

#include "config/sections.hpp"

#include <optional>
#include <span>
#include <vector>

// The parts of a subscription that speak of an event and its arguments.

namespace tidemark::config {

/// `event`, `abi` with `event`, or `preset`. False: there is none, or it is wrong, and that is
/// noted.
bool read_event(section& s, tide::subscription& out);

/// `where` over the event's arguments.
void read_where(const value& v, const builder& b, tide::subscription& out);

/// Of a `where` whose event is wrong: what can be judged without it.
void read_lists_of_where(const value& v, const builder& b);

/// Absent: the event is wrong.
using argument_names = std::optional<std::span<const evm::abi_parameter>>;

/// `escalate` over these names; without them all but `when` is judged.
std::vector<tide::escalation> read_escalate(const value& v, const argument_names& names,
                                            const builder& b);

} // namespace tidemark::config
