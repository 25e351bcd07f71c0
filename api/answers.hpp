// SPDX-License-Identifier: MIT
#pragma once

#include "api/call.hpp"
#include "api/json.hpp"

// One function a route. Each is allowed, its query's names and its body's are known; values it
// checks itself.

namespace tidemark::api {

answer get_livez(const call& c);
answer get_readyz(const call& c);
answer get_metrics(const call& c);
answer get_status(const call& c);
answer get_chain(const call& c);
answer get_blocks(const call& c);
answer get_sources(const call& c);
answer get_handlers(const call& c);
answer get_keys(const call& c);

answer get_events(const call& c);
answer get_event(const call& c);
answer get_feed(const call& c);
answer get_feed_stream(const call& c);

answer get_reorgs(const call& c);
answer get_gaps(const call& c);
answer get_audit(const call& c);

answer get_webhooks(const call& c);
answer get_webhook(const call& c);
answer get_raw(const call& c);

answer post_chain_resume(const call& c);
answer post_chain_skip(const call& c);
answer post_handler_pause(const call& c);
answer post_handler_resume(const call& c);
answer post_handler_test(const call& c);
answer post_handler_replay(const call& c);
answer get_dead(const call& c);
answer post_dead_retry(const call& c);
answer post_dead_skip(const call& c);
answer post_dead_retry_one(const call& c);
answer post_dead_skip_one(const call& c);
answer post_reprocess(const call& c);
answer post_reprocess_all(const call& c);

answer get_list(const call& c);
answer patch_list(const call& c);
answer post_reload(const call& c);
answer get_job(const call& c);
answer post_events_redecode(const call& c);
answer delete_job(const call& c);

answer post_chain_reconcile(const call& c);

answer get_openapi(const call& c);
answer get_db_check(const call& c);
answer get_db_stats(const call& c);
answer post_db_backup(const call& c);
answer post_db_prune(const call& c);

answer get_page(const call& c);
answer get_page_asset(const call& c);

// Shared between them

/// A chain as §5 shows it, from the board; from the store alone until its actor has said something.
store::result<json::object> chain_object(const call& c, const config::chain& chain);
/// What the store has of every reorg, newest first.
json::object reorg_object(const config::config& c, const store::reorg_row& r);
/// `free`: what is free on its disk, or null.
json::object stats_object(const store::file_stats& s, json::value free);
/// What the disk of that file has left; null: that cannot be told.
json::value free_bytes(const std::filesystem::path& store);
/// Each source and each handler of the config, in its order.
store::result<std::vector<json::object>> source_objects(const call& c);
store::result<std::vector<json::object>> handler_objects(const call& c);
/// A page of what the config names, in its order; `after` is the last page's last name.
net::response answer_names(const call& c, const std::vector<json::object>& all);

} // namespace tidemark::api
