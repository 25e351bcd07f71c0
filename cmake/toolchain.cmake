# SPDX-License-Identifier: MIT
# Warnings, sanitizers, and the two tools that make a build quicker where they are there.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(tidemark_flags INTERFACE)
target_compile_options(tidemark_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# g++ 12 at -O3 sees overlaps in "text" + std::string(…) that are not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tidemark_flags INTERFACE -Wno-restrict)
endif()
# g++ 12 warns inside Asio once a sanitizer is on (maybe-uninitialized), so there warnings stay warnings.
if(NOT TIDEMARK_SANITIZE)
  target_compile_options(tidemark_flags INTERFACE -Werror)
endif()
if(TIDEMARK_ASSERTIONS)
  target_compile_options(tidemark_flags INTERFACE -UNDEBUG)
endif()
if(TIDEMARK_SANITIZE STREQUAL "address")
  target_compile_options(tidemark_flags INTERFACE -fsanitize=address -fno-omit-frame-pointer)
  target_link_options(tidemark_flags INTERFACE -fsanitize=address,undefined)
elseif(TIDEMARK_SANITIZE STREQUAL "thread")
  target_compile_options(tidemark_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(tidemark_flags INTERFACE -fsanitize=thread)
endif()

# Everything is built for the fuzzers then; nothing but them is linked.
if(TIDEMARK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TIDEMARK_FUZZ needs clang: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
endif()
