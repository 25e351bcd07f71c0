// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tidemark::tests {

using namespace std::chrono_literals;

/// A blocking TCP socket that gives up after five seconds; its owner is one thread.
class raw_socket {
public:
  explicit raw_socket(int descriptor);
  /// To 127.0.0.1.
  static raw_socket connect(std::uint16_t port);
  raw_socket(raw_socket&& other) noexcept;
  raw_socket& operator=(raw_socket&&) = delete;
  ~raw_socket();

  bool send(std::string_view text);
  void end_sending();
  void close();
  /// Closes with a reset.
  void reset();
  /// What comes next; empty at the end, at a reset and after five seconds (timed_out()).
  std::string read_some();
  std::string read_to_end();
  bool timed_out() const { return timed_out_; }
  /// One message: head, and as many bytes as its Content-Length says. What is behind it stays for
  /// the next.
  std::string read_message();

private:
  int descriptor_;
  bool timed_out_ = false;
  std::string kept_;
};

struct answer {
  unsigned status = 0;
  std::string head;
  std::string body;
  bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};
/// Status 0 where the text is no answer.
answer parse_answer(const std::string& text);

/// A server that does what a test says, a thread a connection.
class script_server {
public:
  /// `nth` counts connections from 0.
  using script = std::function<void(raw_socket& peer, int nth)>;
  explicit script_server(script s);
  ~script_server();
  script_server(const script_server&) = delete;
  script_server& operator=(const script_server&) = delete;
  std::uint16_t port() const { return port_; }
  int connections() const { return count_; }

private:
  void run();
  script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> count_{0};
  std::vector<std::thread> talks_;
  std::thread accepting_;
};

/// A self-signed certificate for a host and its key, as PEM files that go away with this.
class certificate {
public:
  /// `alt` as OpenSSL writes it: "DNS:localhost" or "IP:127.0.0.1".
  explicit certificate(const std::string& alt);
  ~certificate();
  certificate(const certificate&) = delete;
  certificate& operator=(const certificate&) = delete;
  std::string cert_file() const { return folder_ + "/cert.pem"; }
  std::string key_file() const { return folder_ + "/key.pem"; }

private:
  std::string folder_;
};

std::string gzip(const std::string& text);

/// Looks every 5 ms for at most five seconds.
bool eventually(const std::function<bool()>& true_now);

} // namespace tidemark::tests
