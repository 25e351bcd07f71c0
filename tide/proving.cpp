// SPDX-License-Identifier: MIT
#include "tide/quorum.hpp"
#include "tide/tide.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

// What the passes share: blocks read whole and held against themselves, and a quorum's word.

namespace tidemark::tide {
namespace {

const char* kind_of(objection::kind k) {
  using enum objection::kind;
  return k == bloom || k == lack || k == numbering ? "logs" : "block";
}

/// While one endpoint has shown what may be its chain's odd way, the others are asked in turn.
std::optional<std::size_t> shows_it_next(const chain_ways& ways, const oddity& indexes,
                                         const oddity& blooms_, std::size_t endpoints) {
  if (ways.indexes == numbering::unknown)
    if (const auto next = indexes.next(endpoints)) return next;
  return ways.bloom == blooms::unknown ? blooms_.next(endpoints) : std::nullopt;
}

} // namespace

const evm::header* tide::header_at(const answer& a, std::uint64_t number) {
  if (const auto* none = std::get_if<no_answer>(&a.what)) {
    fail(none->text);
    return nullptr;
  }
  const auto& headers = std::get<headers_answer>(a.what).headers;
  for (const auto& h : headers)
    if (h.number == number) return &h;
  fail(a.endpoint_name + " has no block " + std::to_string(number));
  return nullptr;
}

/// An endpoint that says what cannot be loses its turn; where every endpoint shows it, again and
/// again, and nothing ever spoke for the ordinary way, it is the chain that is odd. Until it is
/// known how a chain counts, nobody is blamed for counting otherwise: of those who rest none could
/// show it, or vote. `read`: the block and what came behind it.
void tide::object(const answer& by, const objection& o, proof asked,
                  std::span<block_reading> read) {
  fail(by.endpoint_name + ": " + o.text);
  if (o.what == objection::kind::unprovable) return;
  const auto before = ways_;
  if (asked == proof::bloom && ways_.bloom == blooms::unknown && shows_odd_blooms(by, o, read))
    ways_.bloom = blooms::do_not_hold;
  const bool may_count_so =
      o.what == objection::kind::numbering && ways_.indexes == numbering::unknown;
  if (may_count_so && odd_indexes_.seen(by.endpoint, settings_.endpoints))
    ways_.indexes = numbering::transaction;
  if (ways_ != before)
    out_.push_back(said{true, "learned: " + notices()});
  else if (!may_count_so)
    out_.push_back(caught_lying{by.endpoint, kind_of(o.what), o.text});
}

bool tide::shows_odd_blooms(const answer& by, const objection& o, std::span<block_reading> read) {
  if (o.what == objection::kind::bloom) return odd_blooms_.seen(by.endpoint, settings_.endpoints);
  if (o.what != objection::kind::lack) return false;
  // An index that is behind has nothing of its newest blocks: those without any log do not count.
  bool odd = false;
  for (auto& r : read) {
    const auto no = object_to(r, proof::bloom, ways_);
    if (no && no->what == objection::kind::lack && !r.logs.empty())
      odd = odd_blooms_.seen_in(r.header.number, by.endpoint, settings_.endpoints);
  }
  return odd;
}

/// What a block that proved itself says of its chain.
void tide::note_ways(const block_reading& b, proof asked) {
  if (b.logs.empty()) return;
  // A reading that proved its bloom, or by its receipts: then a bloom that fits is one that holds.
  const bool fits = asked == proof::bloom ||
                    (asked == proof::receipts && bloom_of(b.logs) == b.header.logs_bloom);
  if (fits && ways_.bloom == blooms::unknown) {
    ways_.bloom = blooms::hold;
    odd_blooms_.denied();
  }
  if (ways_.indexes == numbering::unknown && b.logs.front().tx != b.logs.back().tx) {
    ways_.indexes = numbering::block;
    odd_indexes_.denied();
  }
}

std::vector<sighting> tide::sightings_of(const block_reading& b, const std::string& origin) const {
  const auto first = first_index_by_transaction(b.logs);
  std::vector<sighting> found;
  for (const auto& l : b.logs) {
    const auto ordinal = l.log_index - first.at(l.tx);
    if (auto s = wants_->match(l, b.header.time, ordinal, origin.empty() ? origin_of(l.tx) : origin,
                               nullptr, &nursery_))
      found.push_back(std::move(*s));
  }
  for (const auto& t : b.transactions)
    if (auto s = wants_->match(t, b.header.time, origin.empty() ? origin_of(t.hash) : origin))
      found.push_back(std::move(*s));
  in_order(found);
  return found;
}

proved tide::proof_of(const block_reading& b, const std::string& origin) const {
  proved whole{b.header.id(), {}, sightings_of(b, origin)};
  const auto place = [&whole](const log_place& at, std::uint64_t digest) {
    whole.places.push_back(at);
    whole.digests.push_back(digest);
  };
  for (const auto& l : b.logs)
    place({l.tx, static_cast<std::int32_t>(l.log_index)}, digest_of(l));
  std::map<evm::hash32, std::uint64_t> told;
  for (const auto& t : b.transactions)
    told.emplace(t.hash, digest_of(t));
  for (const auto& tx : b.header.transactions) {
    const auto known = told.find(tx);
    place({tx, -1}, known == told.end() ? 0 : known->second);
  }
  return whole;
}

/// Blocks read whole and proved, or nothing: then `trouble_` says why. A block that is not the
/// canonical one any more is a reason to look for a fork, not to believe either side.
task<std::optional<std::vector<block_reading>>>
tide::read_whole(const std::vector<evm::block_id>& ids, std::optional<std::size_t> endpoint,
                 proof asked) {
  std::vector<block_reading> all;
  for (std::size_t done = 0; done < ids.size(); done += whole_blocks_an_ask) {
    const auto last = std::min(ids.size(), done + whole_blocks_an_ask);
    const std::vector<evm::block_id> some(ids.begin() + static_cast<std::ptrdiff_t>(done),
                                          ids.begin() + static_cast<std::ptrdiff_t>(last));
    const ask_blocks what{some, asked == proof::receipts, wants_->transactions()};
    const auto whom =
        endpoint ? endpoint : shows_it_next(ways_, odd_indexes_, odd_blooms_, settings_.endpoints);
    std::optional<answer> early;
    if (!whom) early = came_whole(what);
    answer a;
    if (early) {
      a = std::move(*early);
    } else {
      const auto& on_its_way = ahead_.whole.asked;
      const bool open = !whom && on_its_way && same_blocks(*on_its_way, what);
      if (!open) ask_for(what, whom);
      answer got = co_await the_answer{*this};
      a = std::move(got);
      ahead_.whole.asked.reset();
    }
    if (whom != endpoint && std::holds_alternative<no_answer>(a.what)) {
      ask_for(what);
      a = co_await the_answer{*this};
    }
    auto* read = std::get_if<blocks_answer>(&a.what);
    if (!read) {
      fail(std::get<no_answer>(a.what).text);
      co_return std::nullopt;
    }
    std::move(read->blocks.begin(), read->blocks.end(), std::back_inserter(all));
    for (std::size_t i = 0; i < some.size(); ++i) {
      auto& b = all[done + i];
      if (b.header.id() != some[i]) {
        suspect_reorg_ = held_.contradicts(b.header.id());
        fail(place(some[i]) + " is not the canonical one at " + a.endpoint_name + ", which names " +
             place(b.header.id()));
        co_return std::nullopt;
      }
      if (const auto no = object_to(b, asked, ways_)) {
        object(a, *no, asked, std::span(all).subspan(done + i));
        co_return std::nullopt;
      }
      note_ways(b, asked);
      std::vector<child> made;
      for (const auto& l : b.logs)
        for (auto& c : wants_->births(l))
          made.push_back(std::move(c));
      nursery_.set_block(b.header.id(), made);
    }
  }
  co_return all;
}

/// An endpoint that is on another chain than a quorum.
void tide::stands_alone(std::size_t endpoint, const std::string& evidence) {
  if (alone_.still_alone(endpoint, now_, settings_.poll))
    out_.push_back(caught_lying{endpoint, "fork", evidence});
}

/// With a quorum: that many endpoints name this hash at its height. An endpoint that is alone with
/// another one, against a quorum, loses its turn.
task<bool> tide::vouched(const evm::block_id& id, std::optional<std::size_t> by) {
  if (settings_.quorum <= 1) co_return true;
  ask_for(ask_votes{false, false, id.number});
  const answer a = co_await the_answer{*this};
  const auto* got = std::get_if<votes_answer>(&a.what);
  if (!got) {
    fail(std::get<no_answer>(a.what).text);
    co_return false;
  }
  const auto how = stand(got->votes, id, settings_.quorum);
  if (how.agree >= settings_.quorum) {
    if (by) alone_.agreed(*by);
    co_return true;
  }
  if (how.outvoted_by && by)
    stands_alone(*by,
                 place(id) + " is not what a quorum names there: " + evm::to_hex(*how.outvoted_by));
  fail("quorum: " + std::to_string(how.agree) + " of the " + std::to_string(settings_.quorum) +
       " endpoints that must agree name " + place(id) + how.others +
       (got->silent.empty() ? "" : "; " + got->silent));
  co_return false;
}

} // namespace tidemark::tide
