// SPDX-License-Identifier: MIT
#include "tide/abi_json.hpp"

#include "tide/nearest.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

constexpr int max_depth = 20; // of components in components; more is no type of ours

std::string text_member(const json::object& o, const char* key) {
  const auto* v = o.if_contains(key);
  return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string();
}

bool is_set(const json::object& o, const char* key) {
  const auto* v = o.if_contains(key);
  return v != nullptr && v->is_bool() && v->get_bool();
}

/// The parameters as a human would write them, which the one parser of signatures then reads.
evm::result<std::string> parameters_text(const json::value* list, int depth) {
  if (list == nullptr || !list->is_array()) return evm::fail("has no list of parameters");
  if (depth > max_depth) return evm::fail("has tuples nested too deep");
  std::string out;
  for (const auto& item : list->get_array()) {
    const auto* o = item.if_object();
    if (o == nullptr) return evm::fail("has a parameter that is no object");
    auto type = text_member(*o, "type");
    if (type.rfind("tuple", 0) == 0) {
      auto inner = parameters_text(o->if_contains("components"), depth + 1);
      if (!inner) return inner;
      type = '(' + *inner + ')' + type.substr(5);
    }
    if (!out.empty()) out += ", ";
    out += type;
    if (depth == 0 && is_set(*o, "indexed")) out += " indexed";
    out += ' ' + text_member(*o, "name");
  }
  return out;
}

struct entry {
  std::string name;
  evm::result<evm::abi_event> event;
};

std::optional<entry> entry_of(const json::value& item) {
  if (item.is_string()) {
    const std::string_view text(item.get_string());
    if (text.rfind("event ", 0) != 0) return std::nullopt;
    auto event = evm::parse_event(text);
    auto name = event ? event->name : std::string(text);
    return entry{std::move(name), std::move(event)};
  }
  const auto* o = item.if_object();
  if (o == nullptr || text_member(*o, "type") != "event") return std::nullopt;
  auto name = text_member(*o, "name");
  const auto parameters = parameters_text(o->if_contains("inputs"), 0);
  if (!parameters) return entry{std::move(name), parameters.error()};
  auto event = evm::parse_event("event " + name + '(' + *parameters + ')' +
                                (is_set(*o, "anonymous") ? " anonymous" : ""));
  // Its offset is in a text that the user never saw.
  if (!event) return entry{std::move(name), evm::fail(event.error().text)};
  return entry{std::move(name), std::move(event)};
}

/// The array, or the array that an artifact has as `abi`.
const json::array* list_of(const json::value& root) {
  if (const auto* list = root.if_array()) return list;
  const auto* o = root.if_object();
  const auto* abi = o == nullptr ? nullptr : o->if_contains("abi");
  return abi == nullptr ? nullptr : abi->if_array();
}

/// As a person would tell it from the others of its name.
std::string shown(const evm::abi_event& e) {
  std::string out = e.name + '(';
  for (const auto& p : e.inputs) {
    if (&p != &e.inputs.front()) out += ',';
    out += p.type.canonical();
    if (p.indexed) out += " indexed";
  }
  return out + ')' + (e.anonymous ? " anonymous" : "");
}

bool same_event(const evm::abi_event& a, const evm::abi_event& b) { return shown(a) == shown(b); }

evm::result<evm::abi_event> choose(std::vector<entry> of_name, std::string_view wanted) {
  std::optional<evm::abi_event> signature;
  if (wanted.find('(') != wanted.npos) {
    auto read = evm::parse_event(wanted);
    if (!read) return read;
    signature = std::move(*read);
  }
  std::vector<evm::abi_event> found;
  for (auto& e : of_name) {
    if (!e.event) {
      if (of_name.size() == 1) return evm::fail(e.name + ": " + e.event.error().text);
      continue;
    }
    const bool fits = !signature || e.event->signature() == signature->signature();
    const auto same = [&](const evm::abi_event& other) { return same_event(other, *e.event); };
    if (fits && std::none_of(found.begin(), found.end(), same)) found.push_back(*e.event);
  }
  if (found.size() > 1 && signature) {
    const auto exact = std::find_if(found.begin(), found.end(), [&](const evm::abi_event& e) {
      return same_event(e, *signature);
    });
    if (exact != found.end()) return std::move(*exact);
  }
  if (found.size() == 1) return std::move(found.front());
  std::string all;
  for (const auto& e : of_name)
    if (e.event) all += (all.empty() ? "" : "; ") + shown(*e.event);
  if (found.empty()) return evm::fail("has no event of this signature; of this name it has " + all);
  return evm::fail("has several events of this name; give the full signature: " + all);
}

} // namespace

evm::result<evm::abi_event> event_of_abi(std::string_view text, std::string_view wanted) {
  json::monotonic_resource memory;
  json::parse_options options;
  options.max_depth = 256; // an artifact may hold a syntax tree
  json::error_code ec;
  const auto root = json::parse(text, ec, &memory, options);
  if (ec) return evm::fail("is no JSON: " + ec.message());
  const auto* list = list_of(root);
  if (list == nullptr)
    return evm::fail("is no ABI: an array, or an object with an array as its member abi");
  auto name = wanted.substr(0, wanted.find('('));
  if (name.rfind("event ", 0) == 0) name.remove_prefix(6);
  while (!name.empty() && name.back() == ' ')
    name.remove_suffix(1);
  std::vector<entry> of_name;
  std::vector<std::string> others;
  for (const auto& item : *list) {
    auto e = entry_of(item);
    if (!e) continue;
    if (e->name == name)
      of_name.push_back(std::move(*e));
    else
      others.push_back(std::move(e->name));
  }
  if (!of_name.empty()) return choose(std::move(of_name), wanted);
  if (others.empty()) return evm::fail("has no events");
  const std::vector<std::string_view> names(others.begin(), others.end());
  return evm::fail("has no event '" + std::string(name) + "'" + suggestion(name, names));
}

} // namespace tidemark::tide
