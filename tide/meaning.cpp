// SPDX-License-Identifier: MIT
#include "tide/meaning.hpp"

#include "tide/retry_after.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace tidemark::tide {
namespace {

/// Who does not know messages about messages may refuse them; they say it once.
bool refuses_notice(std::uint16_t status) {
  return status == 400 || status == 409 || status == 413 || status == 415 || status == 422;
}

bool begins_an_object(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

/// What stands in `acked_through`, in digits or as a number; one that is too high is the highest.
std::optional<std::uint64_t> sequence_of(const boost::json::value& said) {
  if (const auto* text = said.if_string()) {
    std::uint64_t through = 0;
    const char* const end = text->data() + text->size();
    const auto read = std::from_chars(text->data(), end, through);
    if (read.ptr != end || read.ec == std::errc::invalid_argument) return std::nullopt;
    return read.ec == std::errc{} ? through : std::numeric_limits<std::uint64_t>::max();
  }
  boost::system::error_code ec;
  const auto through = said.to_number<std::uint64_t>(ec);
  return ec ? std::nullopt : std::optional(through);
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

std::uint32_t acked(const exchange_end& how, std::uint64_t first, std::uint32_t count) {
  boost::json::parse_options lenient;
  lenient.allow_invalid_utf8 = true;
  boost::system::error_code ec;
  const auto body = boost::json::parse(how.body, ec, {}, lenient);
  const auto* object = ec ? nullptr : body.if_object();
  if (ec && (how.cut_short || ec == boost::json::error::too_deep) && begins_an_object(how.body))
    return 0;
  const auto* said = object ? object->if_contains("acked_through") : nullptr;
  if (said == nullptr) return count;
  const auto through = sequence_of(*said);
  if (!through || *through < first) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, *through - first + 1));
}

} // namespace tidemark::tide
