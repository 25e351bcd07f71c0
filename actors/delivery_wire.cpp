// SPDX-License-Identifier: MIT
#include "actors/delivery.hpp"

#include "providers/sign.hpp"

#include <algorithm>

// Between a handler's messages and HTTP.

namespace tidemark::actors {
namespace {

constexpr std::size_t kept_of_answer = 4'096, read_of_answer = 16'384;
/// A kept connection that ends without an answer after so long a rest had ended before.
constexpr std::chrono::milliseconds stale_after{2'000};

} // namespace

tide::courier_settings settings_of(const config::handler& h) {
  tide::courier_settings s;
  s.concurrency = std::max<std::uint32_t>(h.concurrency, 1);
  s.retry_initial = h.retry.initial.count();
  s.retry_max = h.retry.max.count();
  s.attempts = h.retry.attempts;
  s.max_age = h.retry.max_age.count();
  s.on_exhausted = h.on_exhausted;
  s.rate = h.rate;
  return s;
}

net::client_request compose_request(const config::handler& h, const handler_place& place,
                                    std::string_view version, const store::message& m,
                                    std::int64_t now_s) {
  net::client_request r;
  r.target = place.url;
  r.tls = place.tls;
  r.sender = h.name();
  // Sooner, a lost request would be a second attempt under the first one's number.
  r.resend_lost = stale_after;
  r.body = std::make_shared<const std::string>(store::message_body(m));
  const auto id = store::message_id(m);
  const auto timestamp = std::to_string(now_s);
  std::string signatures;
  for (const auto& secret : h.secrets) {
    if (!signatures.empty()) signatures += ' ';
    signatures += providers::standard_webhooks_signature(secret, id, timestamp, *r.body);
  }
  r.headers = {{"user-agent", "tidemark/" + std::string{version}},
               {"content-type", m.batch ? "application/cloudevents-batch+json" : h.content_type},
               {"webhook-id", id},
               {"webhook-timestamp", timestamp},
               {"webhook-signature", std::move(signatures)},
               {"tidemark-attempt", std::to_string(m.attempt)}};
  if (m.job != 0) r.headers.emplace_back("tidemark-replay", std::to_string(m.job));
  r.headers.insert(r.headers.end(), h.headers.begin(), h.headers.end());
  r.timeout = h.timeout;
  r.keep = read_of_answer;
  r.max_answer = read_of_answer;
  r.reach = h.allow_private ? net::egress::private_ok : net::egress::public_only;
  return r;
}

tide::exchange_end end_of(const net::client_result& r, std::uint32_t ms) {
  using kind = tide::exchange_end::kind;
  tide::exchange_end out;
  out.ms = ms;
  if (r) {
    out.is = kind::answered;
    out.status = static_cast<std::uint16_t>(std::min(r->status, 999U));
    if (const auto* value = net::find_header(r->headers, "retry-after")) out.retry_after = *value;
    out.text = r->body.substr(0, kept_of_answer);
    out.body = r->body;
    out.cut_short = r->cut_short;
    return out;
  }
  switch (r.error().kind) {
  case net::failure::dns:
  case net::failure::refused:
  case net::failure::refused_address:
  case net::failure::tls:
    out.is = kind::unreachable;
    break;
  case net::failure::timeout:
  case net::failure::cut:
  case net::failure::too_large:
  case net::failure::malformed:
    out.is = kind::no_answer;
    break;
  }
  out.text = r.error().text.substr(0, kept_of_answer);
  return out;
}

tide::exchange_end shown(tide::exchange_end how, const net::redaction& hides) {
  how.text = hides.of(std::move(how.text));
  how.body.clear();
  return how;
}

} // namespace tidemark::actors
