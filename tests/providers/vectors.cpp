// SPDX-License-Identifier: MIT
#include "evm/hex.hpp"
#include "providers/content_encoding.hpp"
#include "providers/provider.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace json = boost::json;
using namespace tidemark;
using namespace tidemark::providers;

// One signed request a row, as each provider sends and signs it; vectors/vectors.json says what its
// members mean.
namespace {

const std::filesystem::path folder = TIDEMARK_SOURCE_DIR "/tests/providers/vectors";

std::string content(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  REQUIRE(in);
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// What the source of that row would be configured with.
std::optional<scheme> scheme_of(const provider& p, const json::object& row) {
  if (const auto* header = row.if_contains("auth_header"))
    return scheme{.header = std::string{header->as_string()}, .by = mac::none};
  if (p.name == "raw") return scheme{.header = "X-Hub-Signature-256", .prefix = "sha256="};
  return p.signs ? std::optional{*p.signs} : std::nullopt;
}

std::string text_of(const json::value& v) { return std::string{v.as_string()}; }

template <class T> std::optional<T> number_of(const json::value& v) {
  return v.is_null() ? std::nullopt : std::optional{v.to_number<T>()};
}

std::optional<evm::hash32> hash_of(const json::value& v) {
  return v.is_null() ? std::nullopt : evm::parse_hash(text_of(v));
}

hint hint_of(const json::value& v) {
  hint h;
  h.chain_id = number_of<std::uint64_t>(v.at("chain_id"));
  h.block_number = number_of<std::uint64_t>(v.at("block_number"));
  h.block_hash = hash_of(v.at("block_hash"));
  h.tx = hash_of(v.at("tx_hash"));
  h.log_index = number_of<std::uint32_t>(v.at("log_index"));
  if (!v.at("removed").is_null()) h.removed = v.at("removed").as_bool();
  return h;
}

/// The stage at which a row falls, empty where it is accepted, and what it then names.
struct verdict {
  std::string stage;
  hints named = {};
};

std::optional<refusal> check(const provider& p, const json::object& row, std::string_view body) {
  std::vector<std::pair<std::string, std::string>> kept;
  for (const auto& h : row.at("headers").as_object())
    kept.emplace_back(h.key(), text_of(h.value()));
  std::vector<request_header> headers;
  headers.reserve(kept.size());
  for (const auto& [name, value] : kept)
    headers.push_back({name, value});
  const auto by = scheme_of(p, row);
  if (!by) return std::nullopt;
  const std::string secrets[] = {text_of(row.at("secret"))};
  CHECK(check_secret(*by, secrets[0]).has_value());
  const auto tolerance = number_of<std::int64_t>(row.at("tolerance_s")).value_or(0);
  return verify(*by, secrets, {headers, body}, row.at("now").to_number<std::int64_t>(), tolerance);
}

verdict judge(const provider& p, const json::object& row) {
  const auto* wire = row.if_contains("wire_file");
  std::string body = content(folder / text_of(wire ? *wire : row.at("file")));
  std::string encoding;
  if (const auto* header = row.at("headers").as_object().if_contains("content-encoding"))
    encoding = text_of(*header);
  const auto* limit = row.if_contains("limit_bytes");
  auto inflated = inflate(encoding, body, limit ? limit->to_number<std::size_t>() : 4U << 20);
  if (!inflated) return {inflated.error() == inflate_refusal::too_large ? "limit" : "decode"};
  if (check(p, row, p.signs_inflated ? *inflated : body)) return {"auth"};
  const auto* chain =
      p.chain_header.empty() ? nullptr : row.at("headers").as_object().if_contains(p.chain_header);
  auto named = extract(p, *inflated, chain ? text_of(*chain) : "");
  if (!named) return {"parse"};
  for (auto& h : *named) {
    if (!h.chain_id && !h.network.empty()) h.chain_id = known_network(p, h.network);
    h.network.clear();
    h.takes_back = false; // the rows have no word for it
  }
  return {"", std::move(*named)};
}

} // namespace

TEST_CASE("each row of the shared vectors", "[vectors]") {
  const auto file = json::parse(content(folder / "vectors.json"));
  std::size_t rows = 0;
  for (const auto& v : file.at("vectors").as_array()) {
    const auto& row = v.as_object();
    const auto* p = find(text_of(row.at("provider")));
    INFO(row.at("id").as_string());
    REQUIRE(p);
    ++rows;
    const auto got = judge(*p, row);
    const auto* stage = row.if_contains("stage");
    CHECK(got.stage == (stage ? text_of(*stage) : ""));
    const auto& wanted = row.at("hints").as_array();
    REQUIRE(got.named.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      CHECK(got.named[i] == hint_of(wanted[i]));
  }
  CHECK(rows == 207);
}
