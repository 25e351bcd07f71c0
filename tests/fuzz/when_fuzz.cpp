// SPDX-License-Identifier: MIT
#include "tests/fuzz/when_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::when_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
