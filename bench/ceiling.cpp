// SPDX-License-Identifier: MIT
// The ceiling of the ingest benchmark: plain Beast with the same HTTP on the same machine, and
// nothing behind it.
#include "beast_server.hpp"

int main(int argc, char** argv) {
  using namespace tidemark::bench;
  const auto port = static_cast<std::uint16_t>(option(argc, argv, "--port", 0, 65'535));
  const auto threads = static_cast<unsigned>(option(argc, argv, "--threads", 2, 256));
  return serve(port, threads, [](std::string_view, std::string_view) {
    return answer{200, R"({"id":1,"hints":1,"duplicate":false})"};
  });
}
