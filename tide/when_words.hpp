// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::tide {

/// A word of an expression, and where it stands in it.
struct when_word {
  enum class kind : std::uint8_t { end, name, number, hex, text, mark };
  kind is = kind::end;
  std::string text; ///< of a text without its quotes
  std::size_t at = 0;
};

/// Takes an expression apart, one word after the other.
class when_words {
public:
  explicit when_words(std::string_view text) : text_(text) {}
  evm::result<when_word> next();

private:
  std::size_t skip_space(std::size_t at) const;
  std::size_t end_of_run(std::size_t at, bool dots) const;
  when_word number(std::size_t start);
  evm::result<when_word> quoted(std::size_t start);
  evm::result<when_word> mark(std::size_t start);

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace tidemark::tide
