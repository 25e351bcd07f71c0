// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"

#include <string_view>

namespace tidemark::tide {

/// The event that `wanted` names in a JSON ABI: an array as compilers write it (or of
/// human-readable signatures), or a build artifact with such an array as `abi`. `wanted` is a name,
/// where the file has one event of that name; else a full signature:
/// Transfer(address,address,uint256), with `indexed` where two differ in nothing else. Other
/// entries of the file are not looked at.
evm::result<evm::abi_event> event_of_abi(std::string_view json, std::string_view wanted);

} // namespace tidemark::tide
