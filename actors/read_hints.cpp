// SPDX-License-Identifier: MIT
#include "actors/ingest_rules.hpp"

#include "actors/stored_headers.hpp"
#include "providers/content_encoding.hpp"

#include <tuple>

namespace tidemark::actors {

namespace {

/// Absent: the payload names a chain that the config does not have, or none at all and the source
/// neither.
std::optional<std::uint64_t> chain_of(const ingest_rules& rules, const ingest_source& s,
                                      const providers::hint& h) {
  auto id = h.chain_id;
  if (!id && !h.network.empty()) {
    const auto own = s.is.networks.find(h.network);
    id =
        own != s.is.networks.end() ? own->second : providers::known_network(*s.provider, h.network);
    if (!id) return std::nullopt;
  }
  if (!id) id = s.is.chain_id;
  return id && rules.has_chain(*id) ? id : std::nullopt;
}

/// What makes two hints one look: the place in its block does not matter where the transaction is
/// known.
auto place_of(const store::hint_in& h) {
  const bool by_tx = h.tx.has_value();
  return std::tuple{h.chain_id,
                    h.takes_back,
                    h.tx,
                    h.log_index,
                    by_tx ? std::nullopt : h.block,
                    by_tx ? std::nullopt : h.block_hash};
}

evm::result<providers::hints> named_in(const ingest_rules& rules, const ingest_source& s,
                                       const store::raw_webhook& w) {
  const auto encoding = stored_header(w.headers, "content-encoding");
  const auto& named_by = s.provider->chain_header;
  const auto chain = named_by.empty() ? std::string{} : stored_header(w.headers, named_by);
  if (providers::is_identity(encoding)) return providers::extract(*s.provider, w.body, chain);
  const auto body = providers::inflate(encoding, w.body, rules.max_body());
  if (!body) return evm::fail("the body does not inflate");
  return providers::extract(*s.provider, *body, chain);
}

} // namespace

store::extracted read_hints(const ingest_rules& rules, const store::raw_webhook& w) {
  store::extracted out;
  out.webhook = w.id;
  out.state_if_no_hints = tide::hint_state::unparsed;
  const auto s = rules.find(w.source);
  if (!s) return out;
  const auto named = named_in(rules, *s, w);
  if (!named) return out;

  out.state_if_no_hints = tide::hint_state::irrelevant;
  std::set<decltype(place_of(store::hint_in{}))> known;
  for (const auto& h : *named) {
    if (out.hints.size() == max_lookups) break;
    if (!h.tx && !h.block_number && !h.block_hash) continue; // nowhere to look
    store::hint_in in{chain_of(rules, *s, h), h.tx,        h.block_number,
                      h.block_hash,           h.log_index, h.takes_back};
    if (known.insert(place_of(in)).second) out.hints.push_back(in);
  }
  return out;
}

} // namespace tidemark::actors
