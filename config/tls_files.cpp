// SPDX-License-Identifier: MIT
#include "config/readers.hpp"
#include "config/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::config {
namespace {

std::optional<std::filesystem::path> as_pem(const value& v, bool secret) {
  const auto name = as_filled(v);
  if (!name) return std::nullopt;
  const auto path = v.in().beside_file(*name);
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || ::access(path.c_str(), R_OK) != 0) {
    v.wrong("cannot read " + path.string() + ": " + std::strerror(errno));
    return std::nullopt;
  }
  if (!S_ISREG(about.st_mode)) {
    v.wrong(path.string() + " is no regular file");
    return std::nullopt;
  }
  if (secret && (about.st_mode & S_IROTH) != 0) {
    v.wrong("others may read " + path.string() + "; chmod o-rwx it");
    return std::nullopt;
  }
  return path;
}

/// What the files themselves say, if somebody here can tell.
void judge(const value& v, const client_tls_section& files, bool shown) {
  if (v.in().judge_tls == nullptr) return;
  if (const auto wrong = v.in().judge_tls(files, shown); !wrong.empty()) v.wrong(wrong);
}

} // namespace

std::optional<tls_files> as_tls(const value& v) {
  tls_files out;
  section s(v);
  s.need("cert", out.cert, [](const value& x) { return as_pem(x, false); });
  s.need("key", out.key, [](const value& x) { return as_pem(x, true); });
  if (out.cert.empty() || out.key.empty()) return std::nullopt;
  judge(v, {{}, out.cert, out.key}, true);
  return out;
}

std::optional<client_tls_section> as_client_tls(const value& v) {
  client_tls_section out;
  section s(v);
  const auto before = v.in().problems.size();
  const auto pem = [&out](bool secret) {
    return [&out, secret](const value& x) -> std::optional<std::filesystem::path> {
      auto path = as_pem(x, secret);
      if (!path) return std::nullopt;
      const auto text = read_text_file(*path, mib);
      if (!text) {
        x.wrong(text.error().text);
        return std::nullopt;
      }
      out.contents = out.contents * 31 + std::hash<std::string>{}(*text);
      return path;
    };
  };
  s.read("ca", out.ca, pem(false));
  s.read("cert", out.cert, pem(false));
  s.read("key", out.key, pem(true));
  if (v.has_key("cert") != v.has_key("key")) v.wrong("cert and key go together");
  if (out.given() && v.in().problems.size() == before) judge(v, out, false);
  return out;
}

} // namespace tidemark::config
