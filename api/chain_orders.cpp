// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <boost/json/serialize.hpp>

namespace tidemark::api {
namespace {

/// 409, as a problem with what accepting would mean.
net::response not_resumed(const tide::resume_report& report) {
  net::response r = net::problem(409, report.text);
  r.body = with_members(std::move(r.body), {{"ancestor", block(report.ancestor)},
                                            {"depth", report.depth},
                                            {"rolled_back", report.rolled_back}});
  return r;
}

net::response resumed(const live& board, const std::string& chain) {
  const auto status = board.chain(chain);
  // Until its next report, a chain that goes on may still stand on the board as halted.
  const auto state = status && status->state != tide::chain_state::halted
                         ? status->state
                         : tide::chain_state::catching_up;
  return answer_json(json::object{{"state", json::string(tide::to_text(state))}});
}

std::optional<std::uint64_t> block_in(const json::object& body, std::string_view name) {
  const auto* v = body.if_contains(name);
  if (v && v->is_int64() && v->get_int64() >= 0) return static_cast<std::uint64_t>(v->get_int64());
  return std::nullopt;
}

} // namespace

answer post_chain_skip(const call& c) {
  const auto* chain = find_chain(c.config, c.path[0]);
  if (chain == nullptr) return not_found("chain", c.path[0]);
  const auto from = block_in(c.body, "from_block"), to = block_in(c.body, "to_block");
  const auto* reason = c.body.if_contains("reason");
  if (!from || !to || *to < *from)
    return bad_request(evm::fail("`from_block` and `to_block` are numbers, the second not below "
                                 "the first"));
  if (!reason || !reason->is_string() || reason->get_string().empty())
    return bad_request(evm::fail("`reason` says why these blocks are given up"));
  tide::skip_order order{*from, *to, c.who, std::string(reason->get_string())};
  const live* board = &c.board;
  c.order.skip(chain->name, std::move(order), c.slot,
               [board, name = chain->name](const tide::skip_answered& how) {
                 return how.skipped ? resumed(*board, name) : net::problem(409, how.text);
               });
  return ordered{};
}

answer post_chain_reconcile(const call& c) {
  const auto* chain = find_chain(c.config, c.path[0]);
  if (chain == nullptr) return not_found("chain", c.path[0]);
  tide::reconcile_order order;
  const auto from = block_in(c.body, "from_block"), to = block_in(c.body, "to_block");
  if (!from || !to || *to < *from)
    return bad_request(evm::fail("`from_block` and `to_block` are numbers, the second not below "
                                 "the first"));
  order.from = *from;
  order.to = *to;
  if (const auto* apply = c.body.if_contains("apply")) {
    if (!apply->is_bool()) return bad_request(evm::fail("`apply` is true or false"));
    order.apply = apply->get_bool();
  }
  c.order.reconcile(chain->name, order, c.who, c.slot, [](std::int64_t job) {
    return answer_json(json::object{{"id", job}, {"job", job}, {"state", "running"}}, 202);
  });
  return ordered{};
}

answer post_chain_resume(const call& c) {
  const auto* chain = find_chain(c.config, c.path[0]);
  if (chain == nullptr) return not_found("chain", c.path[0]);
  bool accept = false;
  if (const auto* given = c.body.if_contains("accept_reorg")) {
    if (!given->is_bool()) return bad_request(evm::fail("`accept_reorg` is true or false"));
    accept = given->get_bool();
  }
  const live* board = &c.board;
  c.order.resume(chain->name, accept, c.who, c.slot,
                 [board, name = chain->name](const tide::resume_report& report) {
                   return report.resumed ? resumed(*board, name) : not_resumed(report);
                 });
  return ordered{};
}

} // namespace tidemark::api
