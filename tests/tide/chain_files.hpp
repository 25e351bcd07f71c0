// SPDX-License-Identifier: MIT
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Answers about public chains, kept beside the project; see README.md there.

namespace tidemark::rpc_test {

inline const std::filesystem::path chain_folder = TIDEMARK_SOURCE_DIR "/../shared/chain";

/// Says so where the folder is absent.
inline bool no_chain_files() {
  if (std::filesystem::exists(chain_folder)) return false;
  WARN("skipped: there is no " << chain_folder);
  return true;
}

inline boost::json::value chain_file(const std::string& name) {
  std::ifstream in(chain_folder / name);
  REQUIRE(in);
  std::stringstream text;
  text << in.rdbuf();
  auto v = boost::json::parse(text.str());
  if (const auto* o = v.if_object(); o && o->if_contains("result"))
    return boost::json::value(o->at("result"));
  return v;
}

/// The files whose name holds `part`; none where the folder is absent.
inline std::vector<std::pair<std::string, boost::json::value>>
chain_files(const std::string& part) {
  std::vector<std::pair<std::string, boost::json::value>> out;
  if (no_chain_files()) return out;
  for (const auto& f : std::filesystem::directory_iterator(chain_folder)) {
    const auto name = f.path().filename().string();
    if (name.find(part) != std::string::npos) out.emplace_back(name, chain_file(name));
  }
  CHECK_FALSE(out.empty());
  return out;
}

} // namespace tidemark::rpc_test
