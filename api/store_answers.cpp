// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <filesystem>

namespace tidemark::api {
namespace {

net::response failed(const store::store_failure& f) {
  net::response r = net::problem(f.fatal ? 500 : 503, f.text);
  if (!f.fatal) r.headers.emplace_back("Retry-After", "1");
  return r;
}

} // namespace

json::value free_bytes(const std::filesystem::path& store) {
  std::error_code ec;
  const auto folder = store.has_parent_path() ? store.parent_path() : std::filesystem::path(".");
  const auto space = std::filesystem::space(folder, ec);
  if (ec) return nullptr;
  return static_cast<std::uint64_t>(space.available);
}

answer get_db_check(const call& c) {
  c.order.check(c.slot, [](const store::result<std::vector<std::string>>& wrong) {
    if (!wrong) return failed(wrong.error());
    json::array problems;
    for (const auto& one : *wrong)
      problems.push_back(words(one));
    return answer_json(json::object{{"ok", wrong->empty()}, {"problems", std::move(problems)}});
  });
  return ordered{};
}

answer get_db_stats(const call& c) {
  c.order.stats(c.slot, [path = c.config.store.path](const store::result<store::file_stats>& s) {
    return s ? answer_json(stats_object(*s, free_bytes(path))) : failed(s.error());
  });
  return ordered{};
}

json::object stats_object(const store::file_stats& s, json::value free) {
  json::array tables;
  for (const auto& t : s.tables)
    tables.push_back(json::object{{"name", t.name}, {"rows", t.rows}});
  return {{"bytes", s.file.bytes},
          {"wal_bytes", s.file.wal_bytes},
          {"free_bytes", std::move(free)},
          {"page_bytes", s.page_bytes},
          {"pages", s.pages},
          {"free_pages", s.free_pages},
          {"epoch", s.epoch},
          {"last_backup", moment(s.last_backup)},
          {"tables", std::move(tables)}};
}

answer post_db_backup(const call& c) {
  const auto* given = c.body.if_contains("path");
  if (given == nullptr || !given->is_string())
    return bad_request(evm::fail("`path` is the absolute path of a file that is not there yet"));
  const std::string to(given->get_string());
  std::error_code ec;
  if (to.empty() || to.size() > 4'000 || to.find('\0') != to.npos ||
      !std::filesystem::path(to).is_absolute())
    return bad_request(evm::fail("`path` must be absolute"));
  if (std::filesystem::exists(std::filesystem::symlink_status(to, ec)))
    return net::problem(409, to + " is there already; a backup replaces nothing");
  if (!std::filesystem::is_directory(std::filesystem::path(to).parent_path(), ec))
    return bad_request(evm::fail("there is no folder for " + to));
  c.order.back_up(to, c.who, c.slot, [to](const store::result<std::uint64_t>& bytes) {
    if (!bytes) return failed(bytes.error());
    return answer_json(json::object{{"path", to}, {"bytes", *bytes}});
  });
  return ordered{};
}

answer post_db_prune(const call& c) {
  c.order.prune(c.who, c.slot, [](const store::result<store::pruning>& went) {
    if (!went) return failed(went.error());
    return answer_json(json::object{
        {"webhooks", went->webhooks}, {"deliveries", went->deliveries}, {"events", went->events}});
  });
  return ordered{};
}

} // namespace tidemark::api
