// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

// docs/config.md against the program: no key that only one of them has, no default that is another.

namespace tidemark::config::testing {
namespace {

struct documented {
  std::string section, key, otherwise; ///< otherwise: its default, where that is one value
};

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  REQUIRE(in);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}
const std::filesystem::path root = TIDEMARK_SOURCE_DIR;

std::vector<std::string> all_of(const std::string& text, const std::string& pattern) {
  const std::regex re(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), re), end; at != end; ++at)
    out.push_back((*at)[1]);
  return out;
}

/// The rows of the tables under headings that name a section.
std::vector<documented> rows_of_reference() {
  std::istringstream lines(content_of(root / "docs/config.md"));
  std::vector<documented> out;
  std::string section;
  const std::regex heading("## `([a-z_]+)`"), row(R"(\| (`[^|]*) \| ([^|]*) \|.*)"),
      value("`([^`]*)`");
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (line.starts_with("#")) section = std::regex_match(line, m, heading) ? m[1].str() : "";
    if (section.empty() || section == "lists" || !std::regex_match(line, m, row)) continue;
    const std::string otherwise = m[2];
    for (const auto& key : all_of(m[1], "`([a-z_]+)`")) {
      std::smatch v;
      out.push_back({section, key, std::regex_match(otherwise, v, value) ? v[1].str() : ""});
    }
  }
  return out;
}

/// A config with nothing wrong, and `line` in the section.
std::string with(const std::string& section, const std::string& line) {
  std::map<std::string, std::string> parts{
      {"store", "path: t.db"},
      {"ingest", "listen: 127.0.0.1:8480"},
      {"admin", "listen: 127.0.0.1:8481"},
      {"log", "format: json"},
      {"chains", "name: ethereum\n    id: 1\n    rpc: [http://127.0.0.1:8545]\n"
                 "    confirmations: 12"},
      {"sources", "name: alchemy\n    provider: alchemy\n    secret: one"},
      {"subscriptions", "name: all\n    chains: [ethereum]\n    event: Moved()"},
      {"handlers", "name: app\n    url: https://example.com/\n    secret: " + std::string(secret)}};
  std::string out;
  for (const auto& name :
       {"store", "ingest", "admin", "log", "chains", "sources", "subscriptions", "handlers"}) {
    auto body = parts[name];
    const bool list = body.starts_with("name");
    const std::string indent = list ? "    " : "  ";
    const auto key = line.substr(0, line.find(':') + 1);
    // What is given in its place goes out.
    std::istringstream given(list ? "    " + body : "  " + body);
    std::string kept;
    for (std::string one; std::getline(given, one);)
      if (section != name || one.find(indent + key) != 0) kept += one + '\n';
    if (section == name) kept += indent + line + '\n';
    if (list) kept[2] = '-';
    out += std::string(name) + ":\n" + kept;
  }
  return out;
}

bool same(const config& a, const config& b) {
  const auto store = [](const store_section& s) {
    return std::tie(s.path, s.full, s.min_free, s.keep_webhooks, s.keep_deliveries, s.keep_events);
  };
  return store(a.store) == store(b.store) && a.ingest == b.ingest &&
         a.admin.listen == b.admin.listen && a.log == b.log && a.chains == b.chains &&
         a.sources == b.sources && a.subscriptions == b.subscriptions && a.handlers == b.handlers;
}

} // namespace

TEST_CASE("reference: what it names, the program knows") {
  variables.clear();
  const auto rows = rows_of_reference();
  CHECK(rows.size() >= 60);
  for (const auto& row : rows) {
    INFO(row.section << '.' << row.key);
    const auto wrong = problems_of(parsed(with(row.section, row.key + ": {}")));
    CHECK(wrong.find("unknown key") == std::string::npos);
  }
  CHECK(problems_of(parsed(with("chains", "quorums: {}"))).find("unknown key") !=
        std::string::npos);
}

TEST_CASE("reference: the defaults that it names are the program's") {
  variables.clear();
  const auto plain = parsed(with("", ""));
  INFO(problems_of(plain));
  REQUIRE(plain.value);
  std::size_t compared = 0;
  for (const auto& row : rows_of_reference()) {
    if (row.otherwise.empty() || row.otherwise == "required" || row.otherwise == "none") continue;
    INFO(row.section << '.' << row.key << ": " << row.otherwise);
    const auto said = parsed(with(row.section, row.key + ": " + row.otherwise));
    INFO(problems_of(said));
    REQUIRE(said.value);
    CHECK(same(*said.value, *plain.value));
    ++compared;
  }
  CHECK(compared >= 30);
  const auto another = parsed(with("chains", "poll_interval: 5s"));
  REQUIRE(another.value);
  CHECK_FALSE(same(*another.value, *plain.value));
}

TEST_CASE("reference: what the program reads, it names") {
  std::set<std::string> read, named;
  for (const auto& file : std::filesystem::directory_iterator(root / "config"))
    if (file.path().extension() == ".cpp")
      for (const auto& key : all_of(content_of(file.path()),
                                    R"re((?:\.(?:read|need|find)|part)\(\s*"([a-z_0-9]+)")re"))
        read.insert(key);
  for (const auto component : log_components)
    read.insert(std::string(component));
  CHECK(read.size() > 90);
  for (const auto& code : all_of(content_of(root / "docs/config.md"), "`([^`]+)`"))
    for (const auto& word : all_of(code, "([a-z_0-9]+)"))
      named.insert(word);
  for (const auto& key : read) {
    INFO(key);
    CHECK(named.contains(key));
  }
}

} // namespace tidemark::config::testing
