// SPDX-License-Identifier: MIT
#include "tide/meaning.hpp"

#include "tide/retry_after.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>

namespace tidemark::tide {
namespace {

/// Who does not know messages about messages may refuse them; they say it once.
bool refuses_notice(std::uint16_t status) {
  return status == 400 || status == 409 || status == 413 || status == 415 || status == 422;
}

} // namespace

meaning meaning_of(const exchange_end& how, bool notice, std::int64_t now) {
  if (how.is == exchange_end::kind::unreachable) return meaning::handler_bad;
  if (how.is == exchange_end::kind::no_answer) return meaning::failed;
  if (how.status >= 200 && how.status < 300) return meaning::ok;
  if (notice && refuses_notice(how.status)) return meaning::ok;
  if (how.status >= 500) {
    const bool dated = how.status == 503 && parse_retry_after(how.retry_after, now).has_value();
    return dated ? meaning::later : meaning::failed;
  }
  switch (how.status) {
  case 429:
    return meaning::later;
  case 410:
    return meaning::gone;
  case 400:
  case 408:
  case 409:
  case 413:
  case 415:
  case 422:
  case 425:
    return meaning::failed;
  default:
    return meaning::handler_bad;
  }
}

std::string reason_of(const exchange_end& how) {
  if (how.is == exchange_end::kind::answered) {
    const bool none = how.status >= 200 && how.status < 300;
    return "it answered " + std::to_string(how.status) + (none ? " and took none of a batch" : "");
  }
  return how.text.empty() ? "it did not answer" : how.text;
}

std::uint32_t acked(std::string_view answer, std::uint64_t first, std::uint32_t count) {
  boost::system::error_code ec;
  const auto body = boost::json::parse(answer, ec);
  const auto* object = ec ? nullptr : body.if_object();
  const auto* said = object ? object->if_contains("acked_through") : nullptr;
  const auto* text = said ? said->if_string() : nullptr;
  std::uint64_t through = 0;
  if (text == nullptr) return count;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), through);
  if (read.ec != std::errc{} || read.ptr != text->data() + text->size()) return count;
  if (through < first) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, through - first + 1));
}

} // namespace tidemark::tide
