// SPDX-License-Identifier: MIT
#include "providers/signature.hpp"

#include "providers/json.hpp"
#include "providers/macs.hpp"
#include "providers/signed_time.hpp"
#include "providers/strict_text.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace tidemark::providers {

namespace {

using part_kind = signed_part::kind;

// An attacker's list costs one comparison an item, and no more than this many.
constexpr std::size_t max_list = 32;
constexpr std::string_view standard_prefix = "whsec_";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool present(const signed_request& request, std::string_view name) {
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [&](const request_header& h) { return same_name(h.name, name); });
}

struct found_text {
  std::string_view text;
  std::optional<refusal> trouble;
};

found_text only_value(const signed_request& request, std::string_view name) {
  const request_header* found = nullptr;
  for (const auto& h : request.headers) {
    if (!same_name(h.name, name)) continue;
    if (found) return {{}, refusal::malformed};
    found = &h;
  }
  if (!found) return {{}, refusal::missing_header};
  if (found->value.empty()) return {{}, refusal::malformed};
  return {found->value, {}};
}

/// Up to the separator or the end; `rest` begins behind it, or is nothing.
std::string_view cut(std::optional<std::string_view>& rest, char separator) {
  const auto all = *rest;
  const auto at = all.find(separator);
  if (at == std::string_view::npos)
    rest.reset();
  else
    rest = all.substr(at + 1);
  return all.substr(0, at);
}

/// The value of `t=1,h=a b,v1=00`; a field that is there twice says nothing.
found_text field_of(std::string_view header, std::string_view name) {
  std::optional<std::string_view> found, rest = header;
  for (std::size_t items = 0; rest && items < max_list; ++items) {
    const auto item = cut(rest, ',');
    const auto equals = item.find('=');
    if (equals == std::string_view::npos || item.substr(0, equals) != name) continue;
    if (found) return {{}, refusal::malformed};
    found = item.substr(equals + 1);
  }
  if (!found || found->empty()) return {{}, refusal::malformed};
  return {*found, {}};
}

std::optional<evm::bytes> key_of(const scheme& s, std::string_view secret) {
  if (s.key == key_form::text) {
    const auto text = octets(secret);
    return evm::bytes{text.begin(), text.end()};
  }
  if (s.key == key_form::base64 && secret.starts_with(standard_prefix))
    secret.remove_prefix(standard_prefix.size());
  return decode_base64(secret);
}

std::optional<evm::bytes> decode(const scheme& s, std::string_view text) {
  if (!text.starts_with(s.prefix)) return std::nullopt;
  text.remove_prefix(s.prefix.size());
  auto out = s.as == encoding::hex ? decode_lower_hex(text) : decode_base64(text);
  const auto size = digest_size(s.by);
  if (!out || out->empty() || (size != 0 && out->size() != size)) return std::nullopt;
  return out;
}

/// The MACs that the header offers; empty where it has none that could be right.
std::vector<evm::bytes> offered(const scheme& s, std::string_view value) {
  std::vector<evm::bytes> out;
  if (s.look == layout::fields) {
    const auto field = field_of(value, s.field);
    if (field.trouble) return out;
    value = field.text;
  }
  std::optional<std::string_view> rest = value;
  for (std::size_t items = 0; rest && items <= max_list; ++items) {
    const auto item = s.look == layout::list ? cut(rest, ' ') : *std::exchange(rest, std::nullopt);
    if (auto one = decode(s, item)) out.push_back(std::move(*one));
  }
  return out;
}

// The digests have one length, so that the time taken says nothing about the secret's.
bool same_secret(std::string_view a, std::string_view b) {
  const std::string_view first[] = {a};
  const std::string_view second[] = {b};
  const auto key = octets("tidemark");
  return same_mac(compute_mac(mac::hmac_sha256, key, first),
                  compute_mac(mac::hmac_sha256, key, second));
}

std::optional<refusal> verify_static(const scheme& s, std::span<const std::string> secrets,
                                     std::string_view value) {
  if (!value.starts_with(s.prefix)) return refusal::malformed;
  value.remove_prefix(s.prefix.size());
  bool right = false;
  for (const auto& secret : secrets)
    if (!secret.empty() && same_secret(secret, value)) right = true;
  return right ? std::nullopt : std::optional{refusal::mismatch};
}

bool within(std::int64_t a, std::int64_t b, std::int64_t tolerance) {
  const auto x = static_cast<std::uint64_t>(std::max(a, b));
  const auto y = static_cast<std::uint64_t>(std::min(a, b));
  return tolerance >= 0 && x - y <= static_cast<std::uint64_t>(tolerance);
}

using pieces_of = std::vector<std::string_view>;

std::optional<refusal> add_listed(const signed_request& request, std::string_view names,
                                  pieces_of& out) {
  std::optional<std::string_view> rest = names;
  for (std::size_t items = 0; rest; ++items) {
    const auto name = cut(rest, ' ');
    if (name.empty() || items == max_list) return refusal::malformed;
    const auto value = only_value(request, name);
    if (value.trouble) return value.trouble;
    if (items > 0) out.push_back(".");
    out.push_back(value.text);
  }
  return std::nullopt;
}

/// What is signed. The places of the secret stay empty; their indexes are in `secrets`.
std::optional<refusal> gather(const scheme& s, const signed_request& request,
                              std::string_view signature, pieces_of& out,
                              std::vector<std::size_t>& secrets) {
  for (const auto& part : s.parts) {
    found_text piece;
    if (part.is == part_kind::body) piece.text = request.body;
    if (part.is == part_kind::text) piece.text = part.value;
    if (part.is == part_kind::secret) secrets.push_back(out.size());
    if (part.is == part_kind::header) piece = only_value(request, part.value);
    if (part.is == part_kind::field || part.is == part_kind::listed)
      piece = field_of(signature, part.value);
    if (piece.trouble) return piece.trouble;
    if (part.is != part_kind::listed)
      out.push_back(piece.text);
    else if (const auto wrong = add_listed(request, piece.text, out))
      return wrong;
  }
  return std::nullopt;
}

bool signed_by(const scheme& s, std::string_view secret, const pieces_of& pieces,
               const std::vector<evm::bytes>& offers) {
  const auto key = key_of(s, secret);
  if (!key || key->empty()) return false;
  if (s.by == mac::ecdsa_p256)
    return std::any_of(offers.begin(), offers.end(),
                       [&](const evm::bytes& o) { return p256_signed(*key, pieces, o); });
  const auto right = compute_mac(s.by, *key, pieces);
  return std::any_of(offers.begin(), offers.end(),
                     [&](const evm::bytes& o) { return same_mac(right, o); });
}

std::optional<refusal> verify_mac(const scheme& s, std::span<const std::string> secrets,
                                  const signed_request& request, std::string_view signature) {
  pieces_of pieces;
  std::vector<std::size_t> secret_places;
  if (const auto wrong = gather(s, request, signature, pieces, secret_places)) return wrong;
  const auto offers = offered(s, signature);
  if (offers.empty()) return refusal::malformed;
  if (!s.content_hash.empty()) {
    const auto hash = only_value(request, s.content_hash);
    if (hash.trouble) return hash.trouble;
    if (!same_mac(octets(hash.text), octets(sha256_hex(request.body)))) return refusal::mismatch;
  }
  for (const auto& secret : secrets) {
    for (const auto at : secret_places)
      pieces[at] = secret;
    if (signed_by(s, secret, pieces, offers)) return std::nullopt;
  }
  return refusal::mismatch;
}

std::optional<std::int64_t> time_in_body(const signed_time& t, std::string_view body) {
  const auto tree = parse_json(body);
  const auto* v = tree && !t.name.empty() ? member(*tree, t.name) : nullptr;
  if (!v) return std::nullopt;
  if (const auto* n = v->if_int64()) return read_time(t.as, std::to_string(*n));
  if (const auto* text = v->if_string()) return read_time(t.as, {text->data(), text->size()});
  return std::nullopt;
}

/// Of a header or a field; the body is looked at only once it is known to be the sender's.
std::optional<refusal> time_beside(const scheme& s, const signed_request& request,
                                   std::string_view signature, std::optional<std::int64_t>& at) {
  if (s.time.name.empty() || s.time.in == signed_time::place::member) return std::nullopt;
  const auto text = s.time.in == signed_time::place::field ? field_of(signature, s.time.name)
                                                           : only_value(request, s.time.name);
  if (text.trouble) return text.trouble;
  at = read_time(s.time.as, text.text);
  return at ? std::nullopt : std::optional{refusal::malformed};
}

} // namespace

std::optional<mac> mac_from_text(std::string_view text) {
  if (text == "none") return mac::none;
  if (text == "hmac-sha256") return mac::hmac_sha256;
  if (text == "hmac-sha512") return mac::hmac_sha512;
  return std::nullopt;
}

std::optional<encoding> encoding_from_text(std::string_view text) {
  if (text == "hex") return encoding::hex;
  if (text == "base64") return encoding::base64;
  return std::nullopt;
}

std::string_view to_text(refusal r) {
  switch (r) {
  case refusal::missing_header:
    return "a header of the signature is missing";
  case refusal::malformed:
    return "the signature is malformed";
  case refusal::mismatch:
    return "the signature is wrong";
  case refusal::stale:
    return "the signature's time is too far from now";
  }
  return "";
}

evm::result<void> check_secret(const scheme& s, std::string_view secret) {
  const auto key = key_of(s, secret);
  if (s.key == key_form::p256_spki && (!key || !is_p256_key(*key)))
    return evm::fail("the secret must be a public key on P-256: the base64 of its SPKI");
  if (!key) return evm::fail("the secret must be base64, with or without whsec_ in front");
  if (key->empty()) return evm::fail("the secret is empty");
  return {};
}

std::optional<refusal> verify(const scheme& s, std::span<const std::string> secrets,
                              const signed_request& request, std::int64_t now_s,
                              std::int64_t tolerance_s) {
  if (!present(request, s.header))
    for (const auto& other : s.or_else)
      if (present(request, other.header))
        return verify(other, secrets, request, now_s, tolerance_s);

  const auto signature = only_value(request, s.header);
  if (signature.trouble) return signature.trouble;
  if (s.by == mac::none) return verify_static(s, secrets, signature.text);
  std::optional<std::int64_t> at;
  if (const auto refused = time_beside(s, request, signature.text, at)) return refused;
  if (const auto refused = verify_mac(s, secrets, request, signature.text)) return refused;
  if (s.time.in == signed_time::place::member) at = time_in_body(s.time, request.body);
  if (at && !within(*at, now_s, tolerance_s)) return refusal::stale;
  return std::nullopt;
}

} // namespace tidemark::providers
