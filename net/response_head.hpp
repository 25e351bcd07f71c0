// SPDX-License-Identifier: MIT
#pragma once

#include "net/response.hpp"

#include <string>

namespace tidemark::net {

struct connection_after {
  bool stays;
  bool http_1_0; ///< the request was, so that staying must be said
};

/// False for the statuses whose answers have neither a body nor a length.
bool may_have_body(unsigned status);

/// Status line and headers, to the empty line, in place of what `out` held.
void write_head(const response& r, connection_after after, std::string& out);

} // namespace tidemark::net
