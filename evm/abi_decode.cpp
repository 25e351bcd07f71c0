// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"

#include <algorithm>
#include <optional>

namespace tidemark::evm {
namespace {

using kind = abi_type::kind;
constexpr std::size_t word_size = 32;

integer read_unsigned(bytes_view big_endian) {
  std::array<std::uint8_t, word_size> little{};
  std::reverse_copy(big_endian.begin(), big_endian.end(), little.begin());
  integer out;
  import_bits(out, little.data(), little.data() + big_endian.size(), 8, false);
  return out;
}

/// A value that fills one word. What a word holds beyond its type is left out: compilers have
/// written such words.
abi_value from_word(const abi_type& type, std::span<const std::uint8_t, word_size> word) {
  switch (type.is) {
  case kind::uint:
    return {read_unsigned(word.last(type.size / 8u))};
  case kind::int_: {
    const auto used = word.last(type.size / 8u);
    auto value = read_unsigned(used);
    if ((used.front() & 0x80) != 0) value -= integer(1) << type.size;
    return {value};
  }
  case kind::address: {
    address20 a;
    std::copy_n(word.end() - address20::size, address20::size, a.octets.begin());
    return {a};
  }
  case kind::boolean:
    return {std::any_of(word.begin(), word.end(), [](std::uint8_t octet) { return octet != 0; })};
  default:
    return {bytes(word.begin(), word.begin() + type.size)};
  }
}

/// Reads values out of the encoded arguments. Places count from the start of the data; each is
/// compared with its size before anything is read or allocated.
class data_reader {
public:
  explicit data_reader(bytes_view data) : data_(data) {}

  /// A member of the tuple that starts at `base`: its head is at `head`, which moves on behind it.
  result<abi_value> member(const abi_type& type, std::size_t base, std::size_t& head) const {
    if (type.dynamic()) {
      const auto offset = size_at(head);
      if (!offset) return offset.error();
      if (*offset > data_.size() - base) {
        return fail("its offset points behind the data", head);
      }
      head += word_size;
      return tail(type, base + *offset);
    }
    if (!type.inner.empty()) return fail("arrays and tuples come later: not yet", head);
    if (!has(head, word_size)) return too_short(head);
    auto out = from_word(type, std::span<const std::uint8_t, word_size>(&data_[head], word_size));
    head += word_size;
    return out;
  }

private:
  bool has(std::size_t at, std::size_t size) const {
    return at <= data_.size() && size <= data_.size() - at;
  }

  error too_short(std::size_t at) const {
    return fail("the data ends too early: it has " + std::to_string(data_.size()) + " bytes", at);
  }

  /// An offset or a length; one beyond the data's own size is wrong whatever it is used for.
  result<std::size_t> size_at(std::size_t at) const {
    if (!has(at, word_size)) return too_short(at);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < word_size; ++i) {
      if (value > data_.size()) break;
      value = value << 8 | data_[at + i];
    }
    if (value > data_.size()) return fail("an offset or length is larger than the data", at);
    return static_cast<std::size_t>(value);
  }

  /// What an offset points to.
  result<abi_value> tail(const abi_type& type, std::size_t at) const {
    if (!type.inner.empty()) return fail("arrays and tuples come later: not yet", at);
    const auto length = size_at(at);
    if (!length) return length.error();
    if (!has(at + word_size, *length)) return too_short(at + word_size);
    const auto content = data_.subspan(at + word_size, *length);
    if (type.is == kind::string) return abi_value{std::string(content.begin(), content.end())};
    return abi_value{bytes(content.begin(), content.end())};
  }

  bytes_view data_;
};

} // namespace

result<std::vector<abi_value>> decode_args(const abi_event& event,
                                           const std::vector<hash32>& topics, bytes_view data) {
  const auto expected = event.topic_count();
  if (topics.size() != expected) {
    return fail(event.name + " has " + std::to_string(expected) + " topics, the log " +
                std::to_string(topics.size()));
  }
  std::vector<abi_value> out;
  out.reserve(event.inputs.size());
  const data_reader reader(data);
  std::size_t topic = event.anonymous ? 0 : 1;
  std::size_t head = 0;
  for (const auto& input : event.inputs) {
    if (input.indexed) {
      const auto& value = topics[topic++];
      out.push_back(input.type.hashed_in_topic() ? abi_value{hashed{value}}
                                                 : from_word(input.type, value.octets));
      continue;
    }
    auto value = reader.member(input.type, 0, head);
    if (!value) return fail(input.name + ": " + value.error().text, value.error().at);
    out.push_back(std::move(*value));
  }
  return out;
}

result<std::vector<abi_value>> decode_log(const abi_event& event, const std::vector<hash32>& topics,
                                          bytes_view data) {
  if (!event.anonymous && (topics.empty() || topics[0] != event.topic0())) {
    return fail("the first topic is not that of " + event.signature());
  }
  return decode_args(event, topics, data);
}

} // namespace tidemark::evm
