// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

// What systemd is told, and what it hands over (sd_notify(3), sd_listen_fds(3)). Without systemd
// all of it does nothing.

namespace tidemark::app {

/// One message of lines NAME=VALUE to the service manager. Any thread.
void notify(std::string_view lines);
/// RELOADING needs the time at which it began, by the clock that the manager uses.
void notify_reloading();

/// The socket that the manager holds for us under this name (FileDescriptorName=); once: it is the
/// caller's from then on.
std::optional<int> take_socket(std::string_view name);

/// How often the manager wants to hear that all is well; absent: it does not.
std::optional<std::chrono::microseconds> watchdog_interval();

} // namespace tidemark::app
