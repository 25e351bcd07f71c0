// SPDX-License-Identifier: MIT
#include "tide/notice.hpp"

#include "evm/hex.hpp"
#include "tide/event_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

template <class T> json::value or_null(const std::optional<T>& v) {
  return v ? json::value(*v) : json::value(nullptr);
}

std::string_view type_of(notice::kind k) {
  switch (k) {
  case notice::kind::gap:
    return "tidemark.gap";
  case notice::kind::epoch:
    return "tidemark.epoch";
  case notice::kind::ping:
    break;
  }
  return "tidemark.ping";
}

void member(std::string& out, std::string_view name, std::string_view value) {
  out.append(",\"").append(name).append("\":");
  append_json_string(out, value);
}

/// Takes the text up to the next line's end off.
std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

} // namespace

notice gap_notice(const gap& g, std::int64_t lane, std::uint64_t seq, std::int64_t at) {
  json::array ids;
  for (const auto& id : g.ids)
    ids.emplace_back(id);
  const json::object data{{"ids", std::move(ids)},
                          {"count", g.count},
                          {"reason", json::string(to_text(g.reason))},
                          {"by", g.by},
                          {"chain", or_null(g.chain)},
                          {"from_block", or_null(g.from_block)},
                          {"to_block", or_null(g.to_block)}};
  return {notice::kind::gap,
          "gap_" + std::to_string(lane) + '_' + std::to_string(seq) + '_' + std::to_string(at), at,
          json::serialize(data)};
}

notice epoch_notice(std::uint32_t epoch, std::uint32_t previous, std::string_view reason,
                    const std::vector<epoch_mark>& marks, std::int64_t at) {
  json::object chains;
  for (const auto& m : marks) {
    json::value mark = nullptr;
    if (m.mark)
      mark = json::object{{"number", m.mark->number}, {"hash", evm::to_hex(m.mark->hash)}};
    chains.emplace(m.chain, std::move(mark));
  }
  const json::object data{{"epoch", epoch},
                          {"previous", previous},
                          {"reason", json::string(reason)},
                          {"chains", std::move(chains)}};
  return {notice::kind::epoch, "epoch_" + std::to_string(epoch), at, json::serialize(data)};
}

notice ping_notice(std::uint64_t n, std::int64_t at) {
  return {notice::kind::ping, "ping_" + std::to_string(at) + '_' + std::to_string(n), at, "{}"};
}

std::string to_row(const notice& n) {
  return std::to_string(static_cast<int>(n.is)) + '\n' + n.id + '\n' + std::to_string(n.at) + '\n' +
         n.data;
}

std::optional<notice> notice_of_row(std::string_view text) {
  notice n;
  const auto kind = take_line(text);
  if (kind.size() != 1 || kind[0] < '0' || kind[0] > '2') return std::nullopt;
  n.is = static_cast<notice::kind>(kind[0] - '0');
  n.id = take_line(text);
  const auto at = take_line(text);
  if (std::from_chars(at.data(), at.data() + at.size(), n.at).ec != std::errc{})
    return std::nullopt;
  n.data = text;
  return n;
}

std::string compose_notice(const notice& n, const envelope& e) {
  std::string out = R"({"specversion":"1.0")";
  member(out, "id", n.id);
  member(out, "source", "/tidemark/" + e.instance + '/' + e.handler);
  member(out, "type", type_of(n.is));
  member(out, "time",
         to_rfc3339(static_cast<std::uint64_t>(std::max<std::int64_t>(n.at, 0)) / 1'000));
  out += R"(,"datacontenttype":"application/json")";
  if (n.is == notice::kind::gap) {
    member(out, "partitionkey", e.key);
    auto sequence = std::to_string(e.sequence);
    sequence.insert(0, 20 - std::min<std::size_t>(sequence.size(), 20), '0');
    member(out, "sequence", sequence);
    out += R"(,"epoch":)" + std::to_string(e.epoch);
  }
  out += R"(,"data":)" + n.data + '}';
  return out;
}

} // namespace tidemark::tide
