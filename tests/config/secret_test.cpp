// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

using namespace tidemark::config;
using namespace tidemark::config::testing;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, gone at the end.
class folder {
public:
  folder() {
    auto name = (fs::temp_directory_path() / "tidemark-secret-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~folder() { fs::remove_all(path_); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  const fs::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text, mode_t mode) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    REQUIRE(::chmod((path_ / name).c_str(), mode) == 0);
  }

private:
  fs::path path_;
};

loaded with_secret(const folder& f, const std::string& secret_yaml) {
  return parse(one_chain + "sources: [{name: a, provider: alchemy, secret: " + secret_yaml + "}]\n",
               f.path() / "t.yaml", look_up);
}

} // namespace

TEST_CASE("a secret from a file loses one line break at its end") {
  variables.clear();
  struct row {
    const char *content, *expected;
  };
  const row rows[] = {
      {"abc", "abc"},       {"abc\n", "abc"},   {"abc\r\n", "abc"},
      {"abc\n\n", "abc\n"}, {" a b ", " a b "}, {"abc\r", "abc\r"},
  };
  const folder f;
  for (const auto& r : rows) {
    f.write("key", r.content, 0640);
    const auto l = with_secret(f, "{file: key}");
    INFO(problems_of(l));
    REQUIRE(l.value);
    CHECK(l.value->sources[0].secrets == std::vector<std::string>{r.expected});
  }
  // So does one that is a text: `S=$(cat FILE; echo)`, or a block of YAML.
  variables = {{"S", "abc\n"}};
  for (const auto* text : {"\"${S}\"", "\"abc\\n\"", "\"abc\\r\\n\"", "abc"}) {
    INFO(text);
    CHECK(with_secret(f, text).value->sources[0].secrets == std::vector<std::string>{"abc"});
  }
  const auto absolute = with_secret(f, "{file: \"" + (f.path() / "key").string() + "\"}");
  CHECK(absolute.value);
}

TEST_CASE("a secret file that is none is refused") {
  variables.clear();
  const folder f;
  f.write("open", "abc", 0604);
  f.write("empty", "\n", 0600);
  f.write("large", std::string(64 * 1024 + 1, 'x'), 0600);
  REQUIRE(::mkfifo((f.path() / "pipe").c_str(), 0600) == 0);
  struct row {
    const char *file, *expected;
  };
  const row rows[] = {
      {"open", "others may read"}, {"none", "No such file"},    {"empty", "the secret is empty"},
      {"large", "larger than"},    {"pipe", "no regular file"}, {".", "no regular file"},
  };
  for (const auto& r : rows) {
    INFO(r.file);
    const auto l = with_secret(f, std::string("{file: ") + r.file + "}");
    REQUIRE(l.problems.size() == 1);
    CHECK(l.problems[0].text.find(r.expected) != std::string::npos);
    CHECK(l.problems[0].line == 6);
    CHECK(l.problems[0].column == 48);
  }
}

TEST_CASE("a credential of systemd") {
  const folder f;
  f.write("signing-key", "abc\n", 0400);
  variables = {{"CREDENTIALS_DIRECTORY", f.path().string()}};
  const auto l = with_secret(f, "{credential: signing-key}");
  REQUIRE(l.value);
  CHECK(l.value->sources[0].secrets == std::vector<std::string>{"abc"});
  CHECK(with_secret(f, "{credential: ../signing-key}").problems.size() == 1);
  CHECK(with_secret(f, "{credential: other}").problems.size() == 1);

  variables.clear();
  const auto none = with_secret(f, "{credential: signing-key}");
  REQUIRE(none.problems.size() == 1);
  CHECK(none.problems[0].text.find("CREDENTIALS_DIRECTORY") != std::string::npos);
}

TEST_CASE("load reads a file, and says why it cannot") {
  variables.clear();
  const folder f;
  f.write("t.yaml", one_chain + "store: {path: a.db}\n", 0644);
  const auto l = load(f.path() / "t.yaml", look_up);
  REQUIRE(l.value);
  CHECK(l.value->store.path == f.path() / "a.db");

  const auto none = load(f.path() / "none.yaml", look_up);
  REQUIRE(none.problems.size() == 1);
  CHECK(none.problems[0].to_string() ==
        (f.path() / "none.yaml").string() + ": cannot be read: No such file or directory");
  CHECK(load(f.path(), look_up).problems.size() == 1);
  f.write("large.yaml", std::string((16 << 20) + 1, '#'), 0644);
  CHECK(load(f.path() / "large.yaml", look_up).problems.size() == 1);
}
