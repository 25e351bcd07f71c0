// SPDX-License-Identifier: MIT
#include "config/expand.hpp"

#include <algorithm>

namespace tidemark::config {
namespace {

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

/// What stands between ${ and }.
evm::result<std::string> look_up(std::string_view inner, environment env) {
  const auto colon = inner.find(":-");
  const std::string name(inner.substr(0, colon));
  if (!is_variable_name(name)) {
    return evm::fail("'${' must be followed by a variable's name and '}' or ':-default}'");
  }
  auto value = env(name);
  if (colon == inner.npos) {
    if (value) return std::move(*value);
    return evm::fail("the environment variable " + name + " is not set; ${" + name +
                     ":-default} gives it a default");
  }
  const auto fallback = inner.substr(colon + 2);
  if (fallback.find("${") != fallback.npos)
    return evm::fail("the default of " + name + " is a text, and has no ${ of its own");
  if (value && !value->empty()) return std::move(*value);
  return std::string(fallback);
}

} // namespace

evm::result<std::string> expand(std::string_view text, environment env) {
  std::string out, wrong;
  const auto note = [&wrong](const std::string& what) {
    if (wrong.find(what) == wrong.npos) wrong += (wrong.empty() ? "" : "; ") + what;
  };
  while (true) {
    const auto start = text.find("${");
    out += text.substr(0, start);
    if (start == text.npos) break;
    text.remove_prefix(start + 2);
    const auto end = text.find('}');
    if (end == text.npos) {
      note("'${' without '}'");
      break;
    }
    if (const auto value = look_up(text.substr(0, end), env))
      out += *value;
    else
      note(value.error().text);
    text.remove_prefix(end + 1);
  }
  if (!wrong.empty()) return evm::fail(wrong);
  return out;
}

} // namespace tidemark::config
