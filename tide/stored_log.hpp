// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "evm/result.hpp"
#include "tide/subscription.hpp"
#include "tide/write_set.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tidemark::tide {

/// A log as it was when its event was made, from the event's own JSON (sighting.data of kind log).
struct stored_log {
  evm::log log;
  std::uint64_t block_time = 0; ///< seconds since 1970
};
evm::result<stored_log> log_of_data(std::string_view data);
/// The same where only its place and its contract matter: of one whose contents were pruned too,
/// without topics and data.
evm::result<stored_log> place_of_data(std::string_view data);

/// The route of a stored event of kind transaction, from its JSON and the subscriptions that have
/// it; nothing if it is none of that kind, or the recipient gets none of those.
std::optional<route> route_of_transaction(const recipient& to, std::string_view data,
                                          const std::vector<std::string>& having);

/// The data of an inclusion that was read once more under another config: `held`, which names the
/// event and its arguments, with the subscriptions and policies that `read` knows beside its own.
/// Nothing where `read` adds none, or one of them is not such data.
std::optional<std::string> amended(std::string_view held, std::string_view read);

} // namespace tidemark::tide
