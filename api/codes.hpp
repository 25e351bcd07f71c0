// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "tide/codes.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

// The words that a query may give for a code.

namespace tidemark::api {

inline constexpr std::array statuses{tide::status::pending, tide::status::confirmed,
                                     tide::status::rolled_back};
inline constexpr std::array hint_states{tide::hint_state::received,   tide::hint_state::verified,
                                        tide::hint_state::not_found,  tide::hint_state::irrelevant,
                                        tide::hint_state::unroutable, tide::hint_state::unparsed};
inline constexpr std::array message_states{
    tide::message_state::held,      tide::message_state::queued,  tide::message_state::sending,
    tide::message_state::delivered, tide::message_state::blocked, tide::message_state::parked,
    tide::message_state::skipped};
inline constexpr std::array key_states{tide::message_state::blocked, tide::message_state::parked,
                                       tide::message_state::held};

/// The code of `given`; absent where nothing is given; an error that lists the words.
template <class Codes> evm::result<std::optional<typename Codes::value_type>>
code_of(const std::optional<std::string>& given, std::string_view name, const Codes& codes) {
  using code = typename Codes::value_type;
  if (!given) return std::optional<code>{};
  std::string all;
  for (const code one : codes) {
    if (tide::to_text(one) == *given) return std::optional<code>{one};
    all += all.empty() ? " " : ", ";
    all += tide::to_text(one);
  }
  return evm::fail("`" + std::string(name) + "` is one of" + all);
}

} // namespace tidemark::api
