// SPDX-License-Identifier: MIT
#include "actors/switchboard.hpp"

#include <caf/send.hpp>

namespace tidemark::actors {

void switchboard::ring(const store::bells& b) const {
  std::function<void()> feed;
  {
    const std::lock_guard lock(mutex_);
    if (b.webhooks && intake_) caf::anon_send(intake_, look{});
    for (const auto id : b.chains_with_hints)
      if (const auto it = chains_.find(id); it != chains_.end() && it->second)
        caf::anon_send(it->second, look{});
    for (const auto& name : b.handlers_due)
      if (const auto it = deliveries_.find(name); it != deliveries_.end() && it->second)
        caf::anon_send(it->second, look{});
    if (b.feed) feed = feed_;
  }
  if (feed) feed();
}

} // namespace tidemark::actors
