// SPDX-License-Identifier: MIT
#include "beast_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace tidemark::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

constexpr std::chrono::seconds idle{600};
constexpr std::uint64_t largest_body = 64ULL * 1024 * 1024;

class session : public std::enable_shared_from_this<session> {
public:
  session(tcp::socket socket, const answering& answers)
      : stream_(std::move(socket)), answers_(answers) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(largest_body);
    stream_.expires_after(idle);
    http::async_read(stream_, buffer_, *parser_,
                     beast::bind_front_handler(&session::on_read, shared_from_this()));
  }

private:
  void on_read(beast::error_code ec, std::size_t) {
    if (ec) return;
    const auto& request = parser_->get();
    const auto target = request.target();
    auto said = answers_({target.data(), target.size()}, request.body());
    answer_ = {http::int_to_status(said.status), request.version()};
    answer_.set(http::field::content_type, "application/json");
    answer_.body() = std::move(said.body);
    answer_.keep_alive(request.keep_alive());
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
  const answering& answers_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> answer_;
};

void accept(asio::io_context& io, tcp::acceptor& acceptor, const answering& answers) {
  acceptor.async_accept(asio::make_strand(io), [&](beast::error_code ec, tcp::socket socket) {
    if (!ec) {
      socket.set_option(tcp::no_delay(true), ec);
      std::make_shared<session>(std::move(socket), answers)->read();
    }
    accept(io, acceptor, answers);
  });
}

} // namespace

int serve(std::uint16_t port, unsigned threads, const answering& answers) {
  try {
    asio::io_context io{static_cast<int>(threads)};
    tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), port});
    std::printf("listening on 127.0.0.1:%u\n", unsigned{acceptor.local_endpoint().port()});
    std::fflush(stdout);
    accept(io, acceptor, answers);
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back([&io] { io.run(); });
    io.run();
    for (auto& t : others)
      t.join();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cannot serve: %s\n", e.what());
  }
  return 1;
}

std::string text_option(int argc, char** argv, const char* name) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
  return {};
}

std::uint64_t option(int argc, char** argv, const char* name, std::uint64_t otherwise,
                     std::uint64_t most) {
  const std::string text = text_option(argc, argv, name);
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (*end == '\0' && value <= most) return value;
  std::fprintf(stderr, "%s: no number from 0 to %llu\n", name,
               static_cast<unsigned long long>(most));
  std::exit(2);
}

} // namespace tidemark::bench
