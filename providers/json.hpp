// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "providers/hint.hpp"

#include <boost/json/value.hpp>

#include <initializer_list>
#include <optional>
#include <string_view>

namespace tidemark::providers {

/// RFC 8259, strict: UTF-8, nothing behind the value, at most 32 levels, no member twice in an
/// object (parsers disagree which counts). A number beyond 64 bits or a double's range is a double
/// or an infinity, so that members which nobody asks for do no harm.
evm::result<boost::json::value> parse_json(std::string_view text);

/// The member, or null where there is none or `v` is no object.
const boost::json::value* member(const boost::json::value& v, std::string_view name);

/// Reads what an object says into a hint. Each call takes the names under which a provider writes
/// one thing; a member that is absent, null or "" leaves the hint as it is, so that what an outer
/// object said stays. The first member that cannot be right is kept in `trouble`, and nothing is
/// read after it.
struct hint_fields {
  const boost::json::value& from;
  hint& into;
  std::optional<evm::error> trouble = std::nullopt;

  using names = std::initializer_list<std::string_view>;
  hint_fields& chain(names from_these); ///< a number goes to `chain_id`, a word to `network`
  hint_fields& block_number(names from_these);
  hint_fields& block_hash(names from_these);
  hint_fields& tx(names from_these);
  hint_fields& log_index(names from_these);
  hint_fields& removed(names from_these);
};

} // namespace tidemark::providers
