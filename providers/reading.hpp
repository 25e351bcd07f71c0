// SPDX-License-Identifier: MIT
#pragma once

#include "providers/json.hpp"
#include "providers/provider.hpp"

#include <boost/json/value.hpp>

// What the files of the providers share.

namespace tidemark::providers {

/// The place is one of the hints, unless something in it cannot be right.
evm::result<void> add(hints& out, const hint_fields& fields);

/// Reads one element of a list; `outer` is what is known of its place already.
using reader = evm::result<void> (*)(const boost::json::value& one, hint outer, hints& out);

/// Every element of a list, each of which must be an object; null is an empty list.
evm::result<void> read_each(const boost::json::value& list, const hint& outer, hints& out,
                            reader read);
/// The same for a member that may be absent.
evm::result<void> read_each(const boost::json::value& of, std::string_view name, const hint& outer,
                            hints& out, reader read);
/// A list of objects, or one object.
evm::result<void> read_one_or_many(const boost::json::value& v, const hint& outer, hints& out,
                                   reader read);

} // namespace tidemark::providers
