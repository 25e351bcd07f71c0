// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bloom.hpp"
#include "evm/chain_data.hpp"
#include "tide/counting.hpp"
#include "tide/nursery.hpp"
#include "tide/policy.hpp"
#include "tide/subscription.hpp"
#include "tide/transaction_rules.hpp"
#include "tide/write_set.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

// Which logs of one chain are events, and what is to be stored and told of them (contract §2 and
// §4.2).

namespace tidemark::tide {

/// The subscriptions and handlers of a config, compiled for one chain. Immutable, so any thread may
/// ask it.
class interest {
public:
  /// All subscriptions and handlers of the config, in its order; those of other chains are passed
  /// over. `counts`: from which block each subscription counts; nothing below is an event of it.
  interest(std::uint64_t chain_id, std::string chain_name, policy chain_policy,
           const std::vector<subscription>& subscriptions, std::vector<recipient> recipients,
           counting counts = {});

  /// That subscription as if there were no other, for a range that is read for it alone.
  std::shared_ptr<const interest> only(const std::string& subscription_name) const;
  /// No log below is an event; `otherwise` where one counts from the chain's start.
  std::uint64_t lowest(std::uint64_t otherwise) const;

  /// No subscription is on this chain.
  bool empty() const { return forms_.empty(); }
  bool has(const std::string& subscription_name) const;
  /// False is certain: no log of a block with this bloom is an event.
  bool may_be_in(const evm::bloom& blocks) const;

  /// What a node is asked for: never less than `match` takes; a topic that no log has where no
  /// subscription is about logs.
  struct filter {
    std::vector<evm::address20> addresses; ///< ascending; empty: any
    std::vector<evm::hash32> topic0;       ///< ascending; empty: any
    /// Of the topics 1, 2 and 3, as far as all forms name them; short lists, never cut in parts.
    std::array<std::vector<evm::hash32>, 3> topics = {};
    friend bool operator==(const filter&, const filter&) = default;
  };
  filter node_filter() const;

  /// The log (its log_index below 2^31) as an event, or nothing. `block_time` in seconds since
  /// 1970; `ordinal` is the log's place in its transaction, where known; `origin` becomes
  /// first_seen; `children` are those of factories, which else have none. A log that fits but for
  /// data that does not decode, with no subscription left that has it by address, is no event and
  /// counted in `undecodable`, if given. `counted`: subscriptions that have it already, from
  /// whatever block they count now.
  std::optional<sighting> match(const evm::log& log, std::uint64_t block_time,
                                std::optional<std::uint32_t> ordinal, std::string origin,
                                std::uint64_t* undecodable = nullptr,
                                const nursery* children = nullptr,
                                const std::vector<std::string>* counted = nullptr) const;

  /// Whether `match` takes it, or a factory makes a child by it.
  bool wants(const evm::log& log, const nursery* children = nullptr) const {
    return !fits(log, nullptr, children).empty() || !births(log).empty();
  }

  // interest_factories.cpp
  /// What the log makes known.
  std::vector<child> births(const evm::log& log) const;
  /// All factories, as a text; `first_creation` is the first block in which one that `known` lacks
  /// may have made something that counts; nothing where none may.
  const std::string& factories() const { return factories_text_; }
  bool has_factories() const { return !factories_.empty(); }
  std::optional<std::uint64_t> first_creation(const std::string& known) const;
  filter factory_filter() const; ///< their creations alone

  /// Null: no subscription of this chain is about transactions.
  const std::shared_ptr<const transaction_rules>& transactions() const { return transactions_; }
  /// The same of a transaction (interest_transactions.cpp).
  std::optional<sighting> match(const evm::transaction& t, std::uint64_t block_time,
                                std::string origin) const;
  bool wants(const evm::transaction& t) const { return !fits(t).empty(); }

  /// What a handler gets of a stored log, by the first of its subscriptions that is among those
  /// which have the event, whatever they would take by now; nothing where none is.
  std::optional<route> route_of(const std::string& handler, const evm::log& log,
                                std::optional<std::uint32_t> ordinal,
                                const std::vector<std::string>& having) const;

private:
  using indexes = std::vector<std::size_t>; ///< into forms_, ascending
  using arguments = evm::result<std::vector<evm::abi_value>>;

  using lists = std::vector<std::shared_ptr<const address_list>>;
  /// A condition with its lists at hand.
  struct matcher {
    std::size_t input = 0;
    std::vector<std::size_t> members; ///< as argument::members
    std::set<evm::hash32> one_of;
    lists in;
    /// The value as a topic.
    bool holds(const evm::hash32& topic, list_gate& gate) const;
  };
  /// A subscription on this chain; one with a batch is two.
  struct form {
    subscription source;
    evm::abi_event event;                  ///< the one of the source's that it is about
    bool of_batches = false;               ///< that is source.batch
    std::vector<evm::address20> addresses; ///< ascending; empty: any
    std::optional<evm::hash32> topic0;     ///< absent: anonymous
    std::size_t topic_count = 0;
    std::optional<std::uint64_t> from; ///< counts from; absent: the chain's start
    std::uint64_t base = 0;            ///< list_gate's
    lists address_lists;               ///< beside `addresses`
    lists senders, receivers;          ///< of a transaction, beside the filter's own
    std::set<std::uint64_t> makers;    ///< digests of the factory's contracts
    /// `where`, by what is compared: a topic of the log (`input` is its number), or a decoded
    /// argument.
    std::vector<matcher> topics, data;
    bool any_address() const { return addresses.empty() && address_lists.empty(); }
  };
  /// The forms with one first topic.
  struct bucket {
    indexes any;
    std::unordered_map<evm::address20, indexes> at;
  };
  struct fit {
    std::size_t form = 0;
    arguments args;
    evm::decode_notes notes;
  };

  form compile(const subscription& s, const std::vector<evm::address20>& addresses,
               bool of_batches) const;
  void add_form(form f);
  lists lists_of(const std::vector<std::string>& names) const;
  static std::vector<evm::hash32> wanted_topic(const std::vector<form>& forms, std::size_t n);
  static bool data_holds(const form& f, argument_values values, list_gate& gate);
  void candidates(const bucket& b, const evm::address20& address, indexes& out) const;
  std::vector<fit> fits(const evm::log& log, std::uint64_t* undecodable, const nursery* children,
                        const std::vector<std::string>* counted = nullptr) const;
  indexes fits(const evm::transaction& t) const;
  const std::vector<list_start>& list_starts() const;
  bool may_create_in(const evm::bloom& block) const;
  std::string text_of_factories() const;
  std::string key(const recipient& r, const fit& first, const evm::log& log,
                  std::optional<std::uint32_t> ordinal) const;
  std::string key(const recipient& r, std::size_t form, const evm::transaction& t) const;
  void add_routes(sighting& out, const std::vector<fit>& fitting, const evm::log& log) const;
  std::vector<policy> confirmations(const std::vector<fit>& fitting, const evm::log& log) const;

  std::uint64_t chain_id_;
  std::string chain_name_;
  policy chain_policy_;
  std::vector<recipient> recipients_;
  counting counts_;
  std::vector<std::vector<bool>> wants_; ///< of recipient and form
  std::vector<form> forms_;
  indexes factories_; ///< those of forms_ that have one
  std::string factories_text_;
  std::unordered_map<evm::hash32, bucket> by_topic0_;
  bucket anonymous_;
  std::shared_ptr<const transaction_rules> transactions_;
};

/// What two readings of one inclusion must agree on.
std::uint64_t digest_of(const evm::log& log);
std::uint64_t digest_of(const evm::transaction& t);

/// One of a factory's contracts, with the event and the parameter that name its children: below
/// 2^63.
std::uint64_t digest_of(const factory& f, const evm::address20& contract);

/// Puts transactions before their own logs; without any, logs stay as the chain counts them.
void in_order(std::vector<sighting>& seen);

} // namespace tidemark::tide
