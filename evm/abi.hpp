// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"
#include "evm/result.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tidemark::evm {

using uint256 = boost::multiprecision::uint256_t;
/// Wide enough for every int256 and uint256 with its sign; compared exactly.
using integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    272, 272, boost::multiprecision::signed_magnitude, boost::multiprecision::unchecked, void>>;

/// A type of the contract ABI.
struct abi_type {
// g++ 12 takes an enumerator called bytes for one that hides evm::bytes, though it cannot.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
  enum class kind : std::uint8_t {
    uint,
    int_,
    address,
    boolean,
    fixed_bytes,
    bytes,
    string,
    array,
    tuple
  };
#pragma GCC diagnostic pop
  kind is = kind::uint;
  std::uint16_t size = 0;         ///< bits of an integer, bytes of bytesN
  std::int64_t length = -1;       ///< of an array: -1 is dynamic
  std::vector<abi_type> inner;    ///< an array's element, a tuple's members
  std::vector<std::string> names; ///< a tuple's member names, "" where unnamed

  bool dynamic() const; ///< encoded by offset
  /// Octets of its place in the tuple or array that holds it: 32 (an offset) where dynamic. Never
  /// 0, and at most 2^40 whatever the lengths multiply to.
  std::uint64_t head_size() const;
  bool hashed_in_topic() const;  ///< an indexed parameter of it leaves only its keccak in the log
  std::string canonical() const; ///< as in the signature: "uint256"
  friend bool operator==(const abi_type&, const abi_type&) = default;
};

struct abi_parameter {
  std::string name; ///< arg0, arg1, … where the signature has none
  abi_type type;
  bool indexed = false;
  friend bool operator==(const abi_parameter&, const abi_parameter&) = default;
};

/// An event of the ABI, as ethers and viem write it: [event] Name(type [indexed] [name], …)
/// [anonymous] [;]
struct abi_event {
  std::string name;
  std::vector<abi_parameter> inputs;
  bool anonymous = false;

  std::string signature() const;   ///< Transfer(address,address,uint256)
  hash32 topic0() const;           ///< keccak of the signature
  std::size_t topic_count() const; ///< how many topics a log of it has, topic0 included
  friend bool operator==(const abi_event&, const abi_event&) = default;
};

result<abi_event> parse_event(std::string_view text);

struct abi_value;
struct hashed {
  hash32 hash; ///< an indexed dynamic value: only its keccak is in the log
  friend bool operator==(const hashed&, const hashed&) = default;
};
struct abi_value {
  /// bytes: bytes and bytesN. string: the raw octets, which need not be UTF-8. vector: array or
  /// tuple, in order.
  std::variant<integer, bool, address20, bytes, std::string, hashed, std::vector<abi_value>> is;
  friend bool operator==(const abi_value& a, const abi_value& b);
};

/// What a log has that its ABI does not say; its values are read all the same.
struct decode_notes {
  bool padding = false;  ///< a word says more than its type can
  bool trailing = false; ///< the data goes on behind the last value
  friend bool operator==(const decode_notes&, const decode_notes&) = default;
};

/// The arguments of a log in the order of `event.inputs`. Strict about bounds: an offset, length or
/// count that leaves the data is an error before anything is allocated for it, and so are two
/// values that share octets, which is how a small log would become a large answer. Lenient about
/// padding and trailing octets, as real contracts need; `notes`, if given, says where.
result<std::vector<abi_value>> decode_log(const abi_event& event, const std::vector<hash32>& topics,
                                          bytes_view data, decode_notes* notes = nullptr);

/// As decode_log, without a look at topic0: for a caller that has compared it already, which saves
/// the keccak.
result<std::vector<abi_value>> decode_args(const abi_event& event,
                                           const std::vector<hash32>& topics, bytes_view data,
                                           decode_notes* notes = nullptr);

/// What the topics alone say of the arguments, in the order of `event.inputs`; nothing where an
/// argument is in the data. There must be `event.topic_count()` topics.
std::vector<std::optional<abi_value>> decode_topics(const abi_event& event,
                                                    const std::vector<hash32>& topics);

/// A whole number as a person writes it: 42, -1, 1_000_000, 1e18, 2.5e6, 0x2a, 30gwei, 0.05ether
/// (a space may stand before the unit). One of 2^256 or more is a number of that size and no more:
/// every range refuses it. The error's offset is in `text`.
result<integer> parse_number(std::string_view text);

/// A literal as a person writes it for a value of that type. Integers: as parse_number takes them,
/// within the type's range. Addresses: any case, mixed case by
/// EIP-55. true, false. bytes and bytesN: 0x and hex digits, bytesN exactly N. A string: the text
/// as it is. The error's offset is in `text`.
result<abi_value> parse_value(const abi_type& type, std::string_view text);

/// Decimal text, with a minus sign where negative.
std::string to_decimal(const integer& v);

/// The 32 bytes that a value of that type, as decoded or parsed for it, has as a topic: itself
/// where it fits into a word, else the keccak of what the ABI says of indexed values.
hash32 topic_of(const abi_type& type, const abi_value& value);

} // namespace tidemark::evm
