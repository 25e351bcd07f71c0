// SPDX-License-Identifier: MIT
#pragma once

#include "config/readers.hpp"

// One function a section of the file, in files of their own. They are called in this order, since
// later ones refer to earlier ones.

namespace tidemark::config {

/// Where the names of the file stand; what is referred to is looked up here.
struct known_names {
  name_table policies{"policy"}, chains{"chain"}, sources{"source"}, lists{"list"},
      subscriptions{"subscription"}, handlers{"handler"};
};

struct builder {
  config out;
  known_names names;

  const chain* find_chain(const std::string& name) const;
};

store_section read_store(const std::optional<value>& v, reading& r);
ingest_section read_ingest(const value& v);
admin_section read_admin(const value& v);
log_section read_log(const value& v);

void read_policies(const value& v, builder& b);
void read_chains(const value& v, builder& b);
void read_sources(const value& v, builder& b);
void read_lists(const value& v, builder& b);
void read_subscriptions(const value& v, builder& b);
void read_handlers(const value& v, builder& b);

/// `confirmations`: a policy's name, or its value in place.
std::optional<tide::policy> as_policy(const value& v, const builder& b);
/// {list: NAME} of a list that the file has; nothing, and a problem, otherwise.
std::optional<std::string> as_list_name(const value& v, const builder& b);
/// `address: {factory: …}` of a subscription.
std::optional<tide::factory> read_factory(const value& v);
/// `transaction: {…}` of a subscription.
std::optional<tide::transaction_filter> read_transaction(const value& v, const builder& b);
/// Addresses and the names of lists; one or several, never none. `if_empty` is what is said then.
struct address_choice {
  std::vector<evm::address20> fixed;
  std::vector<std::string> lists;
};
address_choice read_addresses(const value& v, const builder& b, const char* if_empty);
/// One address or a list, never none; `if_empty` is what is said then.
std::vector<evm::address20> read_fixed_addresses(const value& v, const char* if_empty);
/// The name of a chain that the file has.
const chain* as_chain(const value& v, const builder& b);

/// What is allowed and yet hardly meant.
void add_warnings(const builder& b, reading& r);

} // namespace tidemark::config
