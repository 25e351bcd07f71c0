// SPDX-License-Identifier: MIT
#pragma once

#include "config/sections.hpp"

#include <span>
#include <vector>

// The parts of a subscription that speak of an event and its arguments.

namespace tidemark::config {

/// `event`, `abi` with `event`, or `preset`. False: there is none, or it is wrong, and that is
/// noted.
bool read_event(section& s, tide::subscription& out);

/// `where` over the event's arguments.
void read_where(const value& v, const builder& b, tide::subscription& out);

/// `escalate` over these names.
std::vector<tide::escalation>
read_escalate(const value& v, std::span<const evm::abi_parameter> names, const builder& b);

} // namespace tidemark::config
