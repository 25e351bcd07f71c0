// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::tide {

/// The one of `names` that needs the fewest changes to become `text`; empty where there are none.
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names);

/// ", did you mean 'x'?", or nothing where there are no names.
std::string suggestion(std::string_view text, const std::vector<std::string_view>& names);

} // namespace tidemark::tide
