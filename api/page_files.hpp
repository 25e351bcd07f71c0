// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace tidemark::api {

/// A file of the dashboard, as `web/` was built when this program was (cmake/dashboard.cmake).
struct page_file {
  std::string_view path;   ///< below `/`: `assets/index-4f2a.js`; empty: the page itself
  std::string_view type;   ///< the whole Content-Type
  std::string_view digest; ///< of `plain`, 16 hex digits; another content has another
  std::span<const unsigned char> plain;
  std::span<const unsigned char> gzip; ///< the same, compressed; empty where it gains nothing
};

std::span<const page_file> page_files();

} // namespace tidemark::api
