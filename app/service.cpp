// SPDX-License-Identifier: MIT
#include "app/service.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace tidemark::app {
namespace {

constexpr int first_socket = 3; // SD_LISTEN_FDS_START

std::optional<std::int64_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::int64_t n = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, n);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(n) : std::nullopt;
}

/// The names of the sockets, taken ones empty. Read once.
std::vector<std::string>& sockets() {
  static std::vector<std::string> names = [] {
    std::vector<std::string> found;
    if (number_in("LISTEN_PID") != getpid()) return found;
    const auto count = number_in("LISTEN_FDS").value_or(0);
    const char* given = std::getenv("LISTEN_FDNAMES");
    std::string_view rest = given == nullptr ? "" : given;
    for (std::int64_t i = 0; i < count && i < 64; ++i) {
      const auto end = std::min(rest.find(':'), rest.size());
      found.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      fcntl(first_socket + static_cast<int>(i), F_SETFD, FD_CLOEXEC);
    }
    return found;
  }();
  return names;
}

} // namespace

void notify(std::string_view lines) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const auto length = std::strlen(path);
  if (length >= sizeof to.sun_path) return;
  std::memcpy(to.sun_path, path, length);
  if (path[0] == '@') to.sun_path[0] = '\0'; // an abstract name
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  // Whether anybody hears it is the manager's business.
  [[maybe_unused]] const auto sent =
      sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to),
             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
  close(fd);
}

void notify_reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto us = static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us));
}

std::optional<int> take_socket(std::string_view name) {
  auto& names = sockets();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name) continue;
    names[i].clear();
    return first_socket + static_cast<int>(i);
  }
  return std::nullopt;
}

std::optional<std::chrono::microseconds> watchdog_interval() {
  const auto pid = number_in("WATCHDOG_PID");
  const auto us = number_in("WATCHDOG_USEC");
  if (!us || *us <= 0 || (pid && *pid != getpid())) return std::nullopt;
  return std::chrono::microseconds(*us);
}

} // namespace tidemark::app
