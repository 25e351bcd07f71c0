// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tidemark::api {

/// The JSON of every schema, by name.
const char* schema_json();

/// The API as OpenAPI 3.1, made of the table that routes; made once.
const std::string& openapi();

} // namespace tidemark::api
