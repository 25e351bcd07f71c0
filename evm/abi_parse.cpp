// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"

#include <algorithm>
#include <optional>

namespace tidemark::evm {
namespace {

constexpr std::size_t max_text = std::size_t{16} * 1024;
/// Of tuples in tuples, of [] behind a type, and of both together: what is decoded becomes JSON,
/// which its readers take to a depth of 32.
constexpr int max_depth = 16;
constexpr std::int64_t max_array = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool is_modifier(std::string_view word) { return word == "indexed" || word == "payable"; }

int nesting(const abi_type& type) {
  int deepest = -1;
  for (const abi_type& t : type.inner)
    deepest = std::max(deepest, nesting(t));
  return deepest + 1;
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t shown = 40;
  std::string out(1, '\'');
  out += word.substr(0, shown);
  return out += word.size() > shown ? "…'" : "'";
}

/// The number behind `prefix` in "uint256"; nothing where the rest is no plain number.
std::optional<int> number_behind(std::string_view prefix, std::string_view word) {
  if (word.substr(0, prefix.size()) != prefix) return std::nullopt;
  const auto rest = word.substr(prefix.size());
  if (rest.empty() || !std::all_of(rest.begin(), rest.end(), is_digit)) return std::nullopt;
  if (rest.size() > 3 || rest[0] == '0') return -1; // a number, but of no type
  int n = 0;
  for (char c : rest)
    n = 10 * n + (c - '0');
  return n;
}

result<abi_type> elementary(std::string_view word, std::size_t at) {
  using kind = abi_type::kind;
  const auto of = [](kind is, int size) {
    abi_type t;
    t.is = is;
    t.size = static_cast<std::uint16_t>(size);
    return t;
  };
  if (word == "uint") return of(kind::uint, 256);
  if (word == "int") return of(kind::int_, 256);
  if (word == "address") return of(kind::address, 0);
  if (word == "bool") return of(kind::boolean, 0);
  if (word == "bytes") return of(kind::bytes, 0);
  if (word == "string") return of(kind::string, 0);
  for (const auto is : {kind::uint, kind::int_}) {
    const auto bits = number_behind(is == kind::uint ? "uint" : "int", word);
    if (!bits) continue;
    if (*bits >= 8 && *bits <= 256 && *bits % 8 == 0) return of(is, *bits);
    return fail(in_quotes(word) + " is no type: an integer has 8, 16, 24 … 256 bits", at);
  }
  if (const auto octets = number_behind("bytes", word)) {
    if (*octets >= 1 && *octets <= 32) return of(kind::fixed_bytes, *octets);
    return fail(in_quotes(word) + " is no type: bytes1 to bytes32, or bytes", at);
  }
  return fail(in_quotes(word) +
                  " is no type of the ABI: uint8 … uint256, int8 … int256, address, bool, "
                  "bytes1 … bytes32, bytes or string; for a contract write address, for "
                  "an enum uint8",
              at);
}

/// Reads a signature from left to right; the first thing that does not fit is the error.
class signature_reader {
public:
  explicit signature_reader(std::string_view text) : text_(text) {}

  result<abi_event> event();

private:
  /// The place of the next character that is not white space.
  std::size_t next() {
    while (pos_ < text_.size() && std::string_view(" \t\r\n").find(text_[pos_]) != text_.npos)
      ++pos_;
    return pos_;
  }
  bool sees(char c) { return next() < text_.size() && text_[pos_] == c; }
  bool take(char c) {
    if (!sees(c)) return false;
    ++pos_;
    return true;
  }
  std::string_view peek_word();
  std::string_view take_word() {
    const auto word = peek_word();
    pos_ += word.size();
    return word;
  }
  bool take_keyword(std::string_view keyword) {
    if (peek_word() != keyword) return false;
    pos_ += keyword.size();
    return true;
  }
  std::string found();

  result<abi_type> type(int depth);
  result<abi_type> tuple(int depth);
  result<abi_type> array_of(abi_type element);
  result<abi_parameter> parameter(std::size_t place);
  result<std::string> name();

  std::string_view text_;
  std::size_t pos_ = 0;
};

std::string_view signature_reader::peek_word() {
  const auto start = next();
  if (start == text_.size() || !is_letter(text_[start])) return {};
  auto end = start + 1;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end])))
    ++end;
  return text_.substr(start, end - start);
}

std::string signature_reader::found() {
  if (next() == text_.size()) return "the end";
  const auto word = peek_word();
  const auto octet = static_cast<unsigned char>(text_[pos_]);
  if (octet < 0x20 || octet > 0x7e) return "a character that is not ASCII text";
  return in_quotes(word.empty() ? text_.substr(pos_, 1) : word);
}

result<abi_type> signature_reader::type(int depth) {
  const auto at = next();
  if (depth > max_depth) return fail("tuples are nested too deep: at most 16 levels", at);
  const auto word = take_word();
  const bool is_tuple = word == "tuple" || (word.empty() && sees('('));
  if (!is_tuple && word.empty()) return fail("expected a type, found " + found(), at);
  auto out = is_tuple ? tuple(depth) : elementary(word, at);
  if (word == "address") take_keyword("payable");
  for (int dimensions = 1; out && sees('['); ++dimensions) {
    if (dimensions > max_depth) return fail("too many dimensions: at most 16", pos_);
    out = array_of(std::move(*out));
  }
  return out;
}

result<abi_type> signature_reader::tuple(int depth) {
  abi_type out;
  out.is = abi_type::kind::tuple;
  if (!take('(')) return fail("expected '(' behind tuple, found " + found(), pos_);
  do {
    const auto at = next();
    auto member = type(depth + 1);
    if (!member) return member.error();
    auto member_name = name();
    if (!member_name) return member_name.error();
    if (!member_name->empty() &&
        std::find(out.names.begin(), out.names.end(), *member_name) != out.names.end()) {
      return fail("two members of the tuple are called " + in_quotes(*member_name), at);
    }
    out.inner.push_back(std::move(*member));
    out.names.push_back(std::move(*member_name));
  } while (take(','));
  if (!take(')')) return fail("expected ',' or ')' in the tuple, found " + found(), pos_);
  return out;
}

result<abi_type> signature_reader::array_of(abi_type element) {
  take('[');
  abi_type out;
  out.is = abi_type::kind::array;
  const auto at = next();
  std::int64_t length = 0;
  while (pos_ < text_.size() && is_digit(text_[pos_]) && length <= max_array) {
    length = 10 * length + (text_[pos_++] - '0');
  }
  if (pos_ > at) {
    if (length < 1 || length > max_array) {
      return fail("an array's length is 1 to 1000000000", at);
    }
    out.length = length;
  }
  if (!take(']')) return fail("expected ']' or the array's length, found " + found(), pos_);
  out.inner.push_back(std::move(element));
  return out;
}

result<std::string> signature_reader::name() {
  const auto at = next();
  const auto word = take_word();
  if (is_modifier(word)) {
    return fail(in_quotes(word) + " cannot stand here: type, then indexed, then the name", at);
  }
  return std::string(word);
}

result<abi_parameter> signature_reader::parameter(std::size_t place) {
  const auto at = next();
  auto read = type(0);
  if (!read) return read.error();
  if (nesting(*read) > max_depth)
    return fail("tuples and [] are nested too deep: at most 16 levels", at);
  abi_parameter out;
  out.type = std::move(*read);
  out.indexed = take_keyword("indexed");
  auto word = name();
  if (!word) return word.error();
  out.name = word->empty() ? "arg" + std::to_string(place) : std::move(*word);
  return out;
}

result<abi_event> signature_reader::event() {
  abi_event out;
  auto at = next();
  auto word = take_word();
  if (word == "event" && !sees('(')) {
    at = next();
    word = take_word();
  }
  if (word.empty()) return fail("expected the event's name, found " + found(), at);
  out.name = word;
  if (!take('(')) return fail("expected '(' behind the name, found " + found(), pos_);
  std::vector<std::size_t> indexed_at;
  if (!sees(')')) {
    do {
      at = next();
      auto input = parameter(out.inputs.size());
      if (!input) return input.error();
      for (const auto& other : out.inputs) {
        if (other.name != input->name) continue;
        return fail(
            "two parameters are called " + in_quotes(input->name) + ": give each its own name", at);
      }
      if (input->indexed) indexed_at.push_back(at);
      out.inputs.push_back(std::move(*input));
    } while (take(','));
  }
  if (!take(')')) return fail("expected ',' or ')', found " + found(), pos_);
  out.anonymous = take_keyword("anonymous");
  take(';');
  if (next() != text_.size()) return fail("expected the end, found " + found(), pos_);
  const std::size_t most = out.anonymous ? 4 : 3;
  if (indexed_at.size() > most) {
    return fail("too many indexed parameters: at most 3, or 4 of an anonymous event",
                indexed_at[most]);
  }
  return out;
}

} // namespace

result<abi_event> parse_event(std::string_view text) {
  if (text.size() > max_text) return fail("the signature is too long: at most 16 KiB", max_text);
  return signature_reader(text).event();
}

} // namespace tidemark::evm
