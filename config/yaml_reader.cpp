// SPDX-License-Identifier: MIT
#include "config/yaml_reader.hpp"

#include "config/expand.hpp"

#include <algorithm>

namespace tidemark::config {
namespace {

const char* kind_of(const YAML::Node& node) {
  return node.IsMap()        ? "a map"
         : node.IsSequence() ? "a list"
         : node.IsScalar()   ? "a text"
                             : "nothing";
}

} // namespace

place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
}

void reading::note(std::vector<problem>& list, place at, std::string text) {
  // A value that is read twice is wrong twice.
  const bool said = std::any_of(list.begin(), list.end(), [&](const problem& p) {
    return p.line == at.line && p.column == at.column && p.text == text;
  });
  if (!said) list.push_back({file.string(), at.line, at.column, std::move(text)});
}

place value::at() const { return node_.IsNull() ? key_at_ : place_of(node_.Mark()); }

place value::inside(std::size_t offset) const {
  auto out = at();
  const auto& raw = node_.Scalar();
  const bool as_written = raw.find_first_of("\n$\\") == raw.npos;
  if (out.line == 0 || !is_text() || !as_written) return out;
  const bool quoted = node_.Tag() == "!";
  out.column += offset + (quoted ? 1 : 0);
  return out;
}

bool value::has_key(std::string_view key) const {
  if (!is_map()) return false;
  return std::any_of(node_.begin(), node_.end(), [&](const auto& pair) {
    return pair.first.IsScalar() && pair.first.Scalar() == key;
  });
}

std::optional<std::string> value::text() const {
  if (!is_text()) {
    wrong(std::string("expected a text or number, found ") + kind_of(node_));
    return std::nullopt;
  }
  auto expanded = expand(node_.Scalar(), reading_->env);
  if (!expanded) {
    wrong(expanded.error().text);
    return std::nullopt;
  }
  return std::move(*expanded);
}

std::vector<value> value::items() const {
  std::vector<value> out;
  if (!is_list()) {
    wrong(std::string("expected a list, found ") + kind_of(node_));
    return out;
  }
  for (const auto& item : node_)
    // An item that is nothing has no place of its own: then its list's.
    out.emplace_back(*reading_, item, path_ + '[' + std::to_string(out.size()) + ']', at());
  return out;
}

std::vector<value::member> value::members() const {
  std::vector<member> out;
  if (!is_map()) {
    if (!node_.IsNull()) wrong(std::string("expected a map, found ") + kind_of(node_));
    return out;
  }
  for (const auto& pair : node_) {
    const auto key_at = place_of(pair.first.Mark());
    if (!pair.first.IsScalar()) {
      reading_->wrong(key_at, with_path("a key must be a plain word"));
      continue;
    }
    const auto& key = pair.first.Scalar();
    const auto first =
        std::find_if(out.begin(), out.end(), [&](const member& m) { return m.key == key; });
    if (first != out.end()) {
      reading_->wrong(key_at, "'" + key + "' is given twice, first in line " +
                                  std::to_string(first->key_at.line));
      continue;
    }
    out.push_back({key, key_at,
                   value(*reading_, pair.second, path_.empty() ? key : path_ + '.' + key, key_at),
                   !pair.second.IsNull()});
  }
  return out;
}

section::~section() {
  for (const auto& m : members_) {
    if (std::find(known_.begin(), known_.end(), m.key) != known_.end()) continue;
    const auto& path = of_.path();
    of_.in().wrong(m.key_at, "unknown key '" + m.key + (path.empty() ? "'" : "' in " + path) +
                                 suggestion(m.key, known_));
  }
}

std::optional<value> section::find(std::string_view key) {
  known_.push_back(key);
  const auto m = std::find_if(members_.begin(), members_.end(),
                              [&](const value::member& member) { return member.key == key; });
  if (m == members_.end() || !m->given) return std::nullopt;
  return m->of;
}

std::optional<value> section::need(std::string_view key) {
  auto found = find(key);
  // What is no map has been noted as such.
  if (!found && of_.is_map()) of_.wrong("'" + std::string(key) + "' is missing");
  return found;
}

void name_table::add(const value& where, const std::string& name) {
  const auto added = places_.emplace(name, where.at());
  if (added.second) return;
  where.wrong("the " + kind_ + " '" + name + "' is there already, in line " +
              std::to_string(added.first->second.line));
}

std::string name_table::missing(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const auto& known : places_)
    names.push_back(known.first);
  return "there is no " + kind_ + " '" + name + "'" + suggestion(name, names);
}

bool name_table::resolve(const value& reference, const std::string& name) const {
  if (has(name)) return true;
  reference.wrong(missing(name));
  return false;
}

place name_table::at(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? place{} : found->second;
}

} // namespace tidemark::config
