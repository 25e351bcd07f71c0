// SPDX-License-Identifier: MIT
#include "tide/head_message.hpp"

#include "evm/hex.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <limits>
#include <utility>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

constexpr std::uint64_t highest = std::numeric_limits<std::int64_t>::max(); // what the store holds

head_message garbage(std::string why) {
  head_message m;
  m.text = std::move(why);
  return m;
}

std::string words_of(const json::value& v) {
  const auto* s = v.if_string();
  return s ? std::string(*s) : json::serialize(v);
}

head_message head_from(const json::object& params) {
  const auto* subscription = params.if_contains("subscription");
  const auto* result = params.if_contains("result");
  const auto* header = result ? result->if_object() : nullptr;
  if (!subscription || !header) return garbage("a notification without a header");
  const auto* number = header->if_contains("number");
  const auto* hash = header->if_contains("hash");
  if (!number || !number->is_string() || !hash || !hash->is_string())
    return garbage("a header without number and hash");
  const auto n = evm::parse_quantity(number->get_string());
  if (!n || *n > highest) return garbage("a header whose number is none");
  if (!evm::parse_hash(hash->get_string())) return garbage("a header whose hash is none");
  head_message m;
  m.is = head_message::kind::head;
  m.subscription = words_of(*subscription);
  m.number = *n;
  m.hash = std::string(hash->get_string());
  return m;
}

head_message answer_from(const json::object& o, std::uint64_t id) {
  head_message m;
  m.id = id;
  if (const auto* error = o.if_contains("error"); error && !error->is_null()) {
    m.is = head_message::kind::refusal;
    m.error.message = json::serialize(*error);
    if (const auto* e = error->if_object()) {
      const auto* code = e->if_contains("code");
      if (code && code->is_int64()) m.error.code = code->get_int64();
      if (const auto* words = e->if_contains("message"); words && words->is_string())
        m.error.message = words_of(*words);
    }
    return m;
  }
  const auto* result = o.if_contains("result");
  if (!result) return garbage("an answer with neither result nor error");
  m.is = head_message::kind::answer;
  m.text = words_of(*result);
  return m;
}

} // namespace

head_message read_head_message(std::string_view text) {
  json::error_code ec;
  const auto root = json::parse(text, ec);
  if (ec) return garbage("what is no JSON");
  const auto* o = root.if_object();
  if (!o) return garbage("JSON that is no object");
  if (const auto* method = o->if_contains("method")) {
    const auto* params = o->if_contains("params");
    if (words_of(*method) == "eth_subscription" && params && params->is_object())
      return head_from(params->get_object());
  } else if (const auto* id = o->if_contains("id"); id && id->is_int64() && id->get_int64() > 0) {
    return answer_from(*o, static_cast<std::uint64_t>(id->get_int64()));
  } else if (o->if_contains("error")) {
    return answer_from(*o, 0); // of the connection, or of a call that it could not read
  }
  head_message m;
  m.is = head_message::kind::other;
  return m;
}

} // namespace tidemark::tide
