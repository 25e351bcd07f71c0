// SPDX-License-Identifier: MIT
#include "api/json.hpp"

#include "evm/hex.hpp"
#include "tide/event_json.hpp"
#include "tide/fact.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace tidemark::api {

json::value words(std::string_view text) {
  if (tide::is_utf8(text)) return json::string(text);
  std::string clean;
  tide::append_json_string(clean, text);
  boost::system::error_code ec;
  return json::parse(clean, ec);
}

json::value words_or_null(std::string_view text) {
  return text.empty() ? json::value(nullptr) : words(text);
}

json::value moment(std::int64_t ms) {
  if (ms <= 0) return nullptr;
  std::string out = tide::to_rfc3339(static_cast<std::uint64_t>(ms / 1'000));
  const std::string millis = std::to_string(1'000 + ms % 1'000);
  out.replace(out.size() - 1, 1, "." + millis.substr(1) + "Z");
  return json::string(out);
}

json::value moment(const std::optional<std::int64_t>& ms) {
  return ms ? moment(*ms) : json::value(nullptr);
}

json::value block(const evm::block_id& b) {
  return json::object{{"number", b.number}, {"hash", evm::to_hex(b.hash)}};
}

json::value block(const std::optional<evm::block_id>& b) {
  return b ? block(*b) : json::value(nullptr);
}

std::string with_members(std::string text, const json::object& more) {
  if (more.empty()) return text;
  text.back() = ',';
  text += json::serialize(more).substr(1);
  return text;
}

net::response answer_json(std::string body, unsigned status) {
  net::response r;
  r.status = status;
  r.content_type = "application/json";
  r.body = std::move(body);
  r.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  return r;
}

net::response answer_json(const json::object& body, unsigned status) {
  return answer_json(json::serialize(body), status);
}

net::response answer_list(const std::vector<std::string>& items,
                          const std::optional<std::string>& next) {
  std::string body = R"({"items":[)";
  for (const std::string& item : items) {
    if (body.back() != '[') body += ',';
    body += item;
  }
  body += R"(],"next":)";
  body += json::serialize(next ? words(*next) : json::value(nullptr));
  body += '}';
  return answer_json(std::move(body));
}

} // namespace tidemark::api
