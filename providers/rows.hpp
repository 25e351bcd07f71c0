// SPDX-License-Identifier: MIT
#pragma once

#include "providers/provider.hpp"

namespace tidemark::providers {

// One function a provider, each in the file of its name.
provider alchemy();
provider quicknode();
provider quickalerts();
provider moralis();
provider tenderly();
provider goldsky();
provider cdp();
provider thirdweb_insight();
provider thirdweb_engine();
provider tatum();
provider nodit();
provider ozmonitor();
provider rindexer();
provider circle();
provider sim();
provider standard_webhooks();
provider raw();

} // namespace tidemark::providers
