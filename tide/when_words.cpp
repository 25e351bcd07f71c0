// SPDX-License-Identifier: MIT
#include "tide/when_words.hpp"

namespace tidemark::tide {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

} // namespace

std::size_t when_words::skip_space(std::size_t at) const {
  while (at < text_.size() && std::string_view(" \t\r\n").find(text_[at]) != text_.npos)
    ++at;
  return at;
}

/// Letters and digits; `dots`: and dots between them.
std::size_t when_words::end_of_run(std::size_t at, bool dots) const {
  while (at < text_.size() &&
         (starts_name(text_[at]) || is_digit(text_[at]) || (dots && text_[at] == '.')))
    ++at;
  return at;
}

when_word when_words::number(std::size_t start) {
  const bool hex = text_.substr(start, 2) == "0x";
  at_ = end_of_run(text_[start] == '-' ? start + 1 : start, true);
  when_word out{hex ? when_word::kind::hex : when_word::kind::number,
                std::string(text_.substr(start, at_ - start)), start};
  const auto unit = skip_space(at_);
  const auto end = end_of_run(unit, false);
  const auto word = text_.substr(unit, end - unit);
  if (unit > at_ && (word == "gwei" || word == "ether")) {
    out.text += ' ';
    out.text += word;
    at_ = end;
  }
  return out;
}

evm::result<when_word> when_words::quoted(std::size_t start) {
  const auto end = text_.find(text_[start], start + 1);
  if (end == text_.npos) return evm::fail("this text has no end: a quote is missing", start);
  at_ = end + 1;
  return when_word{when_word::kind::text, std::string(text_.substr(start + 1, end - start - 1)),
                   start};
}

evm::result<when_word> when_words::mark(std::size_t start) {
  for (const std::string_view mark : {"==", "!=", "<=", ">=", "<", ">", "(", ")"}) {
    if (text_.substr(start, mark.size()) != mark) continue;
    at_ = start + mark.size();
    return when_word{when_word::kind::mark, std::string(mark), start};
  }
  const char c = text_[start];
  if (c == '=') return evm::fail("'=' is written '=='", start);
  if (c == '&' || c == '|' || c == '!')
    return evm::fail(std::string("'") + c + "' is none of ours: write and, or, not", start);
  if (c == '+' || c == '-' || c == '*' || c == '/' || c == '%')
    return evm::fail("there is no arithmetic: compare with a number", start);
  return evm::fail("expected a name, a number, a text or a comparison", start);
}

evm::result<when_word> when_words::next() {
  const auto start = skip_space(at_);
  at_ = start;
  if (start == text_.size()) return when_word{when_word::kind::end, "", start};
  const char c = text_[start];
  if (starts_name(c)) {
    at_ = end_of_run(start, true);
    return when_word{when_word::kind::name, std::string(text_.substr(start, at_ - start)), start};
  }
  const bool minus = c == '-' && start + 1 < text_.size() && is_digit(text_[start + 1]);
  if (is_digit(c) || minus) return number(start);
  if (c == '"' || c == '\'') return quoted(start);
  return mark(start);
}

} // namespace tidemark::tide
