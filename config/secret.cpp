// SPDX-License-Identifier: MIT
#include "config/readers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tidemark::config {
namespace {

constexpr std::size_t max_secret = std::size_t{64} * 1024;

class descriptor {
public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }

private:
  int fd_;
};

evm::error system_error(const std::filesystem::path& path) {
  return evm::fail("cannot read " + path.string() + ": " + std::strerror(errno));
}

/// `guarded`: a file that others may read is refused, since then it is no secret.
evm::result<std::string> read_secret(const std::filesystem::path& path, bool guarded) {
  // Non-blocking, so that a named pipe does not hold up the start.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) return system_error(path);
  if (!S_ISREG(about.st_mode)) return evm::fail(path.string() + " is no regular file");
  if (guarded && (about.st_mode & S_IROTH) != 0) {
    return evm::fail("others may read " + path.string() + "; chmod o-rwx it");
  }
  std::string out(max_secret + 1, '\0');
  std::size_t size = 0;
  while (size < out.size()) {
    const auto n = ::read(file.get(), out.data() + size, out.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(path);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  if (size > max_secret) return evm::fail(path.string() + " is larger than 64KiB");
  out.resize(size);
  return out;
}

evm::result<std::string> read_credential(const reading& r, const std::string& name) {
  if (name.find('/') != name.npos || name == "." || name == "..") {
    return evm::fail("a credential's name is no path");
  }
  const auto folder = r.env("CREDENTIALS_DIRECTORY");
  if (!folder || folder->empty()) {
    return evm::fail("there are no credentials: systemd did not set CREDENTIALS_DIRECTORY");
  }
  // systemd keeps them from others by the folder's own mode.
  return read_secret(std::filesystem::path(*folder) / name, false);
}

/// Not empty, and without the line break that editors and `echo` put behind it.
std::optional<std::string> filled(const value& v, evm::result<std::string> secret) {
  if (!secret) {
    v.wrong(secret.error().text);
    return std::nullopt;
  }
  for (const std::string_view line_break : {"\r\n", "\n"}) {
    if (!secret->ends_with(line_break)) continue;
    secret->resize(secret->size() - line_break.size());
    break;
  }
  if (secret->empty()) {
    v.wrong("the secret is empty");
    return std::nullopt;
  }
  return std::move(*secret);
}

} // namespace

std::optional<std::string> as_secret(const value& v) {
  if (v.is_text()) {
    auto text = v.text();
    if (!text) return std::nullopt;
    return filled(v, std::move(*text));
  }
  if (!v.is_map()) {
    v.wrong("expected a secret: a text, {file: PATH} or {credential: NAME}");
    return std::nullopt;
  }
  section s(v);
  const auto file = s.find("file");
  const auto credential = s.find("credential");
  if (!file == !credential) {
    v.wrong("expected one of file and credential");
    return std::nullopt;
  }
  const auto name = as_filled(file ? *file : *credential);
  if (!name) return std::nullopt;
  return filled(v, file ? read_secret(v.in().beside_file(*name), true)
                        : read_credential(v.in(), *name));
}

std::vector<given_secret> read_secrets(section& s, bool optional) {
  const auto one = s.find("secret");
  const auto several = s.find("secrets");
  std::vector<value> places;
  if (one && several)
    several->wrong("give secret or secrets, not both");
  else if (one)
    places.push_back(*one);
  else if (several)
    places = several->items();
  else if (s.of().is_map() && !optional)
    s.of().wrong("'secret' is missing");
  if (several && several->is_list() && several->items().empty()) several->wrong("is empty");
  std::vector<given_secret> out;
  for (const auto& v : places) {
    if (auto text = as_secret(v)) out.push_back({v, std::move(*text)});
  }
  return out;
}

} // namespace tidemark::config
