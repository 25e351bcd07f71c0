// SPDX-License-Identifier: MIT
#include "providers/chain_things.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace {

/// The MAC does not cover the body but a hash of it. The time is signed too, in words that nobody
/// has documented, nor whether a retry has a new one: it is not judged.
scheme alerts() {
  using kind = signed_part::kind;
  scheme s;
  s.header = "x-qn-signature";
  s.as = encoding::base64;
  s.parts = {{kind::header, "x-qn-nonce"},
             {kind::header, "x-qn-content-hash"},
             {kind::header, "x-qn-timestamp"}};
  s.content_hash = "x-qn-content-hash";
  return s;
}

} // namespace

provider quickalerts() {
  static const scheme signs = alerts();
  return {.name = "quickalerts", .signs = &signs, .read = read_chain_things};
}

} // namespace tidemark::providers
