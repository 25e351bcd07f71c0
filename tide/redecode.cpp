// SPDX-License-Identifier: MIT
#include "tide/redecode.hpp"

#include "tide/stored_log.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <exception>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

/// What an ABI decides of an event's JSON; null where it is not there.
json::object reading_in(std::string_view data) {
  json::object out;
  boost::system::error_code ec;
  const auto all = json::parse(data, ec);
  const auto* o = ec ? nullptr : all.if_object();
  for (const char* name : {"event", "args"}) {
    const auto* at = o ? o->if_contains(name) : nullptr;
    out.emplace(name, at ? *at : json::value(nullptr));
  }
  return out;
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

evm::result<read_again> read_event_again(const interest& wants, const nursery& children,
                                         const kept_event& e) {
  const auto kept = log_of_data(e.data);
  if (!kept) return kept.error();
  std::vector<std::string> there;
  for (const auto& name : e.subscriptions)
    if (wants.has(name)) there.push_back(name);
  read_again out;
  if (there.empty()) return out; // what a removed subscription made stays
  out.now = wants.match(kept->log, kept->block_time, e.ordinal, {}, nullptr, &children, &there);
  if (!out.now) {
    out.how = reread::gone;
    return out;
  }
  const bool fits_as_before = std::all_of(there.begin(), there.end(), [&](const std::string& name) {
    return contains(out.now->subscriptions, name);
  });
  if (fits_as_before && reading_in(e.data) == reading_in(out.now->data))
    out.now.reset();
  else
    out.how = reread::changed;
  return out;
}

std::string difference(std::string_view before, const std::optional<sighting>& now) {
  json::object out;
  boost::system::error_code ec;
  const auto all = json::parse(before, ec);
  const auto* id = !ec && all.is_object() ? all.get_object().if_contains("event_id") : nullptr;
  out.emplace("event_id", id ? *id : json::value(nullptr));
  out.emplace("before", reading_in(before));
  out.emplace("after", now ? json::value(reading_in(now->data)) : json::value(nullptr));
  return json::serialize(out);
}

status reopened_as(status before, const needs& had, const needs& asks) {
  const bool enough = had + asks == had;
  return before == status::confirmed && enough ? status::confirmed : status::pending;
}

} // namespace tidemark::tide
