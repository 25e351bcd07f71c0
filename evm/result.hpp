// SPDX-License-Identifier: MIT
#pragma once

#include <boost/system/result.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace tidemark::evm {

/// Why a text or an answer could not be read: what was wrong, and what would be right, for a
/// person.
struct error {
  std::string text;
  std::size_t at = 0; ///< offset in the text that was read, where there is one

  error() = default;
  /// Two arguments, always: were a text alone enough, result<std::string> could not be made of one.
  error(std::string what, std::size_t where) : text(std::move(what)), at(where) {}
};

/// Called by result<T>::value() on an error: a fault of ours, since callers look first.
[[noreturn]] inline void throw_exception_from_error(const error& e, const boost::source_location&) {
  throw std::logic_error(e.text);
}

template <class T> using result = boost::system::result<T, error>;

inline error fail(std::string text, std::size_t at = 0) { return error{std::move(text), at}; }

} // namespace tidemark::evm
