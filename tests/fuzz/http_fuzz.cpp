// SPDX-License-Identifier: MIT
#include "tests/fuzz/http_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::http_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
