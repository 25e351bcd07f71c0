// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"
#include "evm/result.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tidemark::evm {

using uint256 = boost::multiprecision::uint256_t;
/// Wide enough for every int256 and uint256 with its sign; compared exactly.
using integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    272, 272, boost::multiprecision::signed_magnitude, boost::multiprecision::unchecked, void>>;

/// A type of the contract ABI. Arrays and tuples are in the shape already, so that the decoder's
/// callers need not change when they are decoded; `parse_event` says "not yet" to them for now.
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

  bool dynamic() const;          ///< encoded by offset
  bool hashed_in_topic() const;  ///< an indexed parameter of it leaves only its keccak in the log
  std::string canonical() const; ///< as in the signature: "uint256"
  friend bool operator==(const abi_type&, const abi_type&) = default;
};

struct abi_parameter {
  std::string name; ///< arg0, arg1, … where the signature has none
  abi_type type;
  bool indexed = false;
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

/// The arguments of a log in the order of `event.inputs`. Strict about bounds, lenient about
/// padding and trailing bytes.
result<std::vector<abi_value>> decode_log(const abi_event& event, const std::vector<hash32>& topics,
                                          bytes_view data);

/// As decode_log, without a look at topic0: for a caller that has compared it already, which saves
/// the keccak.
result<std::vector<abi_value>> decode_args(const abi_event& event,
                                           const std::vector<hash32>& topics, bytes_view data);

/// A literal as a person writes it for a value of that type. Integers: decimal or 0x, '_' between
/// digits, exponents (1_000_000e6), within the type's range. Addresses: any case, mixed case by
/// EIP-55. true, false. bytes and bytesN: 0x and hex digits, bytesN exactly N. A string: the text
/// as it is. The error's offset is in `text`.
result<abi_value> parse_value(const abi_type& type, std::string_view text);

/// Decimal text, with a minus sign where negative.
std::string to_decimal(const integer& v);

/// The 32 bytes that a value of that type, as decoded or parsed for it, has as a topic: itself
/// where it fits into a word, else the keccak of what the ABI says of indexed values.
hash32 topic_of(const abi_type& type, const abi_value& value);

} // namespace tidemark::evm
