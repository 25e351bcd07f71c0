// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include "evm/hex.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

// Lists of addresses, and reading the config again.

namespace tidemark::api {
namespace {

/// By the names of chains.
json::object starts_object(const config::config& c,
                           const std::map<std::uint64_t, std::uint64_t>& from) {
  json::object out;
  for (const auto& [chain_id, block] : from)
    out.emplace(chain_name(c, chain_id), block);
  return out;
}

evm::result<std::vector<evm::address20>> addresses_in(const json::object& body,
                                                      std::string_view name) {
  std::vector<evm::address20> out;
  const auto* given = body.if_contains(name);
  if (!given) return out;
  const auto wrong = [&](const std::string& what) {
    return evm::fail("`" + std::string(name) + "` is a list of addresses" + what);
  };
  if (!given->is_array()) return wrong("");
  for (const auto& v : given->get_array()) {
    const auto* text = v.if_string();
    const auto address = text ? evm::parse_user_address(*text) : std::nullopt;
    if (!address && text && evm::parse_address(*text))
      return wrong(", and the EIP-55 checksum of " + std::string(*text) + " is wrong");
    if (!address) return wrong(": 0x and 40 hex digits each");
    out.push_back(*address);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

json::array problem_array(const std::vector<config::problem>& problems) {
  json::array out;
  for (const auto& p : problems)
    out.push_back(json::object{
        {"file", words(p.file)}, {"line", p.line}, {"column", p.column}, {"text", words(p.text)}});
  return out;
}

net::response reloaded(const reload_report& report) {
  if (report.given_up)
    return net::problem(503, "the daemon is stopping; it starts with the config as it is then");
  if (!report.done) {
    auto r = net::problem(422, "the config was not taken; the one in force stays as it is");
    r.body = with_members(std::move(r.body), {{"problems", problem_array(report.problems)}});
    return r;
  }
  json::array changed;
  for (const auto& c : report.changed)
    changed.push_back(words(c));
  return answer_json(
      json::object{{"changed", changed}, {"warnings", problem_array(report.warnings)}});
}

} // namespace

answer get_list(const call& c) {
  const auto* list = find_list(c.config, c.path[0]);
  if (list == nullptr) return not_found("list", c.path[0]);
  const auto page = page_of(c);
  if (!page) return bad_request(page.error());
  const auto found = c.reader->list(list->name, *page);
  if (!found) return unreadable(found.error());
  const auto size = c.reader->list_size(list->name);
  if (!size) return unreadable(size.error());
  std::vector<std::string> items;
  for (const auto& e : found->items)
    items.push_back(json::serialize(json::object{{"address", evm::to_hex(e.address)},
                                                 {"from", starts_object(c.config, e.from)}}));
  auto out = answer_list(items, found->next);
  out.body = with_members(std::move(out.body), {{"size", *size}});
  return out;
}

answer patch_list(const call& c) {
  const auto* list = find_list(c.config, c.path[0]);
  if (list == nullptr) return not_found("list", c.path[0]);
  if (list->file)
    return net::problem(
        409, "`" + list->name + "` is the list of a file: change the file, then `tidemark reload`");
  auto add = addresses_in(c.body, "add");
  if (!add) return bad_request(add.error());
  auto remove = addresses_in(c.body, "remove");
  if (!remove) return bad_request(remove.error());
  for (const auto& a : *remove)
    if (std::binary_search(add->begin(), add->end(), a))
      return bad_request(evm::fail(evm::to_hex(a) + " is to be added and removed at once"));
  std::optional<std::uint64_t> from;
  if (const auto* given = c.body.if_contains("from_block"); given && !given->is_null()) {
    if (!given->is_int64() || given->get_int64() < 0)
      return bad_request(evm::fail("`from_block` is the number of a block"));
    from = static_cast<std::uint64_t>(given->get_int64());
  }
  store::list_order order{list->name, std::move(*add), std::move(*remove), from, {}, c.who};
  std::map<std::uint64_t, std::string> names;
  for (const auto& chain : c.config.chains)
    names.emplace(chain.id, chain.name);
  c.order.change_list(std::move(order), c.slot, [names](const store::list_result& r) {
    json::object starts;
    for (const auto& [chain_id, block] : r.from)
      if (const auto known = names.find(chain_id); known != names.end())
        starts.emplace(known->second, block);
    return answer_json(json::object{{"size", r.size}, {"from", std::move(starts)}});
  });
  return ordered{};
}

answer post_reload(const call& c) {
  c.order.reload(c.who, c.slot, reloaded);
  return ordered{};
}

} // namespace tidemark::api
