// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <filesystem>

namespace tidemark::api {
namespace {

double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1'000; }

/// What the board knows at this moment: a few values a chain, a source and a handler.
void collect_chains(const call& c, meters& to) {
  for (const auto& chain : c.config.chains) {
    const auto status = c.board.chain(chain.name);
    const auto state = status ? status->state : tide::chain_state::starting;
    to.set_state(meter::chain_state, chain.name, tide::to_text(state), chain_state_words);
    if (!status) continue;
    if (status->head) {
      to.set(meter::chain_head_block, {chain.name}, static_cast<double>(status->head->number));
      to.set(meter::chain_head_timestamp, {chain.name}, static_cast<double>(status->head_time));
    }
    if (status->mark)
      to.set(meter::chain_mark_block, {chain.name}, static_cast<double>(status->mark->number));
    if (status->last_reconcile)
      to.set(meter::reconcile_last_success, {chain.name}, seconds(status->last_reconcile->at));
  }
}

void collect_store(const call& c, meters& to) {
  std::error_code ec;
  const auto size = [&ec](const std::filesystem::path& file) {
    const auto n = std::filesystem::file_size(file, ec);
    return ec ? 0.0 : static_cast<double>(n);
  };
  const auto& path = c.config.store.path;
  to.set(meter::store_bytes, {"database"}, size(path));
  to.set(meter::store_bytes, {"log"}, size(path.string() + "-wal"));
  const auto space = std::filesystem::space(std::filesystem::absolute(path).parent_path(), ec);
  if (!ec) to.set(meter::store_free_bytes, {}, static_cast<double>(space.available));
}

} // namespace

answer get_metrics(const call& c) {
  auto& to = c.board.counted();
  collect_chains(c, to);
  collect_store(c, to);
  for (const auto& [source, counts] : c.board.sources()) {
    for (const auto& [result, n] : counts.results)
      to.count_is(meter::ingest_requests, {source, result}, n);
    to.set(meter::source_last_received, {source}, seconds(counts.accepted_at));
  }
  net::response r;
  r.content_type = "text/plain; version=0.0.4; charset=utf-8";
  r.body = to.text();
  r.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  return r;
}

} // namespace tidemark::api
