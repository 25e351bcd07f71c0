// SPDX-License-Identifier: MIT
#include "tests/api/api_world.hpp"

using namespace tidemark;
using namespace tidemark::test;

TEST_CASE("a disk without min_free is said beside the chains that wait for it", "[status]") {
  api_world w;
  w.board.set_listening(true);
  std::string full;
  w.board.set_disk([&] { return full; });
  CHECK(w.ask_json("/readyz").at("degraded").as_array().empty());
  full = "make room";
  CHECK(text(w.ask_json("/readyz").at("degraded")) ==
        R"([{"kind":"store","name":"disk","state":"degraded","reason":"make room"}])");
}
