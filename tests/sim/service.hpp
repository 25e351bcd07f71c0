// SPDX-License-Identifier: MIT
#pragma once

#include "handler.hpp"
#include "troubles.hpp"

#include "tide/courier.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::sim {

/// The user's function behind a URL: its ledger, and what may keep a message from it or its answer
/// from us.
class service {
public:
  service(std::string name, troubles t, tally& met, bool indexes_by_block);

  struct reaction {
    bool takes = true;            ///< the message gets into the ledger …
    std::int64_t takes_after = 0; ///< … so many ms from now
    tide::exchange_end end;
    std::int64_t after = 0; ///< ms from now until we see that end
  };
  reaction receive(std::int64_t now);
  void recover() { troubles_.end(); }

  const std::string& name() const { return name_; }
  ledger_handler ledger;

private:
  bool hit(feature f, std::int64_t now, unsigned percent);
  std::string name_;
  troubles troubles_;
  tally& met_;
};

} // namespace tidemark::sim
