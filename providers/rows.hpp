// SPDX-License-Identifier: MIT
#pragma once

#include "providers/provider.hpp"

namespace tidemark::providers {

// One function a provider, each in the file of its name.
provider alchemy();
provider raw();
provider standard_webhooks();

} // namespace tidemark::providers
