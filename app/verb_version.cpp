// SPDX-License-Identifier: MIT
#include "app/terminal.hpp"
#include "app/verbs.hpp"
#include "app/version.hpp"

#include <CLI/Version.hpp>
#include <boost/json/serialize.hpp>
#include <boost/version.hpp>
#include <caf/config.hpp>
#include <cryptopp/config.h>
#include <fmt/core.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <sqlite3.h>
#include <zlib.h>

namespace tidemark::app {
namespace {

/// A number like 100602, two digits a part below the first.
std::string dotted(int version, int part) {
  return std::to_string(version / part / part) + '.' + std::to_string(version / part % part) + '.' +
         std::to_string(version % part);
}

std::vector<std::pair<std::string, std::string>> libraries() {
  return {
      {"SQLite", sqlite3_libversion()},
      {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"Boost", std::to_string(BOOST_VERSION / 100'000) + '.' +
                    std::to_string(BOOST_VERSION / 100 % 1'000) + '.' +
                    std::to_string(BOOST_VERSION % 100)},
      {"CAF", dotted(CAF_VERSION, 100)},
      {"Crypto++", dotted(CRYPTOPP_VERSION, 10)},
#ifdef TIDEMARK_YAML_CPP_VERSION
      {"yaml-cpp", TIDEMARK_YAML_CPP_VERSION},
#endif
      {"zlib", zlibVersion()},
      {"fmt", dotted(FMT_VERSION, 100)},
      {"spdlog", dotted(SPDLOG_VERSION, 100)},
      {"CLI11", CLI11_VERSION},
  };
}

} // namespace

int print_version(const invocation& how) {
  const auto all = libraries();
  if (!how.json) {
    say("tidemark " + std::string(version()) + '\n' + facts(all));
    return exit_done;
  }
  json::object parts;
  for (const auto& library : all)
    parts.emplace(library.first, library.second);
  say(json::serialize(json::object{{"version", version()}, {"libraries", std::move(parts)}}));
  return exit_done;
}

} // namespace tidemark::app
