// SPDX-License-Identifier: MIT
#include "actors/ingest_rules.hpp"

#include "actors/client_address.hpp"
#include "actors/stored_headers.hpp"
#include "providers/content_encoding.hpp"

#include <charconv>

namespace tidemark::actors {

namespace {

constexpr std::string_view prefix = "/hooks/";

std::string_view source_name(std::string_view target) {
  return target.starts_with(prefix) ? target.substr(prefix.size()) : std::string_view{};
}

/// Absent: it is sent twice, and who knows in which order it was applied.
std::optional<std::string_view> encoding_of(const net::request& r) {
  std::optional<std::string_view> found;
  for (const auto& [name, value] : r.headers) {
    if (!net::same_name(name, "content-encoding")) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found.value_or(std::string_view{});
}

bool can_inflate(std::string_view encoding) {
  if (providers::is_identity(encoding)) return true;
  const auto tried = providers::inflate(encoding, {}, 0);
  return tried || tried.error() != providers::inflate_refusal::unknown_encoding;
}

net::response unsupported() {
  return net::problem(415, "the encodings that are taken are gzip, deflate and identity");
}

refused_request refuse(const ingest_source& s, ingest_result why, net::response answer,
                       std::string_view reason = {}) {
  return {s.is.name, why, std::move(answer), std::string(reason)};
}
/// 401, with the same words in the log.
refused_request unauthorized(const ingest_source& s, std::string_view reason) {
  return refuse(s, ingest_result::unauthorized, net::problem(401, reason), reason);
}

refused_request refuse(const ingest_source& s, providers::inflate_refusal why) {
  const auto text = providers::to_text(why);
  switch (why) {
  case providers::inflate_refusal::unknown_encoding:
    return refuse(s, ingest_result::unsupported, unsupported());
  case providers::inflate_refusal::too_large:
    return refuse(s, ingest_result::too_large, net::problem(413, text));
  case providers::inflate_refusal::damaged:
    break;
  }
  return refuse(s, ingest_result::malformed, net::problem(400, text));
}

ingest_result result_of(unsigned status) {
  switch (status) {
  case 401:
    return ingest_result::unauthorized;
  case 413:
    return ingest_result::too_large;
  case 415:
    return ingest_result::unsupported;
  case 503:
    return ingest_result::unavailable;
  default:
    return ingest_result::malformed;
  }
}

std::optional<providers::refusal> verify(const ingest_source& s, const net::request& r,
                                         std::string_view body, std::int64_t now) {
  if (!s.signs) return std::nullopt;
  std::vector<providers::request_header> headers;
  headers.reserve(r.headers.size());
  for (const auto& [name, value] : r.headers)
    headers.push_back({name, value});
  return providers::verify(*s.signs, s.is.secrets, {headers, body}, now / 1'000,
                           s.is.tolerance.count() / 1'000);
}

std::vector<std::string> forms_of(const std::vector<std::string>& secrets) {
  constexpr std::string_view standard = "whsec_";
  std::vector<std::string> out;
  for (std::string_view s : secrets) {
    // Without its prefix it is in the longer one as well, so that one form is enough.
    if (s.starts_with(standard) && s.size() > standard.size()) s.remove_prefix(standard.size());
    if (!s.empty()) out.emplace_back(s);
  }
  return out;
}

} // namespace

ingest_rules::ingest_rules(const config::config& c)
    : max_body_(static_cast<std::size_t>(c.ingest.max_body)),
      trusted_proxies_(c.ingest.trusted_proxies) {
  renew(c);
}

void ingest_rules::renew(const config::config& c) {
  const std::unique_lock lock(mutex_);
  chains_.clear();
  sources_.clear();
  for (const auto& chain : c.chains)
    chains_.insert(chain.id);
  for (const auto& s : c.sources) {
    const auto* p = providers::find(s.provider);
    if (!p) continue; // the config lets no such source through
    auto signs = s.signature;
    if (!signs && p->signs) signs = *p->signs;
    if (!signs && !p->takes_unsigned) continue; // nor such a one
    sources_.emplace(s.name, std::make_shared<const ingest_source>(
                                 ingest_source{s, p, std::move(signs), forms_of(s.secrets)}));
  }
}

std::shared_ptr<const ingest_source> ingest_rules::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto at = sources_.find(name);
  return at == sources_.end() ? nullptr : at->second;
}

bool ingest_rules::has_chain(std::uint64_t id) const {
  const std::shared_lock lock(mutex_);
  return chains_.count(id) != 0;
}

std::optional<net::response> check_head(const ingest_rules& rules, const net::request& r) {
  if (!rules.find(source_name(r.target))) return net::problem(404, "no such source");
  if (r.method != "POST") {
    auto answer = net::problem(405, "webhooks are posted");
    answer.headers.emplace_back("Allow", "POST");
    return answer;
  }
  const auto encoding = encoding_of(r);
  if (!encoding || !can_inflate(*encoding)) return unsupported();
  return std::nullopt;
}

std::optional<net::response> check_sender(const ingest_rules& rules, const net::request& r) {
  const auto s = rules.find(source_name(r.target));
  if (!s || s->is.allow_from.empty()) return std::nullopt;
  const auto client = client_address(rules.trusted_proxies(), r);
  if (client && config::any_has(s->is.allow_from, *client)) return std::nullopt;
  return net::problem(401, "not from an address that this source allows");
}

refused_request refused_early(const ingest_rules& rules, const net::request& r,
                              const net::response& answer) {
  const auto s = rules.find(source_name(r.target));
  return {s ? s->is.name : std::string{}, result_of(answer.status), {}, answer.detail};
}

std::variant<accepted_request, refused_request> judge(const ingest_rules& rules, net::request& r,
                                                      std::int64_t now) {
  const auto s = rules.find(source_name(r.target));
  if (!s) return refused_request{{}, ingest_result::malformed, net::problem(404, "no such source")};
  const auto encoding = encoding_of(r);
  if (!encoding) return refuse(*s, providers::inflate_refusal::unknown_encoding);
  const bool packed = !providers::is_identity(*encoding);

  if (!packed || !s->provider->signs_inflated)
    if (const auto wrong = verify(*s, r, r.body, now))
      return unauthorized(*s, providers::to_text(*wrong));

  std::string inflated;
  if (packed) {
    auto out = providers::inflate(*encoding, r.body, rules.max_body());
    if (!out) return refuse(*s, out.error());
    inflated = std::move(*out);
    if (!r.hold(inflated.size()))
      return refuse(*s, ingest_result::unavailable, unavailable("too much is in flight"));
    if (s->provider->signs_inflated)
      if (const auto wrong = verify(*s, r, inflated, now))
        return unauthorized(*s, providers::to_text(*wrong));
  }
  const auto chain =
      s->provider->chain_header.empty() ? std::nullopt : r.header(s->provider->chain_header);
  const auto named = providers::extract(*s->provider, packed ? inflated : r.body,
                                        chain.value_or(std::string_view{}));
  return accepted_request{s->is.name, stored_headers(r.headers, s->never_stored), std::move(r.body),
                          named ? named->size() : 0};
}

net::response unavailable(std::string_view detail) {
  auto answer = net::problem(503, detail);
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

net::response acknowledged(std::int64_t id, std::size_t hints, bool duplicate) {
  char digits[24];
  net::response out;
  out.content_type = "application/json";
  out.body.reserve(80);
  out.body += "{\"id\":";
  out.body.append(digits, std::to_chars(digits, std::end(digits), id).ptr);
  out.body += ",\"hints\":";
  out.body.append(digits, std::to_chars(digits, std::end(digits), hints).ptr);
  out.body += duplicate ? ",\"duplicate\":true}" : ",\"duplicate\":false}";
  return out;
}

} // namespace tidemark::actors
