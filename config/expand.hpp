// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "evm/result.hpp"

#include <string>
#include <string_view>

namespace tidemark::config {

/// Puts the environment into ${NAME} and ${NAME:-default}. As in a shell, the default also stands
/// for an empty variable. What is put in is not looked at again. An error names the variable, never
/// a value.
evm::result<std::string> expand(std::string_view text, environment env);

} // namespace tidemark::config
