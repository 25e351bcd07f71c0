// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

// A plain HTTP server of the benchmarks' own: what Beast does with a request and nothing behind
// it. Written by hand on purpose, not over net/, so that a fault there cannot lower the bar.

namespace tidemark::bench {

struct answer {
  unsigned status = 200;
  std::string body; ///< JSON
};

/// Called on any of the server's threads, several at once.
using answering = std::function<answer(std::string_view target, std::string_view body)>;

/// Listens on 127.0.0.1 (port 0: a free one), prints `listening on 127.0.0.1:PORT` and serves with
/// keep-alive until the process ends. Comes back only when it cannot: with 1, having said why.
int serve(std::uint16_t port, unsigned threads, const answering& answers);

/// The number behind `--name`, or `otherwise`; one that is none, or above `most`, ends the program
/// with 2.
std::uint64_t option(int argc, char** argv, const char* name, std::uint64_t otherwise,
                     std::uint64_t most);
/// The text behind `--name`, or nothing.
std::string text_option(int argc, char** argv, const char* name);

} // namespace tidemark::bench
