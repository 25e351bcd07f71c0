// SPDX-License-Identifier: MIT
#include "config/readers.hpp"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::config {
namespace {

/// What the files say is OpenSSL's to judge, at the start and at each reload.
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

} // namespace

std::optional<tls_files> as_tls(const value& v) {
  tls_files out;
  section s(v);
  s.need("cert", out.cert, [](const value& x) { return as_pem(x, false); });
  s.need("key", out.key, [](const value& x) { return as_pem(x, true); });
  if (out.cert.empty() || out.key.empty()) return std::nullopt;
  return out;
}

} // namespace tidemark::config
