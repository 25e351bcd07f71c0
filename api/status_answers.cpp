// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <boost/json/serialize.hpp>

#include <filesystem>

namespace tidemark::api {
namespace {

/// What does not work as it should although the API answers.
json::array degraded(const call& c, const std::vector<json::object>& sources,
                     const std::vector<json::object>& handlers) {
  json::array out;
  if (const auto full = c.board.disk_trouble(); !full.empty())
    out.push_back(
        json::object{{"kind", "store"}, {"name", "disk"}, {"state", "degraded"}, {"reason", full}});
  for (const auto& chain : c.config.chains) {
    const auto status = c.board.chain(chain.name);
    if (!status || (status->state != tide::chain_state::degraded &&
                    status->state != tide::chain_state::halted))
      continue;
    out.push_back(json::object{{"kind", "chain"},
                               {"name", chain.name},
                               {"state", json::string(tide::to_text(status->state))},
                               {"reason", words_or_null(status->reason)}});
  }
  for (const auto& source : sources) {
    if (source.at("state") == "ok") continue;
    out.push_back(json::object{{"kind", "source"},
                               {"name", source.at("name")},
                               {"state", source.at("state")},
                               {"reason", source.at("reason")}});
  }
  for (const auto& handler : handlers) {
    // An active one with a reason was asked to wait.
    if (handler.at("state") == "active" && handler.at("reason").is_null()) continue;
    out.push_back(json::object{{"kind", "handler"},
                               {"name", handler.at("name")},
                               {"state", handler.at("state")},
                               {"reason", handler.at("reason")}});
  }
  return out;
}

} // namespace

answer get_livez(const call&) { return answer_json(json::object{{"live", true}}); }

answer get_readyz(const call& c) {
  const auto handlers = handler_objects(c);
  const auto sources = source_objects(c);
  const std::string trouble = c.board.store_trouble();
  if (!c.board.listening()) return net::problem(503, "the listeners are not open");
  if (!trouble.empty()) return net::problem(503, "the store takes nothing: " + trouble);
  if (!handlers) return unreadable(handlers.error());
  if (!sources) return unreadable(sources.error());
  return answer_json(json::object{{"ready", true}, {"degraded", degraded(c, *sources, *handlers)}});
}

answer get_status(const call& c) {
  json::array chains;
  for (const auto& chain : c.config.chains) {
    auto object = chain_object(c, chain);
    if (!object) return unreadable(object.error());
    chains.push_back(std::move(*object));
  }
  const auto sources = source_objects(c);
  if (!sources) return unreadable(sources.error());
  const auto handlers = handler_objects(c);
  if (!handlers) return unreadable(handlers.error());
  const auto sizes = c.reader->size();
  if (!sizes) return unreadable(sizes.error());
  return answer_json(json::object{
      {"version", c.board.who().version},
      {"instance", c.config.instance},
      {"uptime_s", std::max<std::int64_t>(0, c.now - c.board.who().started_at) / 1'000},
      {"chains", std::move(chains)},
      {"sources", json::array(sources->begin(), sources->end())},
      {"handlers", json::array(handlers->begin(), handlers->end())},
      {"store", json::object{{"bytes", sizes->bytes},
                             {"wal_bytes", sizes->wal_bytes},
                             {"free_bytes", free_bytes(c.config.store.path)},
                             {"last_backup", moment(c.board.last_backup())}}}});
}

} // namespace tidemark::api
