// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "net/tls.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tidemark::app {

/// What a listener shows, read from its files now; null where it has none.
evm::result<std::shared_ptr<const net::tls_context>>
certificates(const std::optional<config::tls_files>& files);

/// What a handler's requests show and trust, read from its files now; null where the config says
/// nothing of it.
evm::result<std::shared_ptr<const net::tls_context>>
client_certificates(const config::client_tls_section& files);

/// A config::tls_judge.
std::string wrong_files(const config::client_tls_section& files, bool shown);

} // namespace tidemark::app
