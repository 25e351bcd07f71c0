// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include <algorithm>
#include <limits>

namespace tidemark::config {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds year = std::chrono::hours(24 * 365);

std::optional<std::string> as_handler_url(const value& v, bool allow_private) {
  auto url = as_filled(v);
  if (!url) return std::nullopt;
  const auto parts = parse_url(*url);
  if (!parts) {
    v.wrong(parts.error().text);
    return std::nullopt;
  }
  if (parts->scheme == "https" || (parts->scheme == "http" && allow_private)) return url;
  v.wrong(parts->scheme == "http" ? "must begin with https://, or allow_private be true"
                                  : "expected a URL that begins with https://");
  return std::nullopt;
}

/// By the Standard Webhooks specification: 24 to 64 random bytes.
void check_secret(const given_secret& secret) {
  constexpr std::string_view prefix = "whsec_";
  const std::string_view text = secret.text;
  const auto size = text.substr(0, prefix.size()) == prefix
                        ? base64_size(text.substr(prefix.size()))
                        : std::nullopt;
  if (!size) {
    secret.where.wrong("expected a Standard Webhooks secret: whsec_ and base64, as made by: "
                       "echo whsec_$(openssl rand -base64 32)");
  } else if (*size < 24 || *size > 64) {
    secret.where.wrong("a Standard Webhooks secret stands for 24 to 64 bytes, this one for " +
                       std::to_string(*size));
  }
}

enum class told : std::uint8_t { pending, confirmed, rolled_back };

void read_send(const value& v, tide::recipient& out) {
  static constexpr std::array<std::pair<std::string_view, told>, 3> words{
      {{"pending", told::pending},
       {"confirmed", told::confirmed},
       {"rolled_back", told::rolled_back}}};
  out.pending = out.confirmed = false;
  const auto before = v.in().problems.size();
  for (const auto& item : v.items()) {
    const auto word = choose(item, words);
    out.pending = out.pending || word == told::pending;
    out.confirmed = out.confirmed || word == told::confirmed;
  }
  if (!out.pending && !out.confirmed && v.in().problems.size() == before)
    v.wrong("must have pending or confirmed: rolled_back only takes back what was sent");
}

void read_order(const value& v, tide::recipient& out) {
  static constexpr std::array<std::pair<std::string_view, tide::order_by>, 5> words{
      {{"chain", tide::order_by::chain},
       {"contract", tide::order_by::contract},
       {"subscription", tide::order_by::subscription},
       {"none", tide::order_by::none},
       {"arg:NAME", tide::order_by::argument}}};
  constexpr std::string_view prefix = "arg:";
  const auto text = v.text();
  if (text && text->size() > prefix.size() &&
      std::string_view(*text).substr(0, prefix.size()) == prefix) {
    out.order = tide::order_by::argument;
    out.argument = text->substr(prefix.size());
  } else if (text == "arg:") {
    v.wrong("arg: needs the name of an argument: arg:to");
  } else if (const auto order = choose(v, words)) {
    out.order = *order;
  }
}

/// The subscriptions that are named, or all, in the order of the section that defines them.
void read_subscription_names(const std::optional<value>& v, const builder& b,
                             tide::recipient& out) {
  std::vector<std::string> named;
  if (v) {
    const auto items = v->items();
    if (v->is_list() && items.empty()) v->wrong("is empty; leave it out for all");
    for (const auto& item : items) {
      auto name = item.text();
      if (!name || !b.names.subscriptions.resolve(item, *name)) continue;
      if (std::find(named.begin(), named.end(), *name) != named.end())
        item.wrong("'" + *name + "' is there twice");
      else
        named.push_back(std::move(*name));
    }
  }
  for (const auto& s : b.out.subscriptions) {
    if (!v || std::find(named.begin(), named.end(), s.name) != named.end())
      out.subscriptions.push_back(s.name);
  }
}

retry_section read_retry(const value& v) {
  retry_section out;
  section s(v);
  s.read("initial", out.initial, as_duration(1ms, 1h));
  s.read("max", out.max, as_duration(1ms, 24h));
  s.read("attempts", out.attempts, as_count<std::uint32_t>(0, 1'000'000));
  s.read("max_age", out.max_age, as_duration(0s, year));
  if (out.max < out.initial) v.wrong("max is less than initial");
  return out;
}

batch_section read_batch(const value& v) {
  batch_section out;
  section s(v);
  s.read("max_events", out.max_events, as_count<std::uint32_t>(1, 10'000));
  s.read("linger", out.linger, as_duration(0ms, 1h));
  return out;
}

/// now · all · {CHAIN: BLOCK, …}
void read_start(const value& v, const builder& b, handler& out) {
  static constexpr std::array<std::pair<std::string_view, bool>, 2> words{
      {{"now", false}, {"all", true}}};
  if (v.is_text()) {
    out.start_with_backlog = choose(v, words).value_or(false);
    return;
  }
  constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  for (const auto& m : v.members()) {
    const auto block = count_between(m.of, 0, highest);
    if (!b.names.chains.resolve(m.of, m.key)) continue;
    if (const chain* c = b.find_chain(m.key); c != nullptr && block) out.start_from[c->id] = *block;
  }
  out.start_with_backlog = true;
}

void warn_of_argument(const value& v, const handler& h, const builder& b) {
  if (h.recipient.order != tide::order_by::argument) return;
  const auto has_argument = [&](const tide::subscription& s) {
    const auto& wanted = h.recipient.subscriptions;
    const auto& inputs = s.event.inputs;
    return std::find(wanted.begin(), wanted.end(), s.name) != wanted.end() &&
           std::any_of(inputs.begin(), inputs.end(),
                       [&](const evm::abi_parameter& p) { return p.name == h.recipient.argument; });
  };
  if (std::any_of(b.out.subscriptions.begin(), b.out.subscriptions.end(), has_argument)) return;
  v.warn("none of the handler's subscriptions has an argument '" + h.recipient.argument +
         "', so it is as contract");
}

void read_handler(const value& v, builder& b) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 2> content_types{
      {{"application/cloudevents+json", "application/cloudevents+json"},
       {"application/json", "application/json"}}};
  static constexpr std::array<std::pair<std::string_view, tide::on_exhausted>, 3> exhausted{
      {{"block", tide::on_exhausted::block},
       {"park_key", tide::on_exhausted::park_key},
       {"park_event", tide::on_exhausted::park_event}}};
  handler out;
  section s(v);
  const auto name = s.need("name");
  if (name) out.recipient.name = as_name(*name).value_or("");
  s.read("allow_private", out.allow_private, as_flag);
  s.need("url", out.url, [&](const value& url) { return as_handler_url(url, out.allow_private); });
  for (auto& secret : read_secrets(s)) {
    check_secret(secret);
    out.secrets.push_back(std::move(secret.text));
  }
  s.read("headers", out.headers, as_headers);
  read_subscription_names(s.find("subscriptions"), b, out.recipient);
  if (const auto send = s.find("send")) read_send(*send, out.recipient);
  if (const auto order = s.find("order_by")) {
    read_order(*order, out.recipient);
    warn_of_argument(*order, out, b);
  }
  s.read("concurrency", out.concurrency, as_count<std::uint32_t>(1, 1'024));
  s.read("max_message", out.max_message, as_size(1 * kib, 16 * mib));
  s.read("content_type", out.content_type, as_choice(content_types));
  s.read("timeout", out.timeout, as_duration(10ms, 1h));
  if (const auto retry = s.find("retry")) out.retry = read_retry(*retry);
  s.read("on_exhausted", out.on_exhausted, as_choice(exhausted));
  s.read("rate", out.rate, as_rate);
  if (const auto batch = s.find("batch")) out.batch = read_batch(*batch);
  s.read("pending_max_age", out.pending_max_age, as_duration(0s, year));
  if (const auto start = s.find("start")) read_start(*start, b, out);
  s.read("tls", out.tls, as_client_tls);
  if (out.recipient.name.empty()) return;
  b.names.handlers.add(*name, out.recipient.name);
  b.out.handlers.push_back(std::move(out));
}

} // namespace

void read_handlers(const value& v, builder& b) {
  for (const auto& item : v.items())
    read_handler(item, b);
}

} // namespace tidemark::config
