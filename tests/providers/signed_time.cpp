// SPDX-License-Identifier: MIT
#include "providers/signed_time.hpp"

#include "providers/provider.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::providers;

TEST_CASE("times as senders write them") {
  using form = signed_time::form;
  struct row {
    form as;
    const char* text;
    std::optional<std::int64_t> is;
  };
  const row rows[] = {
      {form::seconds, "1767225600", 1'767'225'600},
      {form::seconds, "0", 0},
      {form::seconds, "01767225600", {}},
      {form::seconds, "-1", {}},
      {form::seconds, "+1", {}},
      {form::seconds, "1.5", {}},
      {form::seconds, " 1", {}},
      {form::seconds, "", {}},
      {form::seconds, "9223372036854775808", {}},
      {form::milliseconds, "1767225600999", 1'767'225'600},
      {form::milliseconds, "x", {}},
      {form::date, "Thu, 01 Jan 2026 00:00:00 GMT", 1'767'225'600},
      {form::date, "Thu, 29 Feb 2024 23:59:59 GMT", 1'709'251'199},
      {form::date, "Thu, 01 Jan 1970 00:00:00 GMT", 0},
      {form::date, "Thu, 01 Jan 2026 00:00:00 UTC", {}},
      {form::date, "Thu, 01 Foo 2026 00:00:00 GMT", {}},
      {form::date, "Thu, 01 Jan 2026 24:00:00 GMT", {}},
      {form::date, "2026-01-01 00:00:00.386157172 +0000 UTC m=+3512798.196320121", 1'767'225'600},
      {form::date, "2026-01-01 00:00:00 +0000 UTC", 1'767'225'600},
      {form::date, "2026-01-01 01:00:00.5 +0100 CET", 1'767'225'600},
      {form::date, "2025-12-31 18:30:00 -0530 X", 1'767'225'600},
      {form::date, "2026-13-01 00:00:00 +0000 UTC", {}},
      {form::date, "2026-01-01T00:00:00Z", {}},
      {form::date, "2026-01-01 00:00:00", {}},
      {form::date, "", {}},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    CHECK(read_time(r.as, r.text) == r.is);
  }
}

namespace {

std::optional<refusal> ask(std::string_view provider, const std::vector<request_header>& with,
                           std::string_view body, const std::string& secret) {
  const std::string secrets[] = {secret};
  return verify(*find(provider)->signs, secrets, {with, body}, 100, 5);
}

} // namespace

TEST_CASE("hook0's fields") {
  // printf '100.content-type.text/x.{}' | openssl dgst -sha256 -hmac s
  const std::string right = "029fbf5b38f3bb1521e98993d5d5d4179a5fcf087012cb686cbb96b5062e6119";
  const auto with = [&](const std::string& header) {
    return ask("cdp", {{"X-Hook0-Signature", header}, {"Content-Type", "text/x"}, {"a", "1"}}, "{}",
               "s");
  };
  CHECK_FALSE(with("t=100,h=content-type,v1=" + right));
  CHECK_FALSE(with("v1=" + right + ",h=content-type,t=100,v9=x"));
  CHECK(with("t=90,h=content-type,v1=" + right) == refusal::mismatch);
  CHECK(with("t=100,t=100,h=content-type,v1=" + right) == refusal::malformed);
  CHECK(with("t=100,h=content-type,v1=" + right + ",v1=" + right) == refusal::malformed);
  CHECK(with("t=100,h=content-type a,v1=" + right) == refusal::mismatch);
  CHECK(with("t=100,h=content-type b,v1=" + right) == refusal::missing_header);
  CHECK(with("t=100,h=content-type ,v1=" + right) == refusal::malformed);
  CHECK(with("t=100,h=,v1=" + right) == refusal::malformed);
  CHECK(with("t=100,v1=" + right) == refusal::malformed);
  CHECK(with("h=content-type,v1=" + right) == refusal::malformed);
  CHECK(with("t=,h=content-type,v1=" + right) == refusal::malformed);
  CHECK(with("t=100,h=content-type,v0=" + right) == refusal::malformed);
  CHECK(with(right) == refusal::malformed);
  CHECK(with(std::string(4'000, ',')) == refusal::malformed);
}

TEST_CASE("a time in the body is judged where there is one") {
  // printf '…' | openssl dgst -sha256 -hmac s
  struct row {
    const char* body;
    const char* mac;
    std::optional<refusal> is;
  };
  const row rows[] = {
      {R"({"timestamp":104})",
       "012104be7c4612b5cbbb10bc7537a71aa354781c8453f06644bf66a705749a71",
       {}},
      {R"({"timestamp":106})", "ba6bb0e70eebd791de2acdf9e2ee2e56a6700f1511b78ebceeeef11474114d51",
       refusal::stale},
      {R"({"timestamp":"94"})", "b5211dbe58e1e6fcced45fbf5df54a1a0efe9ce62de04fedcf6967f199787405",
       refusal::stale},
      {R"({"timestamp":null})",
       "26149bd45a1766982f6f56d3e5a6c624ebd02d10324652062bb89d2e3772154e",
       {}},
      {"[]", "e13df6323e9c2719a9c05260b77fe9998029744f9b2eafb979f95d583e726e12", {}},
      {"prose", "b313bff9bde668cf150286dc2a16539b116c931e939eca4f028594ff20c867cc", {}},
      {"prose!", "b313bff9bde668cf150286dc2a16539b116c931e939eca4f028594ff20c867cc",
       refusal::mismatch},
  };
  for (const auto& r : rows) {
    INFO(r.body);
    CHECK(ask("thirdweb-insight", {{"x-webhook-signature", r.mac}}, r.body, "s") == r.is);
    CHECK(ask("thirdweb-insight", {{"X-Signature", r.mac}}, r.body, "s") == r.is);
  }
}

TEST_CASE("what is no key of circle's") {
  const auto& scheme = *find("circle")->signs;
  const std::string right =
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5ZGzPDQP+BjnvxJr/cFIPQwblLXmc16LM2U+"
      "E2Erm968/QEo+T2CK+dqW7OksQxHp17xya7gPhLSOndqWZh7Bg==";
  CHECK(check_secret(scheme, right).has_value());
  for (const std::string& wrong :
       {std::string{}, std::string{"whsec_abcd"}, right.substr(4), right.substr(0, 120),
        std::string{"-----BEGIN PUBLIC KEY-----"}, right + "AAAA",
        // An Ed25519 key, and one on secp256k1.
        std::string{"MCowBQYDK2VwAyEAGVgeeFXht6kaAdlXjc+3pElDWzibnNIZjlYkEtzQe1g="},
        std::string{"MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE72sO1ATM4Fh/XFXae/"
                    "o2EvzqzQpJDsyaZOUn+elu67AMHlbNxK88kIpQFasEz4izM4Vd4qNAtdJLLH+zrBnN5g=="}}) {
    INFO(wrong);
    CHECK_FALSE(check_secret(scheme, wrong).has_value());
  }
}
