// SPDX-License-Identifier: MIT
// The ceiling of the ingest benchmark: what plain Beast does with the same HTTP on the same
// machine, and nothing behind it. Written by hand on purpose, not over net/, so that a fault there
// cannot lower the bar.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

namespace {

constexpr std::chrono::seconds idle{30};

class session : public std::enable_shared_from_this<session> {
public:
  explicit session(tcp::socket socket) : stream_(std::move(socket)) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(4 * 1024 * 1024);
    stream_.expires_after(idle);
    http::async_read(stream_, buffer_, *parser_,
                     beast::bind_front_handler(&session::on_read, shared_from_this()));
  }

private:
  void on_read(beast::error_code ec, std::size_t) {
    if (ec) return;
    answer_ = {http::status::ok, parser_->get().version()};
    answer_.set(http::field::content_type, "application/json");
    answer_.body() = R"({"id":1,"hints":1,"duplicate":false})";
    answer_.keep_alive(parser_->get().keep_alive());
    answer_.prepare_payload();
    http::async_write(stream_, answer_,
                      beast::bind_front_handler(&session::on_write, shared_from_this()));
  }

  void on_write(beast::error_code ec, std::size_t) {
    if (!ec && answer_.keep_alive())
      read();
    else
      stream_.socket().shutdown(tcp::socket::shutdown_send, ec);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> answer_;
};

void accept(asio::io_context& io, tcp::acceptor& acceptor) {
  acceptor.async_accept(asio::make_strand(io), [&](beast::error_code ec, tcp::socket socket) {
    if (!ec) {
      socket.set_option(tcp::no_delay(true), ec);
      std::make_shared<session>(std::move(socket))->read();
    }
    accept(io, acceptor);
  });
}

/// The value behind `name`, or `otherwise`; a value that is no number of 1 to 65535 (0 for the
/// port) ends the program.
unsigned option(int argc, char** argv, const char* name, unsigned otherwise) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], name) != 0) continue;
    char* end = nullptr;
    const unsigned long value = std::strtoul(argv[i + 1], &end, 10);
    if (*argv[i + 1] != '\0' && *end == '\0' && value <= 65535) return static_cast<unsigned>(value);
    std::fprintf(stderr, "%s: no number from 0 to 65535\n", name);
    std::exit(2);
  }
  return otherwise;
}

} // namespace

int main(int argc, char** argv) {
  if (argc % 2 == 0) {
    std::fprintf(stderr, "usage: bench_ceiling [--port N] [--threads N]\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(option(argc, argv, "--port", 0));
  const unsigned threads = option(argc, argv, "--threads", 2);
  try {
    asio::io_context io{static_cast<int>(threads)};
    tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), port});
    std::printf("listening on 127.0.0.1:%u\n", unsigned{acceptor.local_endpoint().port()});
    std::fflush(stdout);
    accept(io, acceptor);
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back([&io] { io.run(); });
    io.run();
    for (auto& t : others)
      t.join();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_ceiling: %s\n", e.what());
    return 1;
  }
}
