// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "tide/nearest.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// YAML with a place for every word. Nothing here stops at an error: it is noted, and reading goes
// on, so that the user sees all of them at once.

namespace tidemark::config {

/// 1-based; 0: the file as a whole.
struct place {
  std::size_t line = 0, column = 0;
};
place place_of(const YAML::Mark& mark);

/// What one reading of a file needs and collects.
struct reading {
  std::filesystem::path file;
  environment env = nullptr;
  tls_judge judge_tls = nullptr; ///< or nobody
  std::vector<problem> problems = {}, warnings = {};

  void wrong(place at, std::string text) { note(problems, at, std::move(text)); }
  void warn(place at, std::string text) { note(warnings, at, std::move(text)); }
  /// Relative paths in the config are beside it.
  std::filesystem::path beside_file(const std::filesystem::path& p) const {
    return file.parent_path() / p;
  }

private:
  void note(std::vector<problem>& list, place at, std::string text);
};

/// One value of the file; the reading must outlive it.
class value {
public:
  /// `key_at` is where it is wrong if there is nothing behind the key.
  value(reading& r, const YAML::Node& node, std::string path, place key_at = {})
      : reading_(&r), node_(node), path_(std::move(path)), key_at_(key_at) {}

  reading& in() const { return *reading_; }
  const std::string& path() const { return path_; }
  place at() const;
  /// Where the text's character `offset` stands; as `at` where it stands there in other words than
  /// the file's (line breaks, escapes, a variable).
  place inside(std::size_t offset) const;
  /// Notes that this value is wrong; the text says what would be right.
  void wrong(const std::string& text) const { reading_->wrong(at(), with_path(text)); }
  void warn(const std::string& text) const { reading_->warn(at(), with_path(text)); }

  bool is_text() const { return node_.IsScalar(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_map() const { return node_.IsMap(); }
  bool has_key(std::string_view key) const;

  /// A scalar with the environment put in.
  std::optional<std::string> text() const;
  /// The items of a list.
  std::vector<value> items() const;
  /// The items of a list, or this one alone.
  std::vector<value> one_or_more() const { return is_list() ? items() : std::vector<value>{*this}; }

  struct member;
  /// A map's members in the file's order, those without a value too; a key that comes twice is
  /// noted.
  std::vector<member> members() const;

private:
  std::string with_path(const std::string& text) const {
    return path_.empty() ? text : path_ + ": " + text;
  }

  reading* reading_;
  YAML::Node node_;
  std::string path_;
  place key_at_;
};

struct value::member {
  std::string key;
  place key_at;
  value of;
  bool given = false; ///< has a value
};

/// A map whose keys are known. Ask for each of them; what was never asked for is noted as unknown
/// at the end.
class section {
public:
  explicit section(const value& v) : of_(v), members_(v.members()) {}
  ~section();
  section(const section&) = delete;
  section& operator=(const section&) = delete;

  const value& of() const { return of_; }
  std::optional<value> find(std::string_view key);
  /// The same for a key that has to be there.
  std::optional<value> need(std::string_view key);

  /// `as` makes a value a T, or notes what is wrong with it and returns nothing.
  template <class T, class As> void read(std::string_view key, T& out, const As& as) {
    assign(find(key), out, as);
  }
  template <class T, class As> void need(std::string_view key, T& out, const As& as) {
    assign(need(key), out, as);
  }

private:
  template <class T, class As>
  static void assign(const std::optional<value>& v, T& out, const As& as) {
    if (!v) return;
    if (auto read = as(*v)) out = std::move(*read);
  }

  value of_;
  std::vector<value::member> members_;
  std::vector<std::string_view> known_; ///< literals
};

/// The names of one kind: each once, and each reference to one that is there.
class name_table {
public:
  explicit name_table(std::string kind) : kind_(std::move(kind)) {}
  void add(const value& where, const std::string& name);
  bool has(const std::string& name) const { return places_.contains(name); }
  /// What is said of a name that is not there, with the nearest that is.
  std::string missing(const std::string& name) const;
  /// Notes a name that is not there.
  bool resolve(const value& reference, const std::string& name) const;
  /// Where `name` was given.
  place at(const std::string& name) const;

private:
  std::string kind_;
  std::map<std::string, place> places_;
};

using tide::suggestion;

} // namespace tidemark::config
