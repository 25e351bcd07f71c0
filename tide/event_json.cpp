// SPDX-License-Identifier: MIT
#include "tide/event_json.hpp"

#include "evm/hex.hpp"
#include "tide/fact.hpp"

#include <algorithm>

namespace tidemark::tide {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

/// The bytes of the character that `text` (not empty) begins with; 0 where that is not UTF-8. By
/// table 3-7 of Unicode.
std::size_t character_size(std::string_view text) {
  const auto octet = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = octet(0);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xc2   ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size == 0 || text.size() < size) return 0;
  unsigned char low = 0x80, high = 0xbf;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (octet(1) < low || octet(1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((octet(i) & 0xc0) != 0x80) return 0;
  }
  return size;
}

bool is_plain(char c) {
  const auto octet = static_cast<unsigned char>(c);
  return octet >= 0x20 && octet < 0x80 && c != '"' && c != '\\';
}

void append_escaped(std::string& out, char c) {
  switch (c) {
  case '"':
    out += "\\\"";
    break;
  case '\\':
    out += "\\\\";
    break;
  case '\n':
    out += "\\n";
    break;
  case '\r':
    out += "\\r";
    break;
  case '\t':
    out += "\\t";
    break;
  default:
    out += "\\u00";
    out += hex_digits[static_cast<unsigned char>(c) >> 4];
    out += hex_digits[static_cast<unsigned char>(c) & 15];
  }
}

void append_number(std::string& out, std::uint64_t n) { out += std::to_string(n); }

template <std::size_t N> void append_quoted_hex(std::string& out, const evm::fixed_bytes<N>& v) {
  out += '"';
  evm::append_hex(out, v.view());
  out += '"';
}

void append_quoted_hex(std::string& out, evm::bytes_view v) {
  out += '"';
  evm::append_hex(out, v);
  out += '"';
}

/// Arrays and tuples: an object only where every member has a name.
void append_members(std::string& out, const evm::abi_type& type,
                    const std::vector<evm::abi_value>& members) {
  const bool tuple = type.is == evm::abi_type::kind::tuple;
  const bool object = tuple && type.names.size() == members.size() &&
                      std::none_of(type.names.begin(), type.names.end(),
                                   [](const std::string& name) { return name.empty(); });
  out += object ? '{' : '[';
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i != 0) out += ',';
    if (object) {
      append_json_string(out, type.names[i]);
      out += ':';
    }
    append_value(out, type.inner[tuple ? i : 0], members[i]);
  }
  out += object ? '}' : ']';
}

struct value_writer {
  std::string& out;
  const evm::abi_type& type;

  void operator()(const evm::integer& v) const {
    out += '"';
    out += evm::to_decimal(v);
    out += '"';
  }
  void operator()(bool v) const { out += v ? "true" : "false"; }
  void operator()(const evm::address20& v) const { append_quoted_hex(out, v); }
  void operator()(const evm::bytes& v) const { append_quoted_hex(out, evm::bytes_view(v)); }
  void operator()(const std::string& v) const {
    if (is_utf8(v)) {
      append_json_string(out, v);
      return;
    }
    out += R"({"bytes":)";
    append_quoted_hex(out, {reinterpret_cast<const std::uint8_t*>(v.data()), v.size()});
    out += '}';
  }
  void operator()(const evm::hashed& v) const {
    out += R"({"hash":)";
    append_quoted_hex(out, v.hash);
    out += '}';
  }
  void operator()(const std::vector<evm::abi_value>& v) const { append_members(out, type, v); }
};

void append_place(std::string& out, const log_story& s) {
  out += R"("block":{"number":)";
  append_number(out, s.log.block.number);
  out += R"(,"hash":)";
  append_quoted_hex(out, s.log.block.hash);
  out += R"(,"timestamp":)";
  append_number(out, s.block_time);
  out += R"(},"transaction":{"hash":)";
  append_quoted_hex(out, s.log.tx);
  out += R"(,"index":)";
  append_number(out, s.log.tx_index);
  out += R"(},"log_index":)";
  append_number(out, s.log.log_index);
}

void append_log(std::string& out, const evm::log& log) {
  out += R"("address":)";
  append_quoted_hex(out, log.address);
  out += R"(,"topics":[)";
  for (std::size_t i = 0; i < log.topics.size(); ++i) {
    if (i != 0) out += ',';
    append_quoted_hex(out, log.topics[i]);
  }
  out += R"(],"data":)";
  append_quoted_hex(out, evm::bytes_view(log.data));
}

void append_args(std::string& out, const log_story& s) {
  out += R"("event":)";
  append_json_string(out, s.event.name);
  if (!s.args) {
    out += R"(,"args":null,"decode_error":)";
    append_json_string(out, s.args.error().text);
    return;
  }
  out += R"(,"args":{)";
  for (std::size_t i = 0; i < s.args->size(); ++i) {
    if (i != 0) out += ',';
    append_json_string(out, s.event.inputs[i].name);
    out += ':';
    append_value(out, s.event.inputs[i].type, (*s.args)[i]);
  }
  out += '}';
  // Said, since somebody may wonder why the same bytes do not come out of an encoder.
  if (s.notes.padding || s.notes.trailing) out += R"(,"decode_notes":[)";
  if (s.notes.padding) out += R"("padding")";
  if (s.notes.padding && s.notes.trailing) out += ',';
  if (s.notes.trailing) out += R"("trailing")";
  if (s.notes.padding || s.notes.trailing) out += ']';
}

void append_policy(std::string& out, const policy& p) {
  out += R"({"policy":)";
  if (p.name)
    append_json_string(out, *p.name);
  else
    out += "null";
  out += R"(,"blocks":)";
  if (p.blocks)
    append_number(out, *p.blocks);
  else
    out += "null";
  out += R"(,"tag":)";
  if (p.at_least != tag::none)
    append_json_string(out, to_text(p.at_least));
  else
    out += "null";
  out += '}';
}

} // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto size = character_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto size = character_size(text);
    if (size == 0)
      out += "\xef\xbf\xbd";
    else if (size == 1)
      append_escaped(out, text[0]);
    else
      out += text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  out += '"';
}

std::string logical_id(std::uint64_t chain_id, const evm::hash32& tx, std::uint32_t ordinal) {
  return std::to_string(chain_id) + ':' + evm::to_hex(tx) + ":o" + std::to_string(ordinal);
}

void append_value(std::string& out, const evm::abi_type& type, const evm::abi_value& value) {
  std::visit(value_writer{out, type}, value.is);
}

void append_confirmations(std::string& out, const std::vector<policy>& applied) {
  out += R"(,"confirmations":[)";
  for (std::size_t i = 0; i < applied.size(); ++i) {
    if (i != 0) out += ',';
    append_policy(out, applied[i]);
  }
  out += ']';
}

std::string render_log(const log_story& s) {
  std::string out;
  // Fixed words, the place and an argument or two take about 900 bytes.
  out.reserve(1'024 + 2 * s.log.data.size());
  out += R"({"event_id":")";
  out += event_id(s.chain_id, s.log.tx, static_cast<std::int32_t>(s.log.log_index));
  out += R"(","logical_id":)";
  if (s.ordinal)
    append_json_string(out, logical_id(s.chain_id, s.log.tx, *s.ordinal));
  else
    out += "null";
  out += R"(,"kind":"log","chain":)";
  append_json_string(out, s.chain);
  out += R"(,"chain_id":)";
  append_number(out, s.chain_id);
  out += R"(,"subscriptions":[)";
  for (std::size_t i = 0; i < s.subscriptions.size(); ++i) {
    if (i != 0) out += ',';
    append_json_string(out, s.subscriptions[i]);
  }
  out += "],";
  append_place(out, s);
  out += ',';
  append_log(out, s.log);
  out += ',';
  append_args(out, s);
  append_confirmations(out, s.confirmations);
  out += '}';
  return out;
}

} // namespace tidemark::tide
