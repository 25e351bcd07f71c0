// SPDX-License-Identifier: MIT
#pragma once

#include "api/call.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace tidemark::api {

/// What a token must allow.
/// `local`: none from a loopback address, else as `read`.
enum class access : std::uint8_t { open, local, read, operate };

/// A row of contract §5. Everything that is said of a request is said here, so that a description
/// of the API can be made of the table.
struct route {
  std::string_view method; ///< GET (HEAD too), POST, PATCH or DELETE
  std::string_view path;   ///< with {names}; a name is one segment
  access needs = access::read;
  api::answer (*run)(const call&) = nullptr;
  std::string_view query = {}; ///< the parameters that it takes, separated by spaces
  std::string_view body = {};  ///< a POST's or PATCH's members, the same way
  std::string_view says = {};  ///< in a line
  bool by_head = false;        ///< answered without the store
};

std::span<const route> routes();

/// The values of the pattern's {…}; nothing where the path is another one.
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path);

} // namespace tidemark::api
