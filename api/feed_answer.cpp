// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include "config/literals.hpp"
#include "tide/fact.hpp"

namespace tidemark::api {
namespace {

/// Until when this request may wait; absent: it wants its answer now.
evm::result<std::optional<std::int64_t>> waits_until(const call& c) {
  if (c.waited) return std::optional<std::int64_t>{c.waited->until};
  const auto given = text(c, "wait");
  if (!given) return std::optional<std::int64_t>{};
  const auto wait = config::parse_duration(*given);
  if (!wait) return evm::fail("`wait` is a duration like 20s or 500ms");
  return std::optional<std::int64_t>{c.now + std::min(*wait, admin_api::longest_wait).count()};
}

std::string body_of(const call& c, const std::vector<tide::fact>& facts, std::uint64_t after) {
  std::string body = R"({"epoch":)" + std::to_string(c.board.who().epoch) + R"(,"items":[)";
  for (const tide::fact& f : facts) {
    if (body.back() != '[') body += ',';
    body += tide::compose_feed_item(f, c.config.instance);
    after = f.seq;
  }
  body += R"(],"next":)" + std::to_string(after) + '}';
  return body;
}

/// 410, with where a follower may go on.
net::response gone(const call& c, std::uint64_t end, std::string_view why) {
  net::response r = net::problem(410, why);
  r.body = with_members(std::move(r.body), {{"epoch", c.board.who().epoch}, {"next", end}});
  return r;
}

/// A refusal, or nothing where the feed goes on behind `from`. `end`: the highest seq.
std::optional<net::response> refuse_feed(const call& c, std::uint64_t from, std::uint64_t end,
                                         const std::optional<std::uint64_t>& epoch) {
  if (epoch && *epoch != c.board.who().epoch) return gone(c, end, "the feed has another epoch");
  if (from > end) return gone(c, end, "the feed ends before that");
  return std::nullopt;
}

} // namespace

answer get_feed(const call& c) {
  // For whoever wants only what comes from now on: the end, at once.
  const bool latest = text(c, "after") == "latest";
  evm::result<std::optional<std::uint64_t>> after = std::optional<std::uint64_t>{};
  if (!latest) after = number(c, "after");
  const auto epoch = number(c, "epoch");
  const auto limit = limit_of(c);
  if (!after) return bad_request(after.error());
  if (!epoch) return bad_request(epoch.error());
  if (!limit) return bad_request(limit.error());
  const auto until = waits_until(c);
  if (!until) return bad_request(until.error());
  const auto end = c.reader->feed_end();
  if (!end) return unreadable(end.error());
  const std::uint64_t from = latest ? *end : after->value_or(0);
  if (auto refused = refuse_feed(c, from, *end, *epoch)) return std::move(*refused);
  if (latest) return answer_json(body_of(c, {}, *end));
  const auto facts = c.reader->feed(from, *limit);
  if (!facts) return unreadable(facts.error());
  if (facts->empty() && *until && c.now < **until) return wait_for_feed{**until};
  return answer_json(body_of(c, *facts, from));
}

answer get_feed_stream(const call& c) {
  const auto after = number(c, "after"), epoch = number(c, "epoch");
  if (!after) return bad_request(after.error());
  if (!epoch) return bad_request(epoch.error());
  const auto end = c.reader->feed_end();
  if (!end) return unreadable(end.error());
  // A browser that comes back sends the same query with the id of what it saw last.
  std::uint64_t from = after->value_or(0);
  if (c.last_event_id) {
    const auto id = parse_number(*c.last_event_id);
    if (!id) return bad_request(evm::fail("`Last-Event-ID` is the seq of a fact"));
    from = *id;
  }
  if (auto refused = refuse_feed(c, from, *end, *epoch)) return std::move(*refused);
  return follow_feed{from};
}

std::string feed_event(const tide::fact& f, const std::string& instance) {
  return "id: " + std::to_string(f.seq) + "\ndata: " + tide::compose_feed_item(f, instance) +
         "\n\n";
}

net::response feed_stream_head() {
  net::response r;
  r.content_type = "text/event-stream";
  r.headers = {{"Cache-Control", "no-store"},
               {"X-Content-Type-Options", "nosniff"},
               {"X-Accel-Buffering", "no"}}; // nginx holds answers back otherwise
  return r;
}

} // namespace tidemark::api
