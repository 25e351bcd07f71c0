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

int chain_list(const invocation& how);
int chain_show(const invocation& how, const std::string& name);
int chain_resume(const invocation& how, const std::string& name, bool accept_reorg);
int chain_skip(const invocation& how, const std::string& name, std::uint64_t from,
               std::uint64_t to, const std::string& reason);

int webhooks_list(const invocation& how, const filters& by);
int webhooks_show(const invocation& how, const std::string& id);
int webhooks_reprocess(const invocation& how, const std::vector<std::string>& ids);

int handlers_list(const invocation& how);
int handlers_pause(const invocation& how, const std::string& name, bool paused,
                   const std::optional<std::string>& reason);
int handlers_keys(const invocation& how, const std::string& name, const filters& by);

} // namespace tidemark::app
