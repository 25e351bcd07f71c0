// SPDX-License-Identifier: MIT
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace tidemark::tide {

/// A pass over the chain, written as one function that waits in the middle. It starts when it is
/// awaited or `start`ed, runs on whoever resumes it, and may be destroyed at any wait: what it held
/// goes with it. Nothing in it may throw.
template <class T> class [[nodiscard]] task {
public:
  struct promise_type {
    std::optional<T> value;
    std::coroutine_handle<> parent;

    task get_return_object() {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return back_to_parent{}; }
    void return_value(T v) { value.emplace(std::move(v)); }
    void unhandled_exception() noexcept { std::terminate(); }
  };

  task() = default;
  task(task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~task() {
    if (handle_) handle_.destroy();
  }

  explicit operator bool() const { return static_cast<bool>(handle_); }
  void start() { handle_.resume(); }
  bool done() const { return handle_ && handle_.done(); }
  T take() { return std::move(*handle_.promise().value); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) noexcept {
    handle_.promise().parent = parent;
    return handle_;
  }
  T await_resume() { return take(); }

private:
  struct back_to_parent {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) const noexcept {
      const auto parent = h.promise().parent;
      return parent ? parent : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };
  explicit task(std::coroutine_handle<promise_type> h) : handle_(h) {}

  std::coroutine_handle<promise_type> handle_;
};

} // namespace tidemark::tide
