// SPDX-License-Identifier: MIT
#include "providers/chain_things.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace {

/// https://github.com/standard-webhooks/standard-webhooks, version v1; the libraries of Svix, where
/// it comes from, also take their own header names.
scheme under(const std::string& names) {
  using kind = signed_part::kind;
  scheme s;
  s.header = names + "signature";
  s.prefix = "v1,";
  s.as = encoding::base64;
  s.parts = {{kind::header, names + "id"},
             {kind::text, "."},
             {kind::header, names + "timestamp"},
             {kind::text, "."},
             {kind::body, ""}};
  s.look = layout::list;
  s.key = key_form::base64;
  s.time.name = names + "timestamp";
  return s;
}

} // namespace

provider standard_webhooks() {
  static const scheme signs = [] {
    scheme s = under("webhook-");
    s.or_else.push_back(under("svix-"));
    return s;
  }();
  return {.name = "standard-webhooks", .signs = &signs, .read = read_chain_things};
}

} // namespace tidemark::providers
