// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <boost/json/serialize.hpp>

#include <cmath>

namespace tidemark::api {
namespace {

json::array endpoint_array(const tide::chain_status& s) {
  json::array out;
  for (const auto& e : s.endpoints)
    out.push_back(json::object{{"name", words(e.name)},
                               {"state", json::string(tide::to_text(e.state))},
                               {"head", or_null(e.head)},
                               {"latency_ms", std::llround(e.latency_ms)},
                               {"errors", e.errors},
                               {"lies", e.lies}});
  return out;
}

json::array backfill_array(const tide::chain_status& s) {
  json::array out;
  for (const auto& b : s.backfills)
    out.push_back(json::object{
        {"subscription", words(b.subscription)}, {"from", b.from}, {"to", b.to}, {"at", b.at}});
  return out;
}

json::value reconcile_value(const std::optional<tide::reconcile_report>& r) {
  if (!r) return nullptr;
  return json::object{{"at", moment(r->at)},
                      {"from", r->from},
                      {"to", r->to},
                      {"missing", r->missing},
                      {"extra", r->extra}};
}

/// The chain's newest reorg among the newest thousand of all chains.
store::result<json::value> last_reorg(const call& c, std::uint64_t chain_id) {
  store::page_request newest;
  newest.limit = 1'000;
  const auto page = c.reader->reorgs(newest);
  if (!page) return page.error();
  for (const auto& r : page->items)
    if (r.chain_id == chain_id) return json::value(reorg_object(c.config, r));
  return json::value(nullptr);
}

/// What the store knows while the chain's actor has not spoken yet.
store::result<tide::chain_status> stored_status(const call& c, const config::chain& chain) {
  tide::chain_status s;
  s.name = chain.name;
  s.id = chain.id;
  const auto row = c.reader->chain(chain.id);
  if (!row) return row.error();
  if (!*row) return s;
  s.mark = (*row)->mark;
  if ((*row)->halted) {
    s.state = tide::chain_state::halted;
    s.reason = *(*row)->halted;
  }
  return s;
}

} // namespace

json::object reorg_object(const config::config& c, const store::reorg_row& r) {
  return {{"chain", chain_name(c, r.chain_id)},
          {"at", moment(r.at)},
          {"depth", r.depth},
          {"ancestor", block(r.ancestor)},
          {"old_head", block(r.old_head)},
          {"new_head", block(r.new_head)},
          {"rolled_back", r.rolled_back}};
}

store::result<json::object> chain_object(const call& c, const config::chain& chain) {
  auto status = c.board.chain(chain.name);
  if (!status) {
    auto stored = stored_status(c, chain);
    if (!stored) return stored.error();
    status = std::move(*stored);
  }
  auto reorg = last_reorg(c, chain.id);
  if (!reorg) return reorg.error();
  return json::object{{"name", chain.name},
                      {"id", chain.id},
                      {"state", json::string(tide::to_text(status->state))},
                      {"reason", words_or_null(status->reason)},
                      {"head", block(status->head)},
                      {"mark", block(status->mark)},
                      {"lag_blocks", status->lag_blocks},
                      {"safe", or_null(status->safe)},
                      {"finalized", or_null(status->finalized)},
                      {"endpoints", endpoint_array(*status)},
                      {"backfills", backfill_array(*status)},
                      {"last_reorg", std::move(*reorg)},
                      {"last_reconcile", reconcile_value(status->last_reconcile)}};
}

answer get_chain(const call& c) {
  const auto* chain = find_chain(c.config, c.path[0]);
  if (chain == nullptr) return not_found("chain", c.path[0]);
  const auto object = chain_object(c, *chain);
  if (!object) return unreadable(object.error());
  return answer_json(*object);
}

answer get_reorgs(const call& c) {
  const auto page = page_of(c);
  if (!page) return bad_request(page.error());
  const auto found = c.reader->reorgs(*page);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& r : found->items)
    items.push_back(json::serialize(reorg_object(c.config, r)));
  return answer_list(items, found->next);
}

} // namespace tidemark::api
