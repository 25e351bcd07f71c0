// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tidemark::net {

/// A body without an end, between whoever writes it and the connection that sends it. Any thread.
/// A reader that is slower than what is written is cut, so that it costs no more than `most` bytes.
class stream_body {
public:
  static constexpr std::size_t most = std::size_t{256} * 1024;

  /// Appends. False: nobody reads any more, or too slowly, and the connection is ended. A piece of
  /// any size is taken while nothing else waits.
  bool push(std::string_view bytes);
  /// What waits is not sent any more; the connection is ended.
  void end();
  bool ended() const;
  /// Calls back once, when nothing waits to be sent: at once where that is so already. It must not
  /// block, and is called on the thread that pushes or on an I/O thread; never after the end.
  void when_empty(std::function<void()> then);

  // The connection's side: one piece at a time
  /// `wake` says that there is something to take, or that it has ended; called on any thread.
  void attach(std::function<void()> wake);
  /// What is to be sent next; empty: nothing now, `wake` will say so.
  std::string take();
  /// There is something to take, or it has ended.
  bool wants_taking() const;
  void gone(); ///< the connection is closed

private:
  void wake_reader(std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;
  std::string waiting_;
  std::function<void()> wake_, then_;
  bool taking_ = false; ///< a piece is being sent
  bool ended_ = false;
};

} // namespace tidemark::net
