// SPDX-License-Identifier: MIT
#include "tests/fuzz/providers_input.hpp"

// Run as: fuzz_providers -max_len=65536 CORPUS_FOLDER; tests/providers/vectors makes good seeds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::providers_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
