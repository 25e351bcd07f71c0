// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

#include <cstdio>
#include <fstream>
#include <sys/stat.h>

using namespace tidemark::config;
using namespace tidemark::config::testing;
using namespace std::chrono_literals;

TEST_CASE("retention is read") {
  variables.clear();
  const auto l = parsed("store: {retention: {webhooks: 7d, deliveries: 0s, events: 365d}}\n");
  CHECK(problems_of(l) == "");
  REQUIRE(l.value);
  CHECK(l.value->store.keep_webhooks == 7 * 24h);
  CHECK(l.value->store.keep_deliveries == 0s);
  CHECK(l.value->store.keep_events == 365 * 24h);
}

TEST_CASE("tls names files that are there, the key nobody else's") {
  variables.clear();
  const auto file = [](const char* name, mode_t mode) {
    std::ofstream(name) << "PEM";
    chmod(name, mode);
    return std::string(name);
  };
  const auto cert = file("tls_test.crt", 0644), key = file("tls_test.key", 0600),
             open = file("tls_test.open", 0644);
  struct row {
    std::string tls, says;
  };
  const row rows[] = {
      {"{cert: " + cert + ", key: " + key + "}", ""},
      {"{cert: " + cert + "}", "ingest.tls: 'key' is missing"},
      {"{cert: none.crt, key: " + key + "}", "ingest.tls.cert: cannot read"},
      {"{cert: " + cert + ", key: " + open + "}", "ingest.tls.key: others may read"},
      {"{cert: " + cert + ", key: ., more: 1}", "ingest.tls.key: "},
  };
  for (const auto& r : rows) {
    INFO(r.tls);
    const auto l = parsed("ingest: {tls: " + r.tls + "}\n");
    CHECK(l.problems.empty() == r.says.empty());
    if (!r.says.empty()) CHECK(problems_of(l).find(r.says) != std::string::npos);
    if (r.says.empty()) CHECK(l.value->ingest.tls.has_value());
  }
  const auto handler = [&](const std::string& tls) {
    return problems_of(parsed("handlers: [{name: a, url: \"https://a.example\", secret: " +
                              std::string(secret) + ", tls: " + tls + "}]\n"));
  };
  CHECK(handler("{ca: " + open + ", cert: " + cert + ", key: " + key + "}") == "");
  CHECK(handler("{cert: " + cert + ", key: " + open + "}").find("[0].tls.key: others may read") !=
        std::string::npos);
  CHECK(handler("{cert: " + cert + "}").find("[0].tls: cert and key go together") !=
        std::string::npos);
  // What the files say is judged at its place, beside all else that is wrong.
  const auto judged =
      parse("instance: a b\ningest:\n  tls: {cert: " + cert + ", key: " + key + "}\n", "t.yaml",
            look_up, reach::all, [](const client_tls_section& files, bool shown) {
              return files.cert.string() + (shown ? " shown" : " not shown");
            });
  CHECK(judged.problems.size() == 2);
  CHECK(problems_of(judged).find("t.yaml:3:8: ingest.tls: tls_test.crt shown\n") !=
        std::string::npos);
  for (const auto& name : {cert, key, open})
    std::remove(name.c_str());
}
