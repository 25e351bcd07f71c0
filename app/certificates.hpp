// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "net/tls.hpp"

#include <memory>
#include <optional>

namespace tidemark::app {

/// What a listener shows, read from its files now; null where it has none.
evm::result<std::shared_ptr<const net::tls_context>>
certificates(const std::optional<config::tls_files>& files);

/// What is wrong with the certificates of a config; nothing: each listener can show its own.
std::optional<evm::error> check_certificates(const config::config& c);

} // namespace tidemark::app
