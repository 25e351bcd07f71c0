// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <boost/json/serialize.hpp>

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

json::object job_object(const store::job_row& j) {
  return {{"id", j.id},
          {"kind", j.kind},
          {"state", json::string(tide::to_text(j.state))},
          {"missing", j.counts.missing},
          {"extra", j.counts.extra},
          {"equal", j.counts.equal},
          {"at", moment(j.at)},
          {"reason", words_or_null(j.reason)}};
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
