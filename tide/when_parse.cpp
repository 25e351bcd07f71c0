// SPDX-License-Identifier: MIT
#include "tide/when.hpp"
#include "tide/when_words.hpp"

#include <array>

namespace tidemark::tide {
namespace {

using kind = evm::abi_type::kind;
using word_kind = when_word::kind;

constexpr std::size_t max_text = std::size_t{4} * 1024;
constexpr int max_depth = 64;

bool is_integer(const evm::abi_type& t) { return t.is == kind::uint || t.is == kind::int_; }

const char* in_words(word_kind k) {
  switch (k) {
  case word_kind::number:
    return "a number";
  case word_kind::hex:
    return "a hex number";
  case word_kind::text:
    return "a text";
  default:
    return "true or false";
  }
}

/// Whether a value of that type is written with such a word.
bool may_be(const evm::abi_type& type, word_kind k) {
  switch (type.is) {
  case kind::uint:
  case kind::int_:
    return k == word_kind::number || k == word_kind::hex;
  case kind::boolean:
    return k == word_kind::name;
  case kind::string:
    return k == word_kind::text;
  default:
    return k == word_kind::hex || k == word_kind::text;
  }
}

/// Two values of these types can be equal.
bool comparable(const evm::abi_type& a, const evm::abi_type& b) {
  if (is_integer(a)) return is_integer(b);
  return a.is == b.is && (a.is != kind::fixed_bytes || a.size == b.size);
}

} // namespace

class when_parser {
public:
  when_parser(std::string_view text, std::span<const evm::abi_parameter> inputs)
      : words_(text), inputs_(inputs) {
    out_.text_ = text;
  }
  evm::result<when_expression> parse();

private:
  using node = when_expression::node;
  using op = when_expression::op;
  /// What stands at one side of a comparison.
  struct side {
    when_word word;
    std::optional<argument> named; ///< absent: a literal
    const evm::abi_type* type = nullptr;
  };

  std::optional<evm::error> step();
  bool sees(word_kind k, std::string_view text) const {
    return word_.is == k && word_.text == text;
  }
  evm::error unexpected(const char* wanted) const;
  std::size_t add(node n) {
    out_.nodes_.push_back(std::move(n));
    return out_.nodes_.size() - 1;
  }
  evm::result<std::size_t> joined(op how, int depth);
  evm::result<std::size_t> unary(int depth);
  evm::result<std::size_t> in_brackets(int depth);
  evm::result<std::size_t> comparison();
  evm::result<side> read_side();
  std::optional<op> comparing() const;
  evm::result<std::size_t> alone(const side& s);
  evm::result<std::size_t> compared(op how, std::size_t op_at, const side& a, const side& b);
  static evm::result<evm::abi_value> literal(const side& s, const side& named);

  when_words words_;
  std::span<const evm::abi_parameter> inputs_;
  when_word word_; ///< the one that is looked at
  when_expression out_;
};

std::optional<evm::error> when_parser::step() {
  auto next = words_.next();
  if (!next) return next.error();
  word_ = std::move(*next);
  return std::nullopt;
}

evm::error when_parser::unexpected(const char* wanted) const {
  const auto found = word_.is == word_kind::end ? std::string("the end") : "'" + word_.text + "'";
  return evm::fail(std::string("expected ") + wanted + ", found " + found, word_.at);
}

evm::result<when_expression> when_parser::parse() {
  if (auto wrong = step()) return *wrong;
  const auto root = joined(op::any, 0);
  if (!root) return root.error();
  if (word_.is != word_kind::end) return unexpected("and, or, or the end");
  out_.root_ = *root;
  return std::move(out_);
}

/// any: and-expressions joined by "or"; all: unaries joined by "and".
evm::result<std::size_t> when_parser::joined(op how, int depth) {
  const auto part = [&] { return how == op::any ? joined(op::all, depth) : unary(depth); };
  auto left = part();
  while (left && sees(word_kind::name, how == op::any ? "or" : "and")) {
    if (auto wrong = step()) return *wrong;
    auto right = part();
    if (!right) return right;
    node n;
    n.is = how;
    n.left = *left;
    n.right = *right;
    left = add(std::move(n));
  }
  return left;
}

evm::result<std::size_t> when_parser::unary(int depth) {
  if (depth > max_depth) return evm::fail("nested too deep: at most 64 levels", word_.at);
  if (sees(word_kind::mark, "(")) return in_brackets(depth);
  if (!sees(word_kind::name, "not")) return comparison();
  if (auto wrong = step()) return *wrong;
  auto inner = unary(depth + 1);
  if (!inner) return inner;
  node n;
  n.is = op::negate;
  n.left = *inner;
  return add(std::move(n));
}

evm::result<std::size_t> when_parser::in_brackets(int depth) {
  if (auto wrong = step()) return *wrong;
  auto inner = joined(op::any, depth + 1);
  if (!inner) return inner;
  if (!sees(word_kind::mark, ")")) return unexpected("')'");
  if (auto wrong = step()) return *wrong;
  return inner;
}

evm::result<when_parser::side> when_parser::read_side() {
  side out;
  const bool reserved = word_.text == "and" || word_.text == "or" || word_.text == "not";
  if (word_.is == word_kind::end || word_.is == word_kind::mark ||
      (word_.is == word_kind::name && reserved)) {
    return unexpected("a name or a value");
  }
  out.word = word_;
  const bool flag = word_.text == "true" || word_.text == "false";
  if (word_.is == word_kind::name && !flag) {
    auto named = find_argument(inputs_, word_.text);
    if (!named) return evm::fail(named.error().text, word_.at + named.error().at);
    out.named = std::move(*named);
    out.type = &type_of(*out.named, inputs_);
    if (out.type->is == kind::array || out.type->is == kind::tuple) {
      return evm::fail("'" + word_.text + "' is " + out.type->canonical() +
                           ": arrays and tuples cannot be compared, a tuple's fields can",
                       word_.at);
    }
  }
  if (auto wrong = step()) return *wrong;
  return out;
}

std::optional<when_expression::op> when_parser::comparing() const {
  static constexpr std::array<std::pair<std::string_view, op>, 6> marks{{{"==", op::eq},
                                                                         {"!=", op::ne},
                                                                         {"<", op::lt},
                                                                         {"<=", op::le},
                                                                         {">", op::gt},
                                                                         {">=", op::ge}}};
  if (word_.is != word_kind::mark) return std::nullopt;
  for (const auto& mark : marks) {
    if (mark.first == word_.text) return mark.second;
  }
  return std::nullopt;
}

evm::result<std::size_t> when_parser::comparison() {
  const auto a = read_side();
  if (!a) return a.error();
  const auto how = comparing();
  if (!how) return alone(*a);
  const auto op_at = word_.at;
  if (auto wrong = step()) return *wrong;
  const auto b = read_side();
  if (!b) return b.error();
  if (comparing()) return unexpected("and, or, or the end (comparisons do not chain)");
  return compared(*how, op_at, *a, *b);
}

evm::result<std::size_t> when_parser::alone(const side& s) {
  node n;
  if (s.named && s.type->is == kind::boolean) {
    n.a = *s.named;
  } else if (!s.named && s.word.is == word_kind::name) {
    n.a = evm::abi_value{s.word.text == "true"};
  } else {
    const auto what = s.named ? "'" + s.word.text + "' is " + s.type->canonical()
                              : std::string("this is ") + in_words(s.word.is);
    return evm::fail(what + ", no bool: compare it", s.word.at);
  }
  return add(std::move(n));
}

/// The value of a literal, which is written for what it is compared with.
evm::result<evm::abi_value> when_parser::literal(const side& s, const side& named) {
  const auto k = s.word.is;
  if (!may_be(*named.type, k)) {
    return evm::fail("'" + named.word.text + "' is " + named.type->canonical() +
                         " and cannot be compared with " + in_words(k),
                     s.word.at);
  }
  auto value = evm::parse_value(*named.type, s.word.text);
  if (value) return value;
  const std::size_t quote = k == word_kind::text ? 1 : 0;
  return evm::fail(value.error().text, s.word.at + quote + value.error().at);
}

evm::result<std::size_t> when_parser::compared(op how, std::size_t op_at, const side& a,
                                               const side& b) {
  if (!a.named && !b.named) return evm::fail("this compares two constants", a.word.at);
  const auto& leading = a.named ? a : b;
  const bool ordering = how != op::eq && how != op::ne;
  if (ordering && !is_integer(*leading.type)) {
    return evm::fail("'" + leading.word.text + "' is " + leading.type->canonical() +
                         ", which has no order: compare by == or !=",
                     op_at);
  }
  node n;
  n.is = how;
  n.type = n.other = *leading.type;
  if (a.named && b.named) {
    if (!comparable(*a.type, *b.type)) {
      return evm::fail("'" + a.word.text + "' is " + a.type->canonical() + ", '" + b.word.text +
                           "' is " + b.type->canonical() + ": they cannot be compared",
                       op_at);
    }
    n.a = *a.named;
    n.b = *b.named;
    n.other = *b.type;
    return add(std::move(n));
  }
  auto value = literal(a.named ? b : a, leading);
  if (!value) return value.error();
  (a.named ? n.a : n.b) = *leading.named;
  (a.named ? n.b : n.a) = std::move(*value);
  return add(std::move(n));
}

evm::result<when_expression> parse_when(std::string_view text,
                                        std::span<const evm::abi_parameter> inputs) {
  if (text.size() > max_text) return evm::fail("is too long: at most 4 KiB", max_text);
  return when_parser(text, inputs).parse();
}

} // namespace tidemark::tide
