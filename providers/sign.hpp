// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace tidemark::providers {

/// One item of a webhook-signature header (Standard Webhooks): `v1,` and the base64 of the
/// HMAC-SHA256 of `id.timestamp.body`. `secret` is base64, with whsec_ in front or not; `timestamp`
/// is unix seconds. Empty where the secret is none (check_secret tells before) or OpenSSL fails.
std::string standard_webhooks_signature(std::string_view secret, std::string_view id,
                                        std::string_view timestamp, std::string_view body);

} // namespace tidemark::providers
