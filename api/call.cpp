// SPDX-License-Identifier: MIT
#include "api/call.hpp"

#include "config/literals.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>

namespace tidemark::api {
namespace {

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(by), text.size());
    if (end != 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Nothing when `name` is one of `allowed`; else what to say.
std::optional<evm::error> check_name(std::string_view kind, std::string_view name,
                                     std::string_view allowed) {
  const auto names = split(allowed, ' ');
  if (std::find(names.begin(), names.end(), name) != names.end()) return std::nullopt;
  std::string said = "unknown " + std::string(kind) + " `" + std::string(name) + "`; ";
  if (names.empty())
    said += "there is none here";
  else
    said += "the nearest is `" + std::string(config::nearest(name, names)) + "`";
  return evm::fail(std::move(said));
}

std::optional<unsigned char> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned char>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned char>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned char>(c - 'A' + 10);
  return std::nullopt;
}

} // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t n = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, n);
  // SQLite's integers are signed: what is beyond them would turn round.
  if (read.ec != std::errc{} || read.ptr != end || n > INT64_MAX) return std::nullopt;
  return n;
}

std::optional<std::string> text(const call& c, std::string_view name) {
  const auto found = c.query.find(name);
  if (found == c.query.end()) return std::nullopt;
  return found->second;
}

evm::result<std::optional<std::uint64_t>> number(const call& c, std::string_view name) {
  const auto given = text(c, name);
  if (!given) return std::optional<std::uint64_t>{};
  const auto n = parse_number(*given);
  if (!n) return evm::fail("`" + std::string(name) + "` is a whole number, 0 or more");
  return n;
}

evm::result<std::uint32_t> limit_of(const call& c) {
  const auto given = number(c, "limit");
  if (!given || (*given && (**given == 0 || **given > most_items)))
    return evm::fail("`limit` is 1 to " + std::to_string(most_items));
  return static_cast<std::uint32_t>(given->value_or(100));
}

evm::result<store::page_request> page_of(const call& c, cursor kind) {
  const auto limit = limit_of(c);
  if (!limit) return limit.error();
  store::page_request page{*limit, text(c, "after")};
  if (page.after && kind == cursor::numbers &&
      (page.after->empty() || page.after->find_first_not_of("0123456789.") != std::string::npos))
    return evm::fail("`after` is no cursor of this list");
  return page;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (!high || !low || (*high == 0 && *low == 0)) return std::nullopt;
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return out;
}

evm::result<parameters> parse_query(std::string_view query, std::string_view allowed) {
  parameters out;
  for (const std::string_view pair : split(query, '&')) {
    const auto equals = pair.find('=');
    const auto name = percent_decoded(pair.substr(0, equals), true);
    const auto value =
        percent_decoded(equals == pair.npos ? std::string_view{} : pair.substr(equals + 1), true);
    if (!name || !value) return evm::fail("the query is not percent-encoded");
    if (auto unknown = check_name("parameter", *name, allowed)) return *unknown;
    if (!out.emplace(*name, *value).second) return evm::fail("`" + *name + "` is given twice");
  }
  return out;
}

evm::result<boost::json::object> parse_body(std::string_view body, std::string_view allowed) {
  if (body.find_first_not_of(" \t\r\n") == body.npos) return boost::json::object{};
  boost::system::error_code ec;
  const auto value = boost::json::parse(body, ec);
  if (ec || !value.is_object()) return evm::fail("the body must be one JSON object");
  for (const auto& member : value.get_object())
    if (auto unknown = check_name("member", member.key(), allowed)) return *unknown;
  return value.get_object();
}

const config::chain* find_chain(const config::config& c, std::string_view name) {
  for (const auto& chain : c.chains)
    if (chain.name == name) return &chain;
  return nullptr;
}

const config::list* find_list(const config::config& c, std::string_view name) {
  for (const auto& list : c.lists)
    if (list.name == name) return &list;
  return nullptr;
}

const config::handler* find_handler(const config::config& c, std::string_view name) {
  for (const auto& handler : c.handlers)
    if (handler.name() == name) return &handler;
  return nullptr;
}

std::string chain_name(const config::config& c, std::uint64_t id) {
  for (const auto& chain : c.chains)
    if (chain.id == id) return chain.name;
  return std::to_string(id);
}

net::response bad_request(const evm::error& e) { return net::problem(400, e.text); }

net::response not_found(std::string_view kind, std::string_view name) {
  return net::problem(404, "there is no " + std::string(kind) + " `" + std::string(name) + "`");
}

net::response unreadable(const store::store_failure& f) {
  net::response r = net::problem(503, "the store could not be read: " + f.text);
  r.headers.emplace_back("Retry-After", "1");
  return r;
}

} // namespace tidemark::api
