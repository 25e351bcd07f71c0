// SPDX-License-Identifier: MIT
#pragma once

#include "tide/write_set.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// How the store keeps `data` of an event: one octet that names the dictionary, then a zstd frame
// (RFC 8878) made with it. What begins with '{' is the JSON itself. Any thread.

namespace tidemark::store {

std::string pack(std::string_view json);
/// Of what `pack` gave, now or by an earlier version; throws sql_error (corrupt) where it is
/// neither.
std::string unpack(std::string_view stored);

/// Packs what a chain concludes before it is the store's turn, whose thread is the scarce one.
void pack_data(tide::write_set& set);

/// `data` without what retention takes from it, and `pruned: true`; unchanged if it was taken
/// before.
std::string without_details(std::string_view json);

constexpr std::size_t data_dictionary_1_size = 4'096;
extern const std::uint8_t data_dictionary_1[data_dictionary_1_size];

} // namespace tidemark::store
