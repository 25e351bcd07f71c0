// SPDX-License-Identifier: MIT
// A handler that does nothing but answer 200, and counts. A message whose body holds the text of
// `--refuse` gets 500. GET /counts says what came so far; GET /counts/reset forgets it; GET
// /refuse/on and /off switch the refusal.
#include "beast_server.hpp"

#include <atomic>

int main(int argc, char** argv) {
  using namespace tidemark::bench;
  const auto port = static_cast<std::uint16_t>(option(argc, argv, "--port", 0, 65'535));
  const auto threads = static_cast<unsigned>(option(argc, argv, "--threads", 2, 256));
  const std::string refused_text = text_option(argc, argv, "--refuse");
  std::atomic<std::uint64_t> taken{0}, matched{0}, refused{0}, bytes{0};
  std::atomic<bool> refusing{true};
  return serve(port, threads, [&](std::string_view target, std::string_view body) {
    if (target == "/counts")
      return answer{200, "{\"taken\":" + std::to_string(taken) + ",\"matched\":" +
                             std::to_string(matched) + ",\"refused\":" + std::to_string(refused) +
                             ",\"bytes\":" + std::to_string(bytes) + "}"};
    if (target == "/counts/reset") {
      taken = matched = refused = bytes = 0;
      return answer{200, "{}"};
    }
    if (target == "/refuse/on" || target == "/refuse/off") {
      refusing = target == "/refuse/on";
      return answer{200, "{}"};
    }
    if (!refused_text.empty() && body.find(refused_text) != std::string_view::npos) {
      if (refusing) {
        ++refused;
        return answer{500, "{}"};
      }
      ++matched;
    }
    ++taken;
    bytes += body.size();
    return answer{200, "{}"};
  });
}
