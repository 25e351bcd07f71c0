// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <boost/json/serialize.hpp>

namespace tidemark::api {
namespace {

json::object gap_object(const config::config& c, const store::gap_row& g) {
  return {{"id", g.id},
          {"at", moment(g.at)},
          {"who", words(g.who)},
          {"chain", g.chain_id ? json::value(chain_name(c, *g.chain_id)) : nullptr},
          {"from_block", or_null(g.from_block)},
          {"to_block", or_null(g.to_block)},
          {"reason", words(g.reason)}};
}

json::object audit_object(const store::audit_row& a) {
  return {{"id", a.id},
          {"at", moment(a.at)},
          {"who", words(a.who)},
          {"what", words(a.what)},
          {"detail", words(a.detail)}};
}

} // namespace

answer get_gaps(const call& c) {
  const auto page = page_of(c);
  if (!page) return bad_request(page.error());
  const auto found = c.reader->gaps(*page);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& gap : found->items)
    items.push_back(json::serialize(gap_object(c.config, gap)));
  return answer_list(items, found->next);
}

answer get_audit(const call& c) {
  const auto page = page_of(c);
  if (!page) return bad_request(page.error());
  const auto found = c.reader->audit(*page);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& row : found->items)
    items.push_back(json::serialize(audit_object(row)));
  return answer_list(items, found->next);
}

} // namespace tidemark::api
