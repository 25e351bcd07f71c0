// SPDX-License-Identifier: MIT
#pragma once

#include "app/asking.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// One function a verb; each gives the program's exit status.

namespace tidemark::app {

int run(const invocation& how);
int check(const invocation& how, bool probe);
int init(const std::string& folder);
int print_version(const invocation& how);

int status(const invocation& how);

/// An API's query, as the command line gives it.
using filters = std::vector<std::pair<std::string, std::optional<std::string>>>;
int events_list(const invocation& how, const filters& by);
int events_show(const invocation& how, const std::string& id);
/// From `after`, or from now on; ends only with a failure.
int events_tail(const invocation& how, std::optional<std::uint64_t> after);

/// Says what would change; changes it with `yes`.
int events_redecode(const invocation& how, const std::optional<std::string>& subscription,
                    bool yes);

int chain_list(const invocation& how);
int chain_show(const invocation& how, const std::string& name);
int chain_resume(const invocation& how, const std::string& name, bool accept_reorg);
int chain_skip(const invocation& how, const std::string& name, std::uint64_t from, std::uint64_t to,
               const std::string& reason);

int webhooks_list(const invocation& how, const filters& by);
int webhooks_show(const invocation& how, const std::string& id);
int webhooks_reprocess(const invocation& how, const std::vector<std::string>& ids);
int webhooks_reprocess_all(const invocation& how, const filters& by, bool dry_run);

int reload(const invocation& how);
int lists_show(const invocation& how, const std::string& name);
int lists_change(const invocation& how, const std::string& name,
                 const std::vector<std::string>& addresses, bool add,
                 std::optional<std::uint64_t> from_block);

int handlers_list(const invocation& how);
int handlers_pause(const invocation& how, const std::string& name, bool paused,
                   const std::optional<std::string>& reason);
int handlers_keys(const invocation& how, const std::string& name, const filters& by);
/// Fails where the handler does not take the ping.
int handlers_test(const invocation& how, const std::string& name);

int dead_list(const invocation& how, const filters& by);
/// No ids: all.
int dead_retry(const invocation& how, const std::vector<std::int64_t>& ids);
int dead_skip(const invocation& how, const std::vector<std::int64_t>& ids,
              const std::string& reason);

/// As the command line gives it.
struct replay_wish {
  std::string handler;
  std::optional<std::string> since, until, event, chain, reason;
  std::optional<std::uint64_t> from_seq, to_seq, from_block, to_block;
  std::optional<double> rate;
  bool as_new = false, yes = false;
};
/// Says how much it would send; sends with `yes`.
int replay(const invocation& how, const replay_wish& wish);

int reconcile(const invocation& how, const std::string& chain, std::uint64_t from, std::uint64_t to,
              bool apply);

int db_check(const invocation& how);
int db_backup(const invocation& how, const std::string& to);
int db_restore(const invocation& how, const std::string& from);
int db_stats(const invocation& how);
int db_prune(const invocation& how);

} // namespace tidemark::app
