// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <tuple>

namespace tidemark::config {
namespace {

constexpr std::size_t max_file = 16 * mib;

/// Where a document begins.
class document_start final : public YAML::EventHandler {
public:
  YAML::Mark at = YAML::Mark::null_mark();

private:
  void seen(const YAML::Mark& mark) {
    if (at.is_null()) at = mark;
  }
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { seen(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { seen(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    seen(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    seen(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    seen(mark);
  }
  void OnMapEnd() override {}
};

/// The one document of the file; nothing, and a problem, where it is not YAML.
std::optional<YAML::Node> parse_yaml(const std::string& text, reading& r) {
  try {
    // Not YAML::LoadAll: behind a stray comma it finds documents without end, and keeps them all.
    std::istringstream in(text);
    YAML::Parser parser(in);
    document_start first, second;
    if (!parser.HandleNextDocument(first)) return YAML::Node(YAML::NodeType::Map);
    if (!parser.HandleNextDocument(second)) return YAML::Load(text);
    r.wrong(place_of(second.at), "a second YAML document begins here; there must be one");
  } catch (const YAML::Exception& e) {
    r.wrong(place_of(e.mark), "this is not YAML: " + e.msg);
  } catch (const std::exception& e) {
    r.wrong({}, std::string("this is not YAML: ") + e.what());
  }
  return std::nullopt;
}

void refuse_same_address(const builder& b, section& root) {
  const auto& in = b.out.ingest.listen;
  const auto& admin = b.out.admin.listen;
  if (in.port == 0 || in.port != admin.port || in.host != admin.host) return;
  // They differ by default, so one of the two is given.
  const auto given = root.find("ingest");
  (given ? given : root.find("admin"))->wrong("ingest and admin listen on the same address");
}

builder read_config(const value& v) {
  builder b;
  section root(v);
  const auto part = [&](const char* key, auto read) {
    if (const auto found = root.find(key)) read(*found);
  };
  root.read("instance", b.out.instance, as_name);
  b.out.store = read_store(root.find("store"), v.in());
  part("ingest", [&](const value& s) { b.out.ingest = read_ingest(s); });
  part("admin", [&](const value& s) { b.out.admin = read_admin(s); });
  part("log", [&](const value& s) { b.out.log = read_log(s); });
  part("confirmation_policy", [&](const value& s) { read_policies(s, b); });
  part("chains", [&](const value& s) { read_chains(s, b); });
  part("sources", [&](const value& s) { read_sources(s, b); });
  part("lists", [&](const value& s) { read_lists(s, b); });
  part("subscriptions", [&](const value& s) { read_subscriptions(s, b); });
  part("handlers", [&](const value& s) { read_handlers(s, b); });
  refuse_same_address(b, root);
  return b;
}

builder read_some(const value& v, reach how_far) {
  if (how_far == reach::all) return read_config(v);
  builder b;
  std::optional<value> store;
  for (const auto& part : v.members()) {
    if (!part.given) continue;
    if (part.key == "admin") b.out.admin = read_admin(part.of);
    if (how_far == reach::admin) continue;
    if (part.key == "store") store = part.of;
    if (part.key == "instance") b.out.instance = as_name(part.of).value_or("");
  }
  if (how_far == reach::store) b.out.store = read_store(store, v.in());
  return b;
}

void sort_by_place(std::vector<problem>& list) {
  std::stable_sort(list.begin(), list.end(), [](const problem& a, const problem& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
}

} // namespace

std::string problem::to_string() const {
  if (line == 0) return file + ": " + text;
  return file + ':' + std::to_string(line) + ':' + std::to_string(column) + ": " + text;
}

loaded parse(const std::string& text, const std::filesystem::path& file, environment env,
             reach how_far, tls_judge judge_tls) {
  reading r{file, env, judge_tls};
  loaded out;
  if (const auto root = parse_yaml(text, r)) {
    auto built = read_some(value(r, *root, ""), how_far);
    if (r.problems.empty()) {
      if (how_far == reach::all) add_warnings(built, r);
      out.value = std::move(built.out);
    }
  }
  sort_by_place(r.problems);
  sort_by_place(r.warnings);
  out.problems = std::move(r.problems);
  out.warnings = std::move(r.warnings);
  return out;
}

loaded load(const std::filesystem::path& file, environment env, reach how_far,
            tls_judge judge_tls) {
  const auto failed = [&](const std::string& text) {
    return loaded{std::nullopt, {{file.string(), 0, 0, text}}, {}};
  };
  std::error_code ec;
  if (std::filesystem::is_directory(file, ec)) return failed("is a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in) return failed(std::string("cannot be read: ") + std::strerror(errno));
  std::string text(max_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return failed("cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > max_file) return failed("is larger than 16MiB");
  return parse(text, file, env, how_far, judge_tls);
}

} // namespace tidemark::config
