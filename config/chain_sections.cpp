// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include <algorithm>

// confirmation_policy and chains.

namespace tidemark::config {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t max_number =
    std::numeric_limits<std::int64_t>::max(); // what the store holds
constexpr std::uint64_t max_confirmations = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, tide::tag>, 2> tags{
    {{"safe", tide::tag::safe}, {"finalized", tide::tag::finalized}}};

bool is_tag(const std::string& text) { return text == "safe" || text == "finalized"; }
bool is_number(const std::string& text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9' && parse_count(text).has_value();
}

/// 12, finalized, safe or {blocks: 12, tag: safe}.
std::optional<tide::policy> as_policy_value(const value& v) {
  tide::policy out;
  if (v.is_map()) {
    section s(v);
    s.read("blocks", out.blocks, as_count<std::uint64_t>(0, max_confirmations));
    s.read("tag", out.at_least, as_choice(tags));
    if (v.has_key("blocks") || v.has_key("tag")) return out;
    v.wrong("needs blocks, tag or both");
    return std::nullopt;
  }
  const auto text = v.text();
  if (!text) return std::nullopt;
  if (is_tag(*text)) {
    out.at_least = *text == "safe" ? tide::tag::safe : tide::tag::finalized;
    return out;
  }
  if (!is_number(*text)) {
    v.wrong("expected a number of blocks, safe, finalized, or {blocks: 12, tag: safe}");
    return std::nullopt;
  }
  out.blocks = count_between(v, 0, max_confirmations);
  return out;
}

std::optional<std::string> as_endpoint_url(const value& v) {
  auto url = as_filled(v);
  if (!url) return std::nullopt;
  const auto parts = parse_url(*url);
  if (!parts) {
    v.wrong(parts.error().text);
    return std::nullopt;
  }
  return url;
}

bool is_socket(const endpoint& e) {
  const auto parts = parse_url(e.url);
  return parts && (parts->scheme == "ws" || parts->scheme == "wss");
}

/// What only matters where something is asked for.
void read_limits(section& s, endpoint& out) {
  const bool socket = is_socket(out);
  for (const char* key : {"max_range", "requests_per_second"})
    if (const auto given = s.find(key); given && socket)
      given->wrong("is of http(s) endpoints alone: a WebSocket endpoint only tells of new heads");
  if (socket) return;
  s.read("max_range", out.max_range, as_count<std::uint64_t>(1, 1'000'000));
  s.read("requests_per_second", out.requests_per_second, as_rate);
}

endpoint read_endpoint(const value& v) {
  endpoint out;
  if (!v.is_map()) {
    out.url = as_endpoint_url(v).value_or("");
    return out;
  }
  section s(v);
  s.read("name", out.name, as_name);
  s.need("url", out.url, as_endpoint_url);
  s.read("headers", out.headers, as_headers);
  read_limits(s, out);
  s.read("timeout", out.timeout, as_duration(10ms, 10min));
  return out;
}

/// Host and port, and #2, #3 … behind it where that is taken.
std::string default_name(const endpoint& e, const std::vector<endpoint>& others) {
  const auto parts = parse_url(e.url);
  if (!parts) return {};
  const bool six = parts->host.find(':') != std::string::npos;
  const auto base =
      (six ? '[' + parts->host + ']' : parts->host) + ':' + std::to_string(parts->port);
  auto name = base;
  const auto taken = [&](const endpoint& other) { return other.name == name; };
  for (int n = 2; std::any_of(others.begin(), others.end(), taken); ++n)
    name = base + '#' + std::to_string(n);
  return name;
}

std::optional<std::vector<endpoint>> as_endpoints(const value& v) {
  std::vector<endpoint> out;
  name_table names("endpoint");
  for (const auto& item : v.items()) {
    out.push_back(read_endpoint(item));
    if (!out.back().name.empty()) names.add(item, out.back().name);
  }
  if (v.is_list() && out.empty()) v.wrong("a chain needs at least one endpoint");
  if (!out.empty() && std::all_of(out.begin(), out.end(), is_socket))
    v.wrong("add an https:// or http:// endpoint: ws:// and wss:// only tell of new heads, all "
            "else is read over HTTP");
  for (auto& e : out) {
    if (e.name.empty()) e.name = default_name(e, out);
  }
  return out;
}

/// Nothing: latest.
std::optional<std::optional<std::uint64_t>> as_start_block(const value& v) {
  const auto text = v.text();
  if (!text) return std::nullopt;
  if (*text == "latest") return std::optional<std::uint64_t>{};
  if (!is_number(*text)) {
    v.wrong("expected latest or the number of a block");
    return std::nullopt;
  }
  if (const auto n = count_between(v, 0, max_number)) return n;
  return std::nullopt;
}

std::optional<integrity> as_integrity(const value& v) {
  static constexpr std::array<std::pair<std::string_view, integrity>, 3> words{
      {{"none", integrity::none}, {"bloom", integrity::bloom}, {"receipts", integrity::receipts}}};
  return choose(v, words);
}

void read_endpoints(section& s, chain& out) {
  s.need("rpc", out.rpc, as_endpoints);
  const auto sockets = std::stable_partition(out.rpc.begin(), out.rpc.end(),
                                             [](const endpoint& e) { return !is_socket(e); });
  out.heads.assign(sockets, out.rpc.end());
  out.rpc.erase(sockets, out.rpc.end());
}

/// No more than there are endpoints to agree.
void read_quorum(section& s, chain& out) {
  const auto given = s.find("quorum");
  if (!given) return;
  const auto n = count_between(*given, 1, 64);
  if (n && *n > out.rpc.size() && !out.rpc.empty())
    given->wrong("expected at most " + std::to_string(out.rpc.size()) + ", the number of " +
                 (out.heads.empty() ? "" : "http(s) ") + "endpoints under rpc");
  if (n) out.quorum = static_cast<std::uint32_t>(*n);
}

void read_passes(section& s, chain& out) {
  if (const auto reconcile = s.find("reconcile")) {
    section r(*reconcile);
    r.read("interval", out.reconcile_interval, as_duration(1ms, 24h));
    r.read("max_range", out.reconcile_max_range, as_count<std::uint64_t>(1, 1'000'000));
    r.read("overlap", out.reconcile_overlap, as_count<std::uint64_t>(0, 100'000));
  }
  if (const auto reorg = s.find("reorg")) {
    section r(*reorg);
    r.read("interval", out.reorg_interval, as_duration(1ms, 24h));
    r.read("max_depth", out.max_depth, as_count<std::uint64_t>(1, 100'000));
  }
}

void read_chain(const value& v, builder& b) {
  chain out;
  section s(v);
  const auto name = s.need("name");
  if (name) out.name = as_name(*name).value_or("");
  const auto id = s.need("id");
  if (id) out.id = count_between(*id, 1, max_number).value_or(0);
  read_endpoints(s, out);
  read_quorum(s, out);
  s.need("confirmations", out.confirmations, [&](const value& p) { return as_policy(p, b); });
  s.read("start_block", out.start_block, as_start_block);
  s.read("follow", out.follow, as_flag);
  s.read("poll_interval", out.poll_interval, as_duration(1ms, 1h));
  s.read("integrity", out.integrity, as_integrity);
  s.read("backfill_integrity", out.backfill_integrity, as_integrity);
  s.read("instant", out.instant, as_flag);
  read_passes(s, out);
  for (const auto& other : b.out.chains) {
    if (id && other.id == out.id && out.id != 0)
      id->wrong("chain '" + other.name + "' has the id " + std::to_string(out.id) + " already");
  }
  if (out.name.empty()) return;
  b.names.chains.add(*name, out.name);
  b.out.chains.push_back(std::move(out));
}

} // namespace

const chain* builder::find_chain(const std::string& name) const {
  const auto found = std::find_if(out.chains.begin(), out.chains.end(),
                                  [&](const chain& c) { return c.name == name; });
  return found == out.chains.end() ? nullptr : &*found;
}

std::optional<tide::policy> as_policy(const value& v, const builder& b) {
  if (!v.is_text()) return as_policy_value(v);
  const auto text = v.text();
  if (!text) return std::nullopt;
  if (is_tag(*text) || is_number(*text)) return as_policy_value(v);
  if (!b.names.policies.resolve(v, *text)) return std::nullopt;
  const auto found = b.out.policies.find(*text);
  // A name whose value was wrong has been noted.
  return found == b.out.policies.end() ? std::optional<tide::policy>{} : found->second;
}

const chain* as_chain(const value& v, const builder& b) {
  const auto name = v.text();
  if (!name || !b.names.chains.resolve(v, *name)) return nullptr;
  return b.find_chain(*name);
}

void read_policies(const value& v, builder& b) {
  for (const auto& m : v.members()) {
    if (is_tag(m.key) || is_number(m.key) || !is_name(m.key)) {
      v.in().wrong(
          m.key_at,
          "'" + m.key +
              "' cannot name a policy: a name is a word, and none of safe, finalized and a number");
      continue;
    }
    b.names.policies.add(m.of, m.key);
    auto policy = as_policy_value(m.of);
    if (!policy) continue;
    policy->name = m.key;
    b.out.policies.emplace(m.key, std::move(*policy));
  }
}

void read_chains(const value& v, builder& b) {
  for (const auto& item : v.items())
    read_chain(item, b);
}

} // namespace tidemark::config
