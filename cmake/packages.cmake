# SPDX-License-Identifier: MIT
# Debian 12's packages, nothing else.
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(SQLite3 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CRYPTOPP REQUIRED IMPORTED_TARGET libcrypto++)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

# Debian's CAF has neither a CMake nor a pkg-config file.
find_path(CAF_INCLUDE_DIR caf/all.hpp REQUIRED)
find_library(CAF_CORE_LIBRARY caf_core REQUIRED)
file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" caf_line REGEX "^#define CAF_VERSION 17[0-9][0-9]")
if(NOT caf_line)
  message(FATAL_ERROR "CAF 0.17 is needed (Debian: libcaf-dev)")
endif()
add_library(CAF::core UNKNOWN IMPORTED)
set_target_properties(CAF::core PROPERTIES IMPORTED_LOCATION "${CAF_CORE_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}")
