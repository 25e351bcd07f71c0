// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"
#include "net/response.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::api {

namespace json = boost::json;

/// What came from outside may be no UTF-8; such bytes become U+FFFD.
json::value words(std::string_view text);
/// The same, but null where there is nothing to say.
json::value words_or_null(std::string_view text);
/// RFC 3339 with milliseconds, UTC; null for 0, which is no time of ours.
json::value moment(std::int64_t ms);
json::value moment(const std::optional<std::int64_t>& ms);
/// {"number","hash"}
json::value block(const evm::block_id& b);
json::value block(const std::optional<evm::block_id>& b);
template <class T> json::value or_null(const std::optional<T>& v) {
  return v ? json::value(*v) : json::value(nullptr);
}

/// An object's text with further members: `text` ends in `}`.
std::string with_members(std::string text, const json::object& more);

net::response answer_json(std::string body, unsigned status = 200);
net::response answer_json(const json::object& body, unsigned status = 200);
/// {"items":[…],"next":…}; the items are JSON already.
net::response answer_list(const std::vector<std::string>& items,
                          const std::optional<std::string>& next);

} // namespace tidemark::api
