// SPDX-License-Identifier: MIT
#include "providers/chain_things.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

provider raw() { return {.name = "raw", .read = read_chain_things}; }

} // namespace tidemark::providers
