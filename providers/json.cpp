// SPDX-License-Identifier: MIT
#include "providers/json.hpp"

#include "evm/hex.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value_stack.hpp>

#include <charconv>
#include <limits>
#include <string>

namespace tidemark::providers {

namespace json = boost::json;

namespace {

constexpr std::uint64_t max_int64 = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t max_int32 = std::numeric_limits<std::int32_t>::max();

/// What boost::json::parser does, and counts the members that it was given: a tree that has fewer
/// had one twice.
struct tree_builder {
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  using error_code = json::error_code;
  using text = json::string_view;

  json::value_stack stack;
  std::size_t members = 0;

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t n, error_code&) {
    members += n;
    stack.push_object(n);
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t n, error_code&) { return stack.push_array(n), true; }
  bool on_key_part(text s, std::size_t, error_code&) { return stack.push_chars(s), true; }
  bool on_key(text s, std::size_t, error_code&) { return stack.push_key(s), true; }
  bool on_string_part(text s, std::size_t, error_code&) { return stack.push_chars(s), true; }
  bool on_string(text s, std::size_t, error_code&) { return stack.push_string(s), true; }
  bool on_number_part(text, error_code&) { return true; }
  bool on_int64(std::int64_t i, text, error_code&) { return stack.push_int64(i), true; }
  bool on_uint64(std::uint64_t u, text, error_code&) { return stack.push_uint64(u), true; }
  bool on_double(double d, text, error_code&) { return stack.push_double(d), true; }
  bool on_bool(bool b, error_code&) { return stack.push_bool(b), true; }
  bool on_null(error_code&) { return stack.push_null(), true; }
  bool on_comment_part(text, error_code&) { return true; }
  bool on_comment(text, error_code&) { return true; }
};

// The parser's depth limit bounds the recursion.
std::size_t count_members(const json::value& v) {
  std::size_t n = 0;
  if (const auto* object = v.if_object()) {
    n = object->size();
    for (const auto& m : *object)
      n += count_members(m.value());
  } else if (const auto* array = v.if_array()) {
    for (const auto& element : *array)
      n += count_members(element);
  }
  return n;
}

bool unknown(const json::value* v) {
  return !v || v->is_null() || (v->is_string() && v->get_string().empty());
}

/// Decimal or 0x digits, leading zeros allowed.
std::optional<std::uint64_t> number_in(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, out, hex ? 16 : 10);
  if (trouble != std::errc{} || stop != end) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> quantity(const json::value& v, std::uint64_t max) {
  std::optional<std::uint64_t> out;
  if (const auto* s = v.if_string()) out = number_in({s->data(), s->size()});
  if (const auto* u = v.if_uint64()) out = *u;
  if (const auto* i = v.if_int64(); i && *i >= 0) out = static_cast<std::uint64_t>(*i);
  if (out && *out > max) return std::nullopt;
  return out;
}

std::optional<evm::hash32> hash(const json::value& v) {
  const auto* s = v.if_string();
  if (!s) return std::nullopt;
  return evm::parse_hash({s->data(), s->size()});
}

/// Calls `take(value)` for each of the members that says something; false means that it cannot be
/// right.
template <class Take> hint_fields& each(hint_fields& fields, hint_fields::names names,
                                        std::string_view wanted, Take take) {
  for (const auto name : names) {
    if (fields.trouble) break;
    const auto* v = member(fields.from, name);
    if (unknown(v) || take(*v)) continue;
    fields.trouble = evm::fail(std::string{name} + " is not " + std::string{wanted});
  }
  return fields;
}

/// The UTF-16 code unit of an escape (RFC 8259 §7) whose backslash is at `at`; nothing where it is
/// none.
std::optional<unsigned> code_unit(std::string_view text, std::size_t at) {
  if (text.size() - at < 6 || text[at + 1] != 'u') return std::nullopt;
  unsigned out = 0;
  const auto* end = text.data() + at + 6;
  const auto [stop, trouble] = std::from_chars(text.data() + at + 2, end, out, 16);
  return trouble == std::errc{} && stop == end ? std::optional{out} : std::nullopt;
}

/// Names of tokens are cut in the middle of a character, and JSON.stringify then writes half of a
/// surrogate pair, which the parser does not take: U+FFFD stands in for it.
std::string without_half_pairs(std::string_view text) {
  std::string out{text};
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] != '\\') continue;
    const auto unit = code_unit(text, at);
    if (!unit || *unit < 0xd800 || *unit > 0xdfff) {
      ++at; // what is escaped is no backslash that escapes
      continue;
    }
    const bool leads = *unit < 0xdc00;
    const auto next = leads && at + 6 < text.size() && text[at + 6] == '\\'
                          ? code_unit(text, at + 6)
                          : std::nullopt;
    const bool pair = next && *next >= 0xdc00 && *next <= 0xdfff;
    if (!pair) out.replace(at, 6, "\\ufffd");
    at += pair ? 11 : 5;
  }
  return out;
}

evm::result<json::value> parse_strictly(std::string_view text) {
  // A tree is about twice its text; small bodies should not cost a page each.
  const auto memory = json::make_shared_resource<json::monotonic_resource>(2 * text.size() + 512);
  json::basic_parser<tree_builder> parser{json::parse_options{}};
  auto& built = parser.handler();
  built.stack.reset(memory);
  json::error_code trouble;
  const auto read = parser.write_some(false, text.data(), text.size(), trouble);
  if (trouble) return evm::fail("not JSON: " + trouble.message(), read);
  if (read < text.size()) return evm::fail("not JSON: something behind the value", read);
  auto tree = built.stack.release();
  if (count_members(tree) != built.members) return evm::fail("an object has a member twice");
  return tree;
}

} // namespace

evm::result<json::value> parse_json(std::string_view text) {
  auto tree = parse_strictly(text);
  if (tree) return tree;
  const auto mended = without_half_pairs(text);
  return mended == text ? tree : parse_strictly(mended);
}

const json::value* member(const json::value& v, std::string_view name) {
  const auto* object = v.if_object();
  return object ? object->if_contains(json::string_view{name.data(), name.size()}) : nullptr;
}

hint_fields& hint_fields::chain(names from_these) {
  return each(*this, from_these, "a chain", [this](const json::value& v) {
    const auto id = quantity(v, max_int64);
    const auto* word = v.if_string();
    if (id) into.chain_id = id;
    // A word that begins as a number does is a number that cannot be right.
    else if (word && (word->front() < '0' || word->front() > '9'))
      into.network = word->c_str();
    else
      return false;
    return true;
  });
}

hint_fields& hint_fields::block_number(names from_these) {
  return each(*this, from_these, "a block number", [this](const json::value& v) {
    const auto n = quantity(v, max_int64);
    if (n) into.block_number = n;
    return n.has_value();
  });
}

hint_fields& hint_fields::block_hash(names from_these) {
  return each(*this, from_these, "a hash of 32 bytes", [this](const json::value& v) {
    const auto h = hash(v);
    if (h) into.block_hash = h;
    return h.has_value();
  });
}

hint_fields& hint_fields::tx(names from_these) {
  return each(*this, from_these, "a hash of 32 bytes", [this](const json::value& v) {
    const auto h = hash(v);
    if (h) into.tx = h;
    return h.has_value();
  });
}

hint_fields& hint_fields::log_index(names from_these) {
  return each(*this, from_these, "a log index", [this](const json::value& v) {
    const auto n = quantity(v, max_int32);
    if (n) into.log_index = static_cast<std::uint32_t>(*n);
    return n.has_value();
  });
}

hint_fields& hint_fields::removed(names from_these) {
  return each(*this, from_these, "true or false", [this](const json::value& v) {
    const auto* b = v.if_bool();
    if (b) into.removed = *b;
    return b != nullptr;
  });
}

} // namespace tidemark::providers
