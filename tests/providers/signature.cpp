// SPDX-License-Identifier: MIT
#include "providers/signature.hpp"

#include "providers/provider.hpp"

#include <catch2/catch.hpp>

#include <cctype>
#include <limits>

using namespace tidemark::providers;

namespace {

using headers = std::vector<request_header>;
using kind = signed_part::kind;

std::optional<refusal> ask(const scheme& s, const headers& with, std::string_view body = "{}",
                           std::vector<std::string> secrets = {"secret"}, std::int64_t now = 0,
                           std::int64_t tolerance = 0) {
  return verify(s, secrets, {with, body}, now, tolerance);
}

// MACs by `printf '{}' | openssl dgst -sha256 -hmac secret` and its like.
const std::string body_hex = "77325902caca812dc259733aacd046b73817372c777b8d95b402647474516e13";
const std::string body_base64 = "dzJZAsrKgS3CWXM6rNBGtzgXNyx3e42VtAJkdHRRbhM=";
const std::string body_sha512 = "d6f1126a735b5a754f6e58434f170bdefdffada2c17f67d9bbd86d97669b94f80a"
                                "92978665bf7ea423832b3f4f3856e2901a7c028e16c81efbb43298a1c00772";
const std::string parts_hex = "1b5f2192f06efed3c5c3053ecc98d9157a0f68785a7d77b400654db7cfe737ac";

scheme with_parts() {
  scheme s{.header = "X-Sig"};
  s.parts = {{kind::header, "X-Time"}, {kind::text, "."}, {kind::body, ""}, {kind::text, "!"}};
  return s;
}

} // namespace

TEST_CASE("a MAC over the body") {
  const scheme hex{.header = "X-Sig", .prefix = "sha256="};
  const scheme base64{.header = "X-Sig", .as = encoding::base64};
  const scheme sha512{.header = "X-Sig", .by = mac::hmac_sha512};

  CHECK_FALSE(ask(hex, {{"X-Sig", "sha256=" + body_hex}}));
  CHECK_FALSE(ask(hex, {{"x-sIG", "sha256=" + body_hex}}));
  CHECK_FALSE(ask(base64, {{"X-Sig", body_base64}}));
  CHECK_FALSE(ask(sha512, {{"X-Sig", body_sha512}}));
  CHECK(ask(hex, {{"X-Sig", "sha256=" + body_hex}}, "{} ") == refusal::mismatch);
  CHECK(ask(hex, {{"X-Sig", "sha256=" + body_hex}}, "{}", {"Secret"}) == refusal::mismatch);
}

TEST_CASE("a rotated secret") {
  const scheme s{.header = "X-Sig"};
  CHECK_FALSE(ask(s, {{"X-Sig", body_hex}}, "{}", {"new", "secret"}));
  CHECK_FALSE(ask(s, {{"X-Sig", body_hex}}, "{}", {"", "secret"}));
  CHECK(ask(s, {{"X-Sig", body_hex}}, "{}", {"new", "newer"}) == refusal::mismatch);
}

TEST_CASE("nothing verifies without a secret") {
  // The MACs with an empty key.
  const scheme s{.header = "X-Sig"};
  const std::string empty_key = "22f8eea909400af98adf3681a9f31923ef6b7fcba4abb553d92823a3e9d5c25e";
  CHECK(ask(s, {{"X-Sig", empty_key}}, "{}", {""}) == refusal::mismatch);
  CHECK(ask(s, {{"X-Sig", empty_key}}, "{}", {}) == refusal::mismatch);
  CHECK(ask({.header = "X-Sig", .by = mac::none}, {{"X-Sig", "x"}}, "{}", {""}) ==
        refusal::mismatch);
  CHECK(ask({.header = "X-Sig", .by = mac::none}, {{"X-Sig", "x"}}, "{}", {}) == refusal::mismatch);
  const scheme bearer{.header = "X-Sig", .by = mac::none, .prefix = "Bearer "};
  CHECK(ask(bearer, {{"X-Sig", "Bearer "}}, "{}", {""}) == refusal::mismatch);
}

TEST_CASE("a MAC written otherwise is refused") {
  const scheme hex{.header = "X-Sig", .prefix = "sha256="};
  std::string upper = body_hex;
  for (char& c : upper)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& value :
       {std::string{"sha256="}, body_hex, "sha1=" + body_hex, "SHA256=" + body_hex,
        "sha256=" + upper, "sha256=" + body_hex.substr(0, 62), "sha256=" + body_hex.substr(0, 63),
        "sha256=" + body_hex + "00", "sha256=" + body_hex + " ", "sha256= " + body_hex,
        "sha256=0x" + body_hex, "sha256=" + body_base64,
        "sha256=" + body_hex.substr(0, 63) + "g"}) {
    INFO(value);
    CHECK(ask(hex, {{"X-Sig", value}}) == refusal::malformed);
  }
  const scheme base64{.header = "X-Sig", .as = encoding::base64};
  auto other_bits = body_base64; // the same bytes to a lenient decoder
  other_bits[other_bits.size() - 2] = static_cast<char>(other_bits[other_bits.size() - 2] + 1);
  for (const std::string& value :
       {body_hex, other_bits, body_base64.substr(0, body_base64.size() - 1), body_base64 + "=",
        body_base64 + "\n", std::string{"===="}, std::string{"A==="}}) {
    INFO(value);
    CHECK(ask(base64, {{"X-Sig", value}}) == refusal::malformed);
  }
}

TEST_CASE("a header that is missing, empty or there twice") {
  const scheme s = with_parts();
  const request_header sig{"X-Sig", parts_hex};
  const request_header time{"X-Time", "17"};
  CHECK_FALSE(ask(s, {sig, time}));
  CHECK(ask(s, {}) == refusal::missing_header);
  CHECK(ask(s, {time}) == refusal::missing_header);
  CHECK(ask(s, {sig}) == refusal::missing_header);
  CHECK(ask(s, {{"X-Sig", ""}, time}) == refusal::malformed);
  CHECK(ask(s, {sig, {"X-Time", ""}}) == refusal::malformed);
  CHECK(ask(s, {sig, time, {"x-sig", parts_hex}}) == refusal::malformed);
  CHECK(ask(s, {sig, time, {"x-time", "17"}}) == refusal::malformed);
  CHECK(ask(s, {sig, {"X-Time", "18"}}) == refusal::mismatch);
}

TEST_CASE("mac: none takes the secret itself") {
  const scheme plain{.header = "X-Secret", .by = mac::none};
  const scheme bearer{.header = "Authorization", .by = mac::none, .prefix = "Bearer "};
  CHECK_FALSE(ask(plain, {{"x-secret", "secret"}}));
  CHECK_FALSE(ask(plain, {{"x-secret", "secret"}}, "another body", {"new", "secret"}));
  CHECK_FALSE(ask(bearer, {{"authorization", "Bearer secret"}}));
  CHECK(ask(plain, {{"x-secret", "Secret"}}) == refusal::mismatch);
  CHECK(ask(plain, {{"x-secret", "secret2"}}) == refusal::mismatch);
  CHECK(ask(plain, {{"x-secret", "secre"}}) == refusal::mismatch);
  CHECK(ask(plain, {{"x-secret", ""}}) == refusal::malformed);
  CHECK(ask(plain, {}) == refusal::missing_header);
  CHECK(ask(plain, {{"x-secret", "secret"}, {"x-secret", "secret"}}) == refusal::malformed);
  CHECK(ask(bearer, {{"authorization", "secret"}}) == refusal::malformed);
}

TEST_CASE("Standard Webhooks") {
  const scheme& s = *find("standard-webhooks")->signs;
  // By the reference implementation's own example of a secret, its id and time.
  const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const std::string body = R"({"test": 2432232314})";
  const request_header id{"webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"};
  const request_header time{"webhook-timestamp", "1614265330"};
  const std::string right = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  const std::int64_t at = 1614265330;
  const auto signed_by = [&](std::string_view value, std::int64_t now, std::int64_t tolerance) {
    return ask(s, {id, time, {"webhook-signature", value}}, body, {secret}, now, tolerance);
  };

  CHECK_FALSE(signed_by(right, at, 0));
  CHECK_FALSE(signed_by("v1a,AAAA v2,x  " + right, at, 0));
  CHECK_FALSE(signed_by(right, at + 300, 300));
  CHECK_FALSE(signed_by(right, at - 300, 300));
  CHECK(signed_by(right, at + 301, 300) == refusal::stale);
  CHECK(signed_by(right, at - 301, 300) == refusal::stale);
  CHECK(signed_by(right, at, -1) == refusal::stale);
  CHECK(signed_by(right, std::numeric_limits<std::int64_t>::min(), 300) == refusal::stale);
  CHECK(signed_by("v1a," + right.substr(3), at, 0) == refusal::malformed);
  CHECK(signed_by("v1,g0hM9SsE-OTPJTGt_tmIKtSyZlE3uFJELVlNIOLJ1OE=", at, 0) == refusal::malformed);
  CHECK(signed_by("v1", at, 0) == refusal::malformed);
  CHECK(signed_by(" ", at, 0) == refusal::malformed);

  SECTION("only so many signatures are looked at") {
    std::string many;
    for (int i = 0; i < 31; ++i)
      many += "v0,x ";
    CHECK_FALSE(signed_by(many + right, at, 0));
    CHECK(signed_by(many + "v0,x v0,x " + right, at, 0) == refusal::malformed);
  }
  SECTION("a wrong time is said only of a right signature") {
    auto wrong = right;
    wrong[5] = wrong[5] == 'A' ? 'B' : 'A';
    CHECK(signed_by(wrong, at + 301, 300) == refusal::mismatch);
  }
  SECTION("a time that is no number") {
    for (const auto* text : {"1614265330.0", "-1614265330", "+1614265330", "0x60", "now", " 1",
                             "99999999999999999999"}) {
      INFO(text);
      CHECK(ask(s, {id, {"webhook-timestamp", text}, {"webhook-signature", right}}, body, {secret},
                at, 300) == refusal::malformed);
    }
  }
  SECTION("svix names, all of them or none") {
    const headers svix = {
        {"svix-id", id.value}, {"svix-timestamp", time.value}, {"svix-signature", right}};
    CHECK_FALSE(ask(s, svix, body, {secret}, at, 0));
    CHECK(ask(s, {svix[0], svix[1], {"webhook-signature", right}}, body, {secret}, at, 0) ==
          refusal::missing_header);
    CHECK(ask(s, {svix[0], time, svix[2]}, body, {secret}, at, 0) == refusal::missing_header);
    CHECK(ask(s, {svix[2], svix[0], svix[1], {"webhook-signature", "v1,x"}}, body, {secret}, at,
              0) == refusal::missing_header);
  }
  SECTION("the secret's forms") {
    CHECK(check_secret(s, secret).has_value());
    CHECK(check_secret(s, secret.substr(6)).has_value());
    CHECK_FALSE(check_secret(s, "whsec_").has_value());
    CHECK_FALSE(check_secret(s, "").has_value());
    CHECK_FALSE(check_secret(s, "whsec_not base64").has_value());
    CHECK_FALSE(check_secret(s, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS").has_value());
    CHECK(check_secret({.header = "X"}, "any text").has_value());
    CHECK_FALSE(check_secret({.header = "X"}, "").has_value());
    CHECK(check_secret(s, "whsec_not base64").error().text.find("not base64") == std::string::npos);
    CHECK_FALSE(ask(s, {id, time, {"webhook-signature", right}}, body,
                    {"whsec_", "not base64", secret.substr(6)}, at, 0));
  }
}

TEST_CASE("the words of a signature in the config") {
  CHECK(mac_from_text("none") == mac::none);
  CHECK(mac_from_text("hmac-sha256") == mac::hmac_sha256);
  CHECK(mac_from_text("hmac-sha512") == mac::hmac_sha512);
  CHECK_FALSE(mac_from_text("hmac-sha1"));
  CHECK_FALSE(mac_from_text("HMAC-SHA256"));
  CHECK(encoding_from_text("hex") == encoding::hex);
  CHECK(encoding_from_text("base64") == encoding::base64);
  CHECK_FALSE(encoding_from_text("base32"));
}
