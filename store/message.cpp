// SPDX-License-Identifier: MIT
#include "store/types.hpp"

namespace tidemark::store {
namespace {

std::string own_id(const message& m) {
  if (m.notice) return m.notice->id;
  return m.envelope.renamed.empty() ? tide::message_id(m.fact) : m.envelope.renamed;
}

std::string own_body(const message& m) {
  return m.notice ? tide::compose_notice(*m.notice, m.envelope)
                  : tide::compose_message(m.fact, m.envelope);
}

} // namespace

std::string message_id(const message& m) {
  if (!m.batch) return own_id(m);
  return "batch_" + own_id(m) + '_' + std::to_string(m.count());
}

std::string message_body(const message& m) {
  if (!m.batch) return own_body(m);
  std::string out = "[" + own_body(m);
  for (const message& next : m.more)
    out += ',' + own_body(next);
  return out + ']';
}

} // namespace tidemark::store
