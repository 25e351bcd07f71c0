// SPDX-License-Identifier: MIT
#include "providers/sign.hpp"

#include "providers/provider.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace json = boost::json;
using namespace tidemark::providers;

namespace {

const std::filesystem::path folder = TIDEMARK_SOURCE_DIR "/../shared/providers";

std::string content(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  REQUIRE(in);
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("a message is signed as npm's standardwebhooks signs it", "[sign]") {
  const auto sign = [](std::string_view secret) {
    return standard_webhooks_signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxEk", "1614265330",
                                       R"({"test": 2432232314})");
  };
  const std::string right = "v1,M04OjfrIllUQVh7F6qzV64l0HX5jtzZ3ZYON+pgbpLA=";
  CHECK(sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") == right);
  CHECK(sign("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") == right);
  CHECK(sign("whsec_AAKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") != right);
}

TEST_CASE("a secret that is none signs nothing", "[sign]") {
  for (const auto* secret : {"", "whsec_", "whsec_!", "whsec_MfKQ9"}) {
    INFO(secret);
    CHECK(standard_webhooks_signature(secret, "a", "1", "{}").empty());
  }
}

TEST_CASE("what is signed is verified by the scheme of the same name", "[sign]") {
  const auto* p = find("standard-webhooks");
  REQUIRE((p && p->signs));
  const std::string secrets[] = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"};
  const std::string body = "any bytes \x01\xff";
  const auto signature = "v1,AAAA " + standard_webhooks_signature(secrets[0], "m.1", "100", body);
  const request_header headers[] = {
      {"webhook-id", "m.1"}, {"webhook-timestamp", "100"}, {"webhook-signature", signature}};
  CHECK_FALSE(verify(*p->signs, secrets, {headers, body}, 100, 5));
  CHECK(verify(*p->signs, secrets, {headers, body + "x"}, 100, 5) == refusal::mismatch);
}

TEST_CASE("each accepted row of the shared vectors is signed the same", "[sign]") {
  if (!std::filesystem::exists(folder / "vectors.json")) {
    WARN("no vectors beside the sources");
    return;
  }
  const auto file = json::parse(content(folder / "vectors.json"));
  std::size_t rows = 0;
  for (const auto& v : file.at("vectors").as_array()) {
    if (v.at("provider").as_string() != "standard-webhooks") continue;
    if (v.at("verdict").as_string() != "accept") continue;
    const auto& headers = v.at("headers").as_object();
    const auto* id = headers.if_contains("webhook-id");
    if (!id) continue; // the same under other names
    ++rows;
    INFO(v.at("id").as_string());
    const auto signature = standard_webhooks_signature(
        v.at("secret").as_string(), id->as_string(), headers.at("webhook-timestamp").as_string(),
        content(folder / std::string{v.at("file").as_string()}));
    REQUIRE_FALSE(signature.empty());
    const std::string given{headers.at("webhook-signature").as_string()};
    CHECK(given.find(signature) != std::string::npos);
  }
  CHECK(rows >= 3);
}
