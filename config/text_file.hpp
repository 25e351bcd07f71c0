// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace tidemark::config {

/// The content of a regular file that the config names, at most `most` bytes.
evm::result<std::string> read_text_file(const std::filesystem::path& path, std::size_t most);

} // namespace tidemark::config
