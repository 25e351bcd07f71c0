// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"

#include <algorithm>
#include <iterator>
#include <map>
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

bool all_are(bytes_view octets, std::uint8_t value) {
  return std::all_of(octets.begin(), octets.end(), [=](std::uint8_t o) { return o == value; });
}

/// A value that fills one word. What the word holds beyond its type is left out, and noted:
/// compilers have written such words.
abi_value from_word(const abi_type& type, std::span<const std::uint8_t, word_size> word,
                    decode_notes& notes) {
  const auto unused_before = [&](std::size_t used, std::uint8_t fill) {
    if (!all_are(word.first(word_size - used), fill)) notes.padding = true;
    return word.last(used);
  };
  switch (type.is) {
  case kind::uint:
    return {read_unsigned(unused_before(type.size / 8u, 0))};
  case kind::int_: {
    const bool negative = (word[word_size - type.size / 8u] & 0x80) != 0;
    auto value = read_unsigned(unused_before(type.size / 8u, negative ? 0xff : 0));
    if (negative) value -= integer(1) << type.size;
    return {std::move(value)};
  }
  case kind::address: {
    address20 a;
    std::copy_n(unused_before(address20::size, 0).begin(), address20::size, a.octets.begin());
    return {a};
  }
  case kind::boolean: {
    const auto last = unused_before(1, 0).front();
    if (last > 1) notes.padding = true;
    return {!all_are(word, 0)};
  }
  default:
    if (!all_are(word.subspan(type.size), 0)) notes.padding = true;
    return {bytes(word.begin(), word.begin() + type.size)};
  }
}

std::size_t padded(std::size_t size) { return (size + word_size - 1) / word_size * word_size; }

/// Reads values out of the encoded arguments. Places count from the start of the data; each is
/// compared with its size before anything is read or allocated, and no octet is read for two
/// values.
class data_reader {
public:
  /// `heads`: octets of the arguments' own places at the start of the data.
  data_reader(bytes_view data, std::uint64_t heads, decode_notes& notes)
      : data_(data), heads_(heads),
        end_(static_cast<std::size_t>(std::min<std::uint64_t>(heads, data.size()))), notes_(notes) {
  }

  /// A member of the tuple or array that starts at `base`: its head is at `head`, which moves on
  /// behind it.
  result<abi_value> member(const abi_type& type, std::size_t base, std::size_t& head) {
    if (type.dynamic()) {
      const auto offset = size_at(head);
      if (!offset) return offset.error();
      if (*offset > data_.size() - base) {
        return fail("its offset points behind the data", head);
      }
      head += word_size;
      return tail(type, base + *offset);
    }
    if (!has(head, type.head_size())) return too_short(head);
    return in_place(type, head);
  }

  /// To be called behind the last value.
  void note_trailing() {
    if (data_.size() > end_) notes_.trailing = true;
  }

private:
  bool has(std::size_t at, std::uint64_t size) const {
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

  /// Takes the octets for one value; false if another has some of them.
  bool claim(std::size_t from, std::uint64_t size) {
    if (claimed_.empty()) claimed_.emplace(0, static_cast<std::size_t>(heads_));
    const auto to = from + static_cast<std::size_t>(size);
    const auto behind = claimed_.upper_bound(from);
    if (behind != claimed_.end() && behind->first < to) return false;
    if (behind != claimed_.begin() && std::prev(behind)->second > from) return false;
    claimed_.emplace_hint(behind, from, to);
    end_ = std::max(end_, padded(to));
    return true;
  }

  /// A static value, all of which is known to be there.
  abi_value in_place(const abi_type& type, std::size_t& head) {
    if (type.inner.empty()) {
      auto out = from_word(type, std::span<const std::uint8_t, word_size>(&data_[head], word_size),
                           notes_);
      head += word_size;
      return out;
    }
    std::vector<abi_value> members;
    const bool array = type.is == kind::array;
    const auto count = array ? static_cast<std::size_t>(type.length) : type.inner.size();
    members.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      members.push_back(in_place(type.inner[array ? 0 : i], head));
    return {std::move(members)};
  }

  /// What an offset points to.
  result<abi_value> tail(const abi_type& type, std::size_t at) {
    if (type.inner.empty()) return octets(type, at);
    const bool array = type.is == kind::array;
    std::uint64_t count = array ? static_cast<std::uint64_t>(type.length) : type.inner.size();
    auto base = at;
    if (array && type.length < 0) {
      const auto said = size_at(at);
      if (!said) return said.error();
      count = *said;
      base += word_size;
    }
    std::uint64_t heads = 0; // of all members
    if (array) {
      const auto one = type.inner[0].head_size();
      if (count > data_.size() / one) return too_short(base);
      heads = count * one;
    } else {
      for (const auto& m : type.inner)
        heads += m.head_size();
    }
    if (!has(base, heads)) return too_short(base);
    if (!claim(at, base - at + heads)) return shared(at);
    return members(type, static_cast<std::size_t>(count), base);
  }

  result<abi_value> members(const abi_type& type, std::size_t count, std::size_t base) {
    std::vector<abi_value> out;
    out.reserve(count);
    auto head = base;
    for (std::size_t i = 0; i < count; ++i) {
      auto value = member(type.inner[type.is == kind::array ? 0 : i], base, head);
      if (!value) return value.error();
      out.push_back(std::move(*value));
    }
    return abi_value{std::move(out)};
  }

  /// bytes or string.
  result<abi_value> octets(const abi_type& type, std::size_t at) {
    const auto length = size_at(at);
    if (!length) return length.error();
    const auto start = at + word_size;
    if (!has(start, *length)) return too_short(start);
    if (!claim(at, word_size + *length)) return shared(at);
    const auto content = data_.subspan(start, *length);
    const auto rest = data_.subspan(start + *length);
    if (!all_are(rest.first(std::min(rest.size(), padded(*length) - *length)), 0))
      notes_.padding = true;
    if (type.is == kind::string) return abi_value{std::string(content.begin(), content.end())};
    return abi_value{bytes(content.begin(), content.end())};
  }

  static error shared(std::size_t at) { return fail("two values share the same bytes", at); }

  bytes_view data_;
  std::uint64_t heads_;
  std::size_t end_; ///< of what was read, padding included
  decode_notes& notes_;
  std::map<std::size_t, std::size_t> claimed_; ///< from → to; empty until the first tail
};

error wrong_topics(const abi_event& event, std::size_t found) {
  return fail(event.name + " has " + std::to_string(event.topic_count()) + " topics, the log " +
              std::to_string(found));
}

abi_value from_topic(const abi_type& type, const hash32& topic, decode_notes& notes) {
  if (type.hashed_in_topic()) return abi_value{hashed{topic}};
  return from_word(type, topic.octets, notes);
}

} // namespace

result<std::vector<abi_value>> decode_args(const abi_event& event,
                                           const std::vector<hash32>& topics, bytes_view data,
                                           decode_notes* notes) {
  std::size_t indexed = event.anonymous ? 0 : 1;
  std::uint64_t heads = 0;
  for (const auto& input : event.inputs) {
    if (input.indexed)
      ++indexed;
    else
      heads += input.type.head_size();
  }
  if (topics.size() != indexed) return wrong_topics(event, topics.size());
  std::vector<abi_value> out;
  out.reserve(event.inputs.size());
  decode_notes seen;
  data_reader reader(data, heads, seen);
  std::size_t topic = event.anonymous ? 0 : 1;
  std::size_t head = 0;
  for (const auto& input : event.inputs) {
    if (input.indexed) {
      out.push_back(from_topic(input.type, topics[topic++], seen));
      continue;
    }
    auto value = reader.member(input.type, 0, head);
    if (!value) return fail(input.name + ": " + value.error().text, value.error().at);
    out.push_back(std::move(*value));
  }
  reader.note_trailing();
  if (notes != nullptr) *notes = seen;
  return out;
}

std::vector<std::optional<abi_value>> decode_topics(const abi_event& event,
                                                    const std::vector<hash32>& topics) {
  std::vector<std::optional<abi_value>> out(event.inputs.size());
  if (topics.size() != event.topic_count()) return out;
  decode_notes unused;
  std::size_t topic = event.anonymous ? 0 : 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& input = event.inputs[i];
    if (input.indexed) out[i] = from_topic(input.type, topics[topic++], unused);
  }
  return out;
}

result<std::vector<abi_value>> decode_log(const abi_event& event, const std::vector<hash32>& topics,
                                          bytes_view data, decode_notes* notes) {
  if (!event.anonymous && (topics.empty() || topics[0] != event.topic0())) {
    return fail("the first topic is not that of " + event.signature());
  }
  return decode_args(event, topics, data, notes);
}

} // namespace tidemark::evm
