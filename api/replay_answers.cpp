// SPDX-License-Identifier: MIT
#include "api/answers.hpp"
#include "api/moments.hpp"

#include <boost/json/serialize.hpp>

#include <cmath>

namespace tidemark::api {
namespace {

/// Reads the body's members one by one; the first that is wrong is kept.
class members {
public:
  explicit members(const call& c) : body_(c.body) {}

  std::optional<std::string> text(std::string_view name) {
    const auto* v = find(name);
    if (v == nullptr) return std::nullopt;
    if (const auto* s = v->if_string(); s && s->size() <= 1'000) return std::string(*s);
    return wrong(name, "a text of at most 1000 bytes"), std::nullopt;
  }
  std::optional<std::uint64_t> number(std::string_view name) {
    const auto* v = find(name);
    if (v == nullptr) return std::nullopt;
    if (const auto* n = v->if_int64(); n && *n >= 0) return static_cast<std::uint64_t>(*n);
    return wrong(name, "a whole number, 0 or more"), std::nullopt;
  }
  std::optional<std::int64_t> time(std::string_view name) {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto at = parse_moment(*given);
    if (!at) wrong(name, "a time like 2026-11-29T10:00:00Z");
    return at;
  }
  bool flag(std::string_view name) {
    const auto* v = find(name);
    if (v == nullptr) return false;
    if (const auto* b = v->if_bool()) return *b;
    return wrong(name, "true or false"), false;
  }
  double rate(std::string_view name) {
    const auto* v = find(name);
    if (v == nullptr) return 0;
    boost::system::error_code ec;
    const double n = v->to_number<double>(ec);
    if (!ec && std::isfinite(n) && n >= 0 && n <= 1e6) return n;
    return wrong(name, "messages a second, 0 (no limit) to 1000000"), 0;
  }
  void wrong(std::string_view name, std::string_view right) {
    if (!error_) error_ = evm::fail('`' + std::string(name) + "` is " + std::string(right));
  }
  const std::optional<evm::error>& error() const { return error_; }

private:
  const json::value* find(std::string_view name) {
    const auto* v = body_.if_contains(name);
    return v == nullptr || v->is_null() ? nullptr : v;
  }
  const json::object& body_;
  std::optional<evm::error> error_;
};

} // namespace

answer post_handler_replay(const call& c) {
  const auto* handler = find_handler(c.config, c.path[0]);
  if (handler == nullptr) return not_found("handler", c.path[0]);
  members m(c);
  store::replay_order o;
  o.handler = handler->name();
  o.who = c.who;
  o.since = m.time("since");
  o.until = m.time("until");
  o.from_seq = m.number("from_seq");
  o.to_seq = m.number("to_seq");
  o.from_block = m.number("from_block");
  o.to_block = m.number("to_block");
  o.as_new = m.flag("as_new");
  o.dry_run = m.flag("dry_run");
  o.rate = m.rate("rate");
  o.reason = m.text("reason").value_or("");
  if (const auto id = m.text("event_id")) {
    o.event = tide::parse_event_id(*id);
    if (!o.event) m.wrong("event_id", "an event's id, like 1:0x…:12");
  }
  if (const auto name = m.text("chain")) {
    const auto* chain = find_chain(c.config, *name);
    if (chain == nullptr)
      m.wrong("chain", "the name of a chain of the config");
    else
      o.chain_id = chain->id;
  }
  if ((o.from_block || o.to_block) && !o.chain_id && !m.error())
    m.wrong("chain", "needed with from_block and to_block: a block's number is one chain's");
  if (o.as_new && o.rate > 0)
    m.wrong("rate", "for a replay under the old ids: new messages are queued like live ones");
  if (o.as_new && o.reason.empty() && !o.dry_run && !m.error())
    m.wrong("reason", "needed with as_new: the handler takes the messages for new ones");
  if (m.error()) return bad_request(*m.error());
  c.order.replay(std::move(o), c.slot, [](const store::replay_started& s) {
    return answer_json(json::object{{"count", s.count}, {"job", or_null(s.job)}});
  });
  return ordered{};
}

answer post_handler_test(const call& c) {
  const auto* handler = find_handler(c.config, c.path[0]);
  if (handler == nullptr) return not_found("handler", c.path[0]);
  c.order.test(handler->name(), c.who, c.slot,
               [name = handler->name()](const std::string& id, const tide::exchange_end& how) {
                 const bool answered = how.is == tide::exchange_end::kind::answered;
                 const bool ok = answered && how.status >= 200 && how.status < 300;
                 return answer_json(json::object{
                     {"name", name},
                     {"id", id},
                     {"ok", ok},
                     {"http_status", answered ? json::value(how.status) : json::value(nullptr)},
                     {"duration_ms", how.ms},
                     {"answer", words(how.text)}});
               });
  return ordered{};
}

} // namespace tidemark::api
