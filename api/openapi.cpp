// SPDX-License-Identifier: MIT
#include "api/openapi.hpp"

#include "api/answers.hpp"
#include "api/routes.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::api {
namespace {

/// What a route answers with, beside problems: `schema`, or a list of `item`s.
struct answered_with {
  std::string_view method, path, schema, item = {};
  unsigned status = 200;
};

constexpr auto answered = std::to_array<answered_with>({
    {"GET", "/livez", "live"},
    {"GET", "/readyz", "ready"},
    {"GET", "/v1/status", "status"},
    {"GET", "/v1/chains/{name}", "chain"},
    {"GET", "/v1/chains/{name}/blocks", {}, "held_block"},
    {"POST", "/v1/chains/{name}/resume", "state"},
    {"POST", "/v1/chains/{name}/skip", "state"},
    {"POST", "/v1/chains/{name}/reconcile", "job_begun", {}, 202},
    {"GET", "/v1/events", {}, "event"},
    {"GET", "/v1/events/{event_id}", "event_life"},
    {"POST", "/v1/events/redecode", "job_begun", {}, 202},
    {"GET", "/v1/feed", "feed"},
    {"GET", "/v1/reorgs", {}, "reorg"},
    {"GET", "/v1/gaps", {}, "gap"},
    {"GET", "/v1/audit", {}, "audit"},
    {"GET", "/v1/webhooks", {}, "webhook"},
    {"GET", "/v1/webhooks/{id}", "webhook"},
    {"POST", "/v1/webhooks/{id}/reprocess", "counted", {}, 202},
    {"POST", "/v1/webhooks/reprocess", "counted", {}, 202},
    {"GET", "/v1/sources", {}, "source"},
    {"GET", "/v1/handlers", {}, "handler"},
    {"GET", "/v1/handlers/{name}/keys", {}, "key"},
    {"POST", "/v1/handlers/{name}/pause", "state"},
    {"POST", "/v1/handlers/{name}/resume", "state"},
    {"POST", "/v1/handlers/{name}/replay", "job_begun"},
    {"GET", "/v1/dead", {}, "dead"},
    {"GET", "/v1/jobs/{id}", "job"},
    {"GET", "/v1/lists/{name}", "list"},
    {"PATCH", "/v1/lists/{name}", "list"},
    {"GET", "/v1/db/check", "db_check"},
    {"GET", "/v1/db/stats", "db_stats"},
    {"POST", "/v1/db/backup", "backup"},
    {"POST", "/v1/db/prune", "pruned"},
});

/// The parameters and members whose type is not a text.
struct typed {
  std::string_view name, schema;
};
constexpr auto types = std::to_array<typed>({
    {"limit", R"({"type":"integer","minimum":1,"maximum":1000,"default":100})"},
    {"epoch", R"({"type":"integer","minimum":1})"},
    {"from_block", R"({"type":"integer","minimum":0})"},
    {"to_block", R"({"type":"integer","minimum":0})"},
    {"from_seq", R"({"type":"integer","minimum":0})"},
    {"to_seq", R"({"type":"integer","minimum":0})"},
    {"rate", R"({"type":"number","minimum":0})"},
    {"accept_reorg", R"({"type":"boolean"})"},
    {"apply", R"({"type":"boolean","default":false})"},
    {"as_new", R"({"type":"boolean"})"},
    {"dry_run", R"({"type":"boolean"})"},
    {"add", R"({"type":"array","items":{"type":"string"}})"},
    {"remove", R"({"type":"array","items":{"type":"string"}})"},
    {"ids", R"({"type":"array","items":{"type":["integer","string"]}})"},
    {"wait", R"({"type":"string","examples":["20s"]})"},
});

json::value schema_of(std::string_view name) {
  const auto at =
      std::find_if(types.begin(), types.end(), [&](const typed& t) { return t.name == name; });
  return json::parse(at == types.end() ? std::string_view(R"({"type":"string"})") : at->schema);
}

json::object reference(std::string_view schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

json::object in_media(std::string_view type, json::value schema) {
  return {{std::string(type), json::object{{"schema", std::move(schema)}}}};
}

template <class F> void each_word(std::string_view words, F f) {
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (end != 0) f(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

json::object success(const route& r, std::string_view& status) {
  status = "200";
  const auto at = std::find_if(answered.begin(), answered.end(), [&](const answered_with& a) {
    return a.method == r.method && a.path == r.path;
  });
  json::object out{{"description", std::string(r.says)}};
  if (at == answered.end()) {
    const bool is_json = r.path.starts_with("/v1/") && !r.path.ends_with("/raw") &&
                         !r.path.ends_with("/stream") && r.path != "/v1/openapi.json";
    if (is_json) out["content"] = in_media("application/json", json::object{{"type", "object"}});
    return out;
  }
  if (at->status == 202) status = "202";
  if (at->item.empty()) {
    out["content"] = in_media("application/json", reference(at->schema));
    return out;
  }
  out["content"] = in_media(
      "application/json",
      json::object{
          {"type", "object"},
          {"required", json::array{"items", "next"}},
          {"properties",
           json::object{{"items", json::object{{"type", "array"}, {"items", reference(at->item)}}},
                        {"next", json::object{{"type", json::array{"string", "null"}}}}}}});
  return out;
}

json::array parameters_of(const route& r) {
  json::array out;
  const auto add = [&out](std::string_view name, std::string_view in, bool needed) {
    out.push_back(json::object{{"name", std::string(name)},
                               {"in", std::string(in)},
                               {"required", needed},
                               {"schema", schema_of(name)}});
  };
  for (auto rest = r.path; rest.find('{') != rest.npos;) {
    const auto from = rest.find('{') + 1, to = rest.find('}');
    add(rest.substr(from, to - from), "path", true);
    rest.remove_prefix(to + 1);
  }
  each_word(r.query, [&](std::string_view name) { add(name, "query", false); });
  return out;
}

/// get_v1_chains_name
std::string operation_id(const route& r) {
  std::string out;
  for (const char c : std::string(r.method) + std::string(r.path)) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word)
      out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  if (out.back() == '_') out.pop_back();
  return out;
}

json::object operation(const route& r) {
  std::string_view status;
  auto good = success(r, status);
  json::object refused{{"description", "refused, or not possible now"},
                       {"content", in_media("application/problem+json", reference("problem"))}};
  json::object out{
      {"operationId", operation_id(r)},
      {"summary", std::string(r.says)},
      {"responses",
       json::object{{std::string(status), std::move(good)}, {"4XX", refused}, {"5XX", refused}}}};
  if (auto parameters = parameters_of(r); !parameters.empty())
    out["parameters"] = std::move(parameters);
  if (r.needs == access::open)
    out["security"] = json::array{};
  else
    out["security"] = json::array{json::object{{"token", json::array{}}}};
  if (!r.body.empty()) {
    json::object members;
    each_word(r.body, [&](std::string_view name) { members[std::string(name)] = schema_of(name); });
    out["requestBody"] = json::object{
        {"content", in_media("application/json", json::object{{"type", "object"},
                                                              {"properties", std::move(members)},
                                                              {"additionalProperties", false}})}};
  }
  return out;
}

std::string lower(std::string_view method) {
  std::string out(method);
  for (char& c : out)
    c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

std::string make() {
  json::object paths;
  for (const route& r : routes()) {
    auto& methods = paths[std::string(r.path)];
    if (methods.is_null()) methods = json::object{};
    methods.as_object()[lower(r.method)] = operation(r);
  }
  const json::object out{
      {"openapi", "3.1.0"},
      {"info", json::object{{"title", "Tidemark's admin API"},
                            {"version", "1"},
                            {"description", "What the daemon knows, and what can be ordered."},
                            {"license", json::object{{"name", "MIT"}, {"identifier", "MIT"}}}}},
      {"servers", json::array{json::object{{"url", "/"}}}},
      {"security", json::array{json::object{{"token", json::array{}}}}},
      {"paths", std::move(paths)},
      {"components",
       json::object{{"securitySchemes",
                     json::object{{"token", json::object{{"type", "http"}, {"scheme", "bearer"}}}}},
                    {"schemas", json::parse(schema_json())}}}};
  return json::serialize(out);
}

} // namespace

const std::string& openapi() {
  static const std::string text = make();
  return text;
}

answer get_openapi(const call&) { return answer_json(openapi()); }

} // namespace tidemark::api
