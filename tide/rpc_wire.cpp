// SPDX-License-Identifier: MIT
#include "tide/rpc_wire.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>

#include <algorithm>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_error = 500;

/// Not within a word, half of which could be half of a key that nobody would know again as one
/// (net/redaction.hpp); nor within a UTF-8 character.
void cut(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  auto end = text.find_last_of(" /?&=\"'<>,;:", most);
  if (end == text.npos || end < most / 2) end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  text.resize(end);
}

rpc_error error_of(const json::value& v, int http_status) {
  rpc_error e;
  e.http_status = http_status;
  const json::object none;
  const auto* o = v.if_object();
  if (!o) {
    e.message = v.is_string() ? std::string(v.get_string()) : "an error without words";
    o = &none;
  }
  if (const auto* code = o->if_contains("code"); code && code->is_int64())
    e.code = code->get_int64();
  if (const auto* m = o->if_contains("message"); m && m->is_string())
    e.message = std::string(m->get_string());
  // Some say what they mean in `data` alone.
  if (const auto* data = o->if_contains("data"); data && !data->is_null())
    e.message += " " + json::serialize(*data);
  if (http_status >= 400) e.message += " (HTTP " + std::to_string(http_status) + ")";
  cut(e.message, longest_error);
  return e;
}

/// The start of a body that is no JSON-RPC, for a person: printable, short.
std::string excerpt(std::string_view body) {
  std::string out(body.substr(0, 61));
  cut(out, 60);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, ' ');
  return out;
}

} // namespace

std::string rpc_body(const std::vector<rpc_call>& calls) {
  std::string out;
  if (calls.size() != 1) out += '[';
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i > 0) out += ',';
    append_request(out, i + 1, calls[i]);
  }
  if (calls.size() != 1) out += ']';
  return out;
}

rpc_reply::rpc_reply(std::string_view body, int http_status, std::size_t calls)
    : memory_(std::make_unique<json::monotonic_resource>(
          std::max<std::size_t>(body.size() * 2, 4'096))) {
  json::error_code ec;
  json::parse_options options;
  options.max_depth = 16;
  // Made in place: assigned to a value of other memory it would be copied, member by member.
  root_.emplace(json::parse(body, ec, json::storage_ptr(memory_.get()), options));
  if (ec) {
    const bool cut = !body.empty() && (body.front() == '{' || body.front() == '[');
    whole_ =
        rpc_error{http_status, 0,
                  body.empty() ? "an empty answer (HTTP " + std::to_string(http_status) + ")"
                  : cut        ? "half a JSON, or a broken one: " + excerpt(body)
                        : "no JSON (HTTP " + std::to_string(http_status) + "): " + excerpt(body)};
    return;
  }
  read(*root_, calls, http_status);
}

void rpc_reply::read(const json::value& root, std::size_t calls, int http_status) {
  results_.assign(calls,
                  {nullptr, rpc_error{http_status, 0, "the answer has nothing for this call"}});
  found_.assign(calls, false);
  const json::value* nobodys = nullptr; // an error that names no call
  const auto put = [&](const json::object& o, std::size_t i) {
    found_[i] = true;
    if (const auto* e = o.if_contains("error"); e && !e->is_null()) {
      results_[i] = {nullptr, error_of(*e, http_status)};
    } else if (const auto* r = o.if_contains("result")) {
      results_[i] = {r, {}};
    }
  };
  if (const auto* list = root.if_array()) {
    for (const auto& entry : *list) {
      const auto* o = entry.if_object();
      const auto* id = o ? o->if_contains("id") : nullptr;
      std::int64_t n = 0;
      if (id && id->is_int64()) n = id->get_int64();
      if (n >= 1 && static_cast<std::uint64_t>(n) <= calls)
        put(*o, static_cast<std::size_t>(n) - 1);
      else if (const auto* e = o && (!id || id->is_null()) ? o->if_contains("error") : nullptr)
        nobodys = e;
    }
    missing_ = static_cast<std::size_t>(std::count(found_.begin(), found_.end(), false));
    if (!nobodys || nobodys->is_null() || missing_ < calls) return;
    refuses_batches_ = calls > 1;
    whole_ = error_of(*nobodys, http_status);
    return;
  }
  const auto* o = root.if_object();
  if (!o || (!o->if_contains("result") && !o->if_contains("error"))) {
    whole_ =
        rpc_error{http_status, 0, "no JSON-RPC answer (HTTP " + std::to_string(http_status) + ")"};
    return;
  }
  if (calls == 1) return put(*o, 0);
  refuses_batches_ = true;
  const auto* e = o->if_contains("error");
  whole_ = e && !e->is_null() ? error_of(*e, http_status)
                              : rpc_error{http_status, 0, "one answer to a batch of calls"};
}

} // namespace tidemark::tide
