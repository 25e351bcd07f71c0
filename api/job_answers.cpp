// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace tidemark::api {
namespace {

std::optional<std::int64_t> job_id(std::string_view text) {
  std::int64_t id = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || id < 1)
    return std::nullopt;
  return id;
}

/// Of a redecode: the first events that read otherwise, before and after.
json::array examples_of(const store::job_row& j) {
  json::array out;
  std::string_view lines = j.examples;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    boost::system::error_code ec;
    if (auto one = json::parse(lines.substr(0, end), ec); !ec) out.push_back(std::move(one));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

json::object job_object(const store::job_row& j) {
  json::object out{{"id", j.id},
                   {"kind", j.kind},
                   {"state", json::string(tide::to_text(j.state))},
                   {"missing", j.counts.missing},
                   {"extra", j.counts.extra},
                   {"equal", j.counts.equal},
                   {"at", moment(j.at)},
                   {"reason", words_or_null(j.reason)}};
  if (j.kind == "redecode") out.emplace("examples", examples_of(j));
  return out;
}

} // namespace

answer get_job(const call& c) {
  const auto id = job_id(c.path[0]);
  if (!id) return not_found("job", c.path[0]);
  const auto found = c.reader->job(*id);
  if (!found) return unreadable(found.error());
  if (!*found) return not_found("job", c.path[0]);
  return answer_json(job_object(**found));
}

answer post_events_redecode(const call& c) {
  store::redecode_order order;
  order.who = c.who;
  order.dry = false;
  if (const auto* given = c.body.if_contains("dry_run"); given && !given->is_null()) {
    if (!given->is_bool()) return bad_request(evm::fail("`dry_run` is true or false"));
    order.dry = given->get_bool();
  }
  if (const auto* given = c.body.if_contains("subscription"); given && !given->is_null()) {
    if (!given->is_string())
      return bad_request(evm::fail("`subscription` is a subscription's name"));
    order.subscription = std::string(given->get_string());
    const auto named = [&](const tide::subscription& s) { return s.name == *order.subscription; };
    const auto& all = c.config.subscriptions;
    if (std::none_of(all.begin(), all.end(), named))
      return not_found("subscription", *order.subscription);
  }
  c.order.redecode(std::move(order), c.slot, [](std::int64_t job) {
    return answer_json(json::object{{"id", job}, {"job", job}, {"state", "running"}}, 202);
  });
  return ordered{};
}

answer delete_job(const call& c) {
  const auto id = job_id(c.path[0]);
  const auto found = id ? c.reader->job(*id) : store::result<std::optional<store::job_row>>{};
  if (!found) return unreadable(found.error());
  if (!*found) return not_found("job", c.path[0]);
  store::job_row job = **found;
  c.order.cancel(*id, c.who, c.slot, [job](bool ran) mutable {
    if (ran) job.state = tide::job_state::cancelled;
    return answer_json(job_object(job));
  });
  return ordered{};
}

} // namespace tidemark::api
