// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include "providers/provider.hpp"

#include <algorithm>

namespace tidemark::config {
namespace {

using namespace std::chrono_literals;
using part_kind = providers::signed_part::kind;

std::optional<std::string> as_header_name(const value& v) {
  auto name = as_filled(v);
  if (!name || is_header_name(*name)) return name;
  v.wrong("expected the name of a header");
  return std::nullopt;
}

/// body, {header: NAME} or {text: "."}.
std::optional<providers::signed_part> as_signed_part(const value& v) {
  if (v.is_text() && v.text() == "body") return providers::signed_part{};
  if (!v.is_map()) {
    v.wrong("expected body, {header: NAME} or {text: \".\"}");
    return std::nullopt;
  }
  section s(v);
  const auto header = s.find("header");
  const auto text = s.find("text");
  if (!header == !text) {
    v.wrong("expected one of header and text");
    return std::nullopt;
  }
  auto content = header ? as_header_name(*header) : as_filled(*text);
  if (!content) return std::nullopt;
  return providers::signed_part{header ? part_kind::header : part_kind::text, std::move(*content)};
}

std::optional<std::vector<providers::signed_part>> as_signed_parts(const value& v) {
  std::vector<providers::signed_part> out;
  const auto items = v.items();
  for (const auto& item : items) {
    if (auto part = as_signed_part(item)) out.push_back(std::move(*part));
  }
  const bool has_body = std::any_of(out.begin(), out.end(), [](const providers::signed_part& p) {
    return p.is == part_kind::body;
  });
  // Else one signature would go with every body.
  if (v.is_list() && out.size() == items.size() && !has_body) v.wrong("must have body in it");
  return out;
}

std::optional<providers::mac> as_mac(const value& v) {
  const auto text = v.text();
  if (!text) return std::nullopt;
  const auto out = providers::mac_from_text(*text);
  if (!out) v.wrong("expected hmac-sha256, hmac-sha512 or none");
  return out;
}

std::optional<providers::encoding> as_encoding(const value& v) {
  const auto text = v.text();
  if (!text) return std::nullopt;
  const auto out = providers::encoding_from_text(*text);
  if (!out) v.wrong("expected hex or base64");
  return out;
}

std::optional<providers::scheme> as_scheme(const value& v) {
  providers::scheme out;
  section s(v);
  s.need("header", out.header, as_header_name);
  s.need("mac", out.by, as_mac);
  s.read("prefix", out.prefix, as_text);
  s.read("encoding", out.as, as_encoding);
  s.read("signed", out.parts, as_signed_parts);
  if (out.by == providers::mac::none) {
    for (const char* key : {"encoding", "signed"}) {
      if (const auto given = s.find(key)) given->wrong("has no meaning with mac: none");
    }
  }
  return out;
}

const providers::provider* as_provider(const value& v) {
  const auto name = as_filled(v);
  if (!name) return nullptr;
  if (const auto* row = providers::find(*name)) return row;
  std::vector<std::string_view> names;
  for (const auto& row : providers::all())
    names.push_back(row.name);
  v.wrong("there is no provider '" + *name + "'" + suggestion(*name, names));
  return nullptr;
}

void read_networks(const value& v, const builder& b, source& out) {
  for (const auto& m : v.members()) {
    if (const auto* c = as_chain(m.of, b)) out.networks.emplace(m.key, c->id);
  }
}

/// The scheme that the source's requests are held against; null where none can be known.
const providers::scheme* scheme_of(const source& s, const providers::provider* provider) {
  if (s.signature) return &*s.signature;
  return provider == nullptr ? nullptr : provider->signs;
}

/// What each request has to prove. A provider whose scheme nobody has documented takes no secret,
/// so that nobody thinks it were looked at.
void read_proof(section& s, const providers::provider* provider, source& out) {
  const auto& v = s.of();
  s.read("signature", out.signature, as_scheme);
  const bool signature_given = v.has_key("signature");
  const bool open = provider != nullptr && provider->takes_unsigned && !signature_given;
  if (provider != nullptr && provider->signs == nullptr && !signature_given && !open)
    v.wrong("the provider " + out.provider + " needs a signature");
  const auto* scheme = scheme_of(out, provider);
  for (auto& secret : read_secrets(s, open)) {
    if (open) {
      secret.where.wrong("has no meaning: how " + out.provider +
                         " signs is not documented, so nothing would be held against it; leave it "
                         "out, or say how by signature");
      continue;
    }
    const auto fit =
        scheme == nullptr ? evm::result<void>{} : providers::check_secret(*scheme, secret.text);
    if (!fit) secret.where.wrong(fit.error().text);
    out.secrets.push_back(std::move(secret.text));
  }
  s.read("allow_from", out.allow_from, as_ranges);
  if (open)
    v.warn("nobody has documented how " + out.provider +
           " signs, so its webhooks are not verified: allow_from is the only guard" +
           (out.allow_from.empty() ? ", and it is not set" : ""));
}

void read_source(const value& v, builder& b) {
  source out;
  section s(v);
  const auto name = s.need("name");
  if (name) out.name = as_name(*name).value_or("");
  const auto given = s.need("provider");
  const auto* provider = given ? as_provider(*given) : nullptr;
  if (provider != nullptr) out.provider = provider->name;
  read_proof(s, provider, out);
  if (const auto chain = s.find("chain")) {
    if (const auto* c = as_chain(*chain, b)) out.chain_id = c->id;
  }
  if (const auto networks = s.find("networks")) read_networks(*networks, b, out);
  s.read("tolerance", out.tolerance, as_duration(1s, std::chrono::hours(24 * 365)));
  s.read("expect_every", out.expect_every, as_duration(0s, std::chrono::hours(24 * 365)));
  if (out.name.empty()) return;
  b.names.sources.add(*name, out.name);
  b.out.sources.push_back(std::move(out));
}

} // namespace

void read_sources(const value& v, builder& b) {
  for (const auto& item : v.items())
    read_source(item, b);
}

} // namespace tidemark::config
