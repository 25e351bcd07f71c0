// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

// What the verbs print for people.

namespace tidemark::app {

/// Colour, where stdout is a terminal that wants it (NO_COLOR says no).
bool wants_colour();

/// A text from outside, without what would steer a terminal.
std::string printable(std::string_view text);

/// Green, yellow or red by what the state means.
std::string state_colour(std::string_view state);

/// Columns as wide as they must be, the last one free. Cells hold what `printable` gives; a column
/// named STATE or STATUS is coloured.
std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows);

/// `name` and `value` lines of one thing, the values below each other.
std::string facts(const std::vector<std::pair<std::string, std::string>>& lines);

} // namespace tidemark::app
