// SPDX-License-Identifier: MIT
#pragma once

#include "api/admin_api.hpp"
#include "evm/result.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::api {

using parameters = std::map<std::string, std::string, std::less<>>;

/// One request on its way through its route, already allowed and taken apart. Values outside the
/// call's own time are held by reference.
struct call {
  const config::config& config;
  live& board;
  const orders& order;
  store::reader* reader; ///< null in a route that is answered by the head
  const net::reply_slot& slot;
  const net::request* request = nullptr; ///< as it came
  std::int64_t now = 0;                  ///< ms since 1970
  std::optional<wait_for_feed> waited = {};
  std::optional<std::string> last_event_id = {}; ///< of an event stream that was cut
  std::string who = {};               ///< the token's name, or where the request came from
  std::vector<std::string> path = {}; ///< the values of the pattern's {…}, in order
  parameters query = {};
  boost::json::object body = {}; ///< of a POST or PATCH; empty where none came
};

/// Of a page.
inline constexpr std::uint32_t most_items = 1'000;

// Queries. An error says what would be right, and is a 400.

std::optional<std::string> text(const call& c, std::string_view name);
evm::result<std::optional<std::uint64_t>> number(const call& c, std::string_view name);
/// Digits alone; nothing where they are none, or beyond 63 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);
/// 1 to most_items, 100 where none is given.
evm::result<std::uint32_t> limit_of(const call& c);
/// How a list's cursors look. One that is none of ours is refused, since the store would begin at
/// the newest row again, and whoever pages would never end.
enum class cursor : std::uint8_t { numbers, names };
/// `limit` and `after`.
evm::result<store::page_request> page_of(const call& c, cursor kind = cursor::numbers);

/// `%41` and, in a query, `+`; nothing where it is malformed or makes a NUL.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);
/// Splits a query by `&` and `=`; only names of `allowed` (separated by spaces), each once.
evm::result<parameters> parse_query(std::string_view query, std::string_view allowed);
/// A JSON object with members of `allowed` alone; nothing at all is an empty one.
evm::result<boost::json::object> parse_body(std::string_view body, std::string_view allowed);

// The config's names

const config::chain* find_chain(const config::config& c, std::string_view name);
const config::list* find_list(const config::config& c, std::string_view name);
const config::handler* find_handler(const config::config& c, std::string_view name);
/// The name, or the number of a chain that the config no longer has.
std::string chain_name(const config::config& c, std::uint64_t id);

// Refusals

net::response bad_request(const evm::error& e);
net::response not_found(std::string_view kind, std::string_view name);
/// 503: the store could not be read in time.
net::response unreadable(const store::store_failure& f);

} // namespace tidemark::api
