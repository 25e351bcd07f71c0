// SPDX-License-Identifier: MIT
#include "tide/fact.hpp"

#include "evm/hex.hpp"
#include "tide/event_json.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <vector>

namespace tidemark::tide {
namespace {

char state_letter(status s) {
  switch (s) {
  case status::pending:
    return 'p';
  case status::confirmed:
    return 'c';
  case status::rolled_back:
    break;
  }
  return 'r';
}

/// Right-aligned with zeros, which is how RFC 3339 and `sequence` write numbers.
void append_padded(std::string& out, std::uint64_t n, std::size_t width) {
  const auto digits = std::to_string(n);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

/// Digits only, no leading zero, at most `most`.
std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t most) {
  std::uint64_t n = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, n);
  if (read.ec != std::errc{} || read.ptr != end || n > most) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  return n;
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  out += ",\"";
  out += name;
  out += "\":";
  append_json_string(out, value);
}

/// The attributes that the feed and a handler's message have in common, from specversion to
/// dataschema.
void append_attributes(std::string& out, const fact& f, std::string_view source,
                       std::string_view id) {
  out += R"("specversion":"1.0")";
  append_member(out, "id", id);
  append_member(out, "source", source);
  append_member(out, "type", std::string("tidemark.event.").append(to_text(f.status)));
  append_member(out, "subject", event_id(f.chain_id, f.tx, f.log_index));
  append_member(out, "time", to_rfc3339(f.time));
  out += R"(,"datacontenttype":"application/json","dataschema":"urn:tidemark:event:1")";
}

} // namespace

std::string event_id(std::uint64_t chain_id, const evm::hash32& tx, std::int32_t log_index) {
  return std::to_string(chain_id) + ':' + evm::to_hex(tx) + ':' +
         (log_index < 0 ? std::string("tx") : std::to_string(log_index));
}

std::optional<event_key> parse_event_id(std::string_view text) {
  const auto first = text.find(':');
  const auto last = text.rfind(':');
  if (first == text.npos || first == last) return std::nullopt;
  const auto chain_id =
      parse_decimal(text.substr(0, first), std::numeric_limits<std::int64_t>::max());
  const auto tx = evm::parse_hash(text.substr(first + 1, last - first - 1));
  if (!chain_id || !tx) return std::nullopt;
  const auto place = text.substr(last + 1);
  if (place == "tx") return event_key{*chain_id, *tx, -1};
  const auto log_index = parse_decimal(place, std::numeric_limits<std::int32_t>::max());
  if (!log_index) return std::nullopt;
  return event_key{*chain_id, *tx, static_cast<std::int32_t>(*log_index)};
}

std::string message_id(const fact& f) {
  auto out = event_id(f.chain_id, f.tx, f.log_index);
  std::replace(out.begin(), out.end(), ':', '_');
  out += '_';
  out += evm::to_hex(f.block.hash).substr(2, 16);
  out += '_';
  out += state_letter(f.status);
  out += std::to_string(f.n);
  return out;
}

std::string compose_data(const fact& f) {
  std::string out;
  out.reserve(f.data.size() + 320);
  out += R"({"version":)";
  out += std::to_string(f.version);
  append_member(out, "status", to_text(f.status));
  append_member(out, "first_seen", f.first_seen);
  if (f.replaces)
    append_member(out, "replaces", *f.replaces);
  else
    out += R"(,"replaces":null)";
  out += R"(,"head":)";
  out += std::to_string(f.head);
  if (f.status == status::rolled_back) {
    if (f.undoes)
      append_member(out, "undoes", *f.undoes);
    else
      out += R"(,"undoes":null)";
    append_member(out, "why", to_text(f.why));
  }
  out += ',';
  out.append(f.data, 1); // behind its '{'
  return out;
}

namespace {

/// `elided`: what the inclusion's JSON lacks, so that the message is not longer than the handler
/// takes.
std::string compose_with(const fact& f, const envelope& e, const std::vector<std::string>& elided) {
  std::string out;
  out.reserve(f.data.size() + 1'024);
  out += '{';
  const auto id = message_id(f);
  append_attributes(out, f, "/tidemark/" + e.instance + '/' + e.handler,
                    e.renamed.empty() ? id : e.renamed);
  if (!e.renamed.empty()) append_member(out, "replayof", id);
  append_member(out, "subscription", e.subscription);
  append_member(out, "partitionkey", e.key);
  out += R"(,"sequence":")";
  append_padded(out, e.sequence, 20);
  out += R"(","epoch":)";
  out += std::to_string(e.epoch);
  if (e.late) out += R"(,"late":true)";
  if (!elided.empty()) {
    append_member(out, "dataref", "/v1/events/" + event_id(f.chain_id, f.tx, f.log_index));
  }
  out += R"(,"data":)";
  // Within `data`, since an attribute of CloudEvents cannot be an array.
  auto data = compose_data(f);
  if (!elided.empty())
    data.insert(1, R"("elided":)" + boost::json::serialize(boost::json::value_from(elided)) + ',');
  out += data;
  out += '}';
  return out;
}

} // namespace

std::string compose_message(const fact& f, const envelope& e) {
  auto out = compose_with(f, e, {});
  if (e.max_bytes == 0 || out.size() <= e.max_bytes) return out;
  // Place, topics and hash always stay; what is long goes first.
  fact less = f;
  std::vector<std::string> elided;
  auto object = boost::json::parse(f.data).as_object();
  for (const char* member : {"data", "args", "input"}) {
    if (object.stable_erase(member) == 0) continue;
    elided.emplace_back(member);
    less.data = boost::json::serialize(object);
    out = compose_with(less, e, elided);
    if (out.size() <= e.max_bytes) break;
  }
  return out;
}

std::string compose_feed_item(const fact& f, std::string_view instance) {
  std::string out;
  out.reserve(f.data.size() + 1'024);
  out += R"({"seq":)";
  out += std::to_string(f.seq);
  out += ',';
  append_attributes(out, f, std::string("/tidemark/").append(instance), message_id(f));
  out += R"(,"data":)";
  out += compose_data(f);
  out += '}';
  return out;
}

std::string to_rfc3339(std::uint64_t seconds) {
  // A block may say any time; the format ends with the year 9999.
  constexpr std::uint64_t last = 253'402'300'799;
  constexpr std::uint64_t day_seconds = 86'400;
  seconds = std::min(seconds, last);
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(seconds / day_seconds)}}};
  const auto of_day = seconds % day_seconds;
  std::string out;
  append_padded(out, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, of_day / 3'600, 2);
  out += ':';
  append_padded(out, of_day / 60 % 60, 2);
  out += ':';
  append_padded(out, of_day % 60, 2);
  out += 'Z';
  return out;
}

} // namespace tidemark::tide
