// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::net {

/// Header lines in the order and the spelling in which they came or are to go.
using header_list = std::vector<std::pair<std::string, std::string>>;

class stream_body;

/// What a server answers. Content-Length, Connection and Date are the server's own business.
struct response {
  unsigned status = 200;
  std::string content_type; ///< empty: no Content-Type line
  std::string body;
  header_list headers; ///< further lines; names and values are ours and hold no line breaks
  bool close = false;  ///< end the connection after this answer
  /// In place of `body`: what is pushed is sent as it comes, and the connection ends with it.
  std::shared_ptr<stream_body> stream = {};
  std::string detail = {}; ///< of a problem(), for who logs it
};

/// The phrase that RFC 9110 gives a status; "Error" where it has none.
std::string_view reason_phrase(unsigned status);

/// RFC 7807 with `title`, `status` and `detail`, and the detail once more as `error`, where people
/// look.
response problem(unsigned status, std::string_view detail);

/// 503 with Retry-After: 1.
response busy(std::string_view detail);

/// Header names are ASCII without case.
bool same_name(std::string_view a, std::string_view b);
/// The first value of a header, whatever the case of its name; null where there is none.
const std::string* find_header(const header_list& headers, std::string_view name);

} // namespace tidemark::net
