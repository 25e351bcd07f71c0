// SPDX-License-Identifier: MIT
#include "tests/fuzz/abi_input.hpp"

// Run as: fuzz_abi -max_len=4096 CORPUS_FOLDER; lines of tests/evm/abi_vectors.txt make good seeds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::abi_input({data, size});
  return 0;
}
