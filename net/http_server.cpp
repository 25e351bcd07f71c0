// SPDX-License-Identifier: MIT
#include "net/http_server.hpp"

#include "net/server_core.hpp"
#include "net/server_session.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <sys/socket.h>

namespace tidemark::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

/// Connections over the limit that are told so; any more are just closed.
constexpr std::size_t refused_at_once = 64;

milliseconds sweep_interval(const server_limits& l) {
  milliseconds shortest{1'000};
  for (const auto t : {l.header, l.body, l.idle, l.answer})
    if (t > milliseconds::zero()) shortest = std::min(shortest, t);
  return std::max(shortest / 4, milliseconds{5});
}

} // namespace

std::optional<std::string_view> request::header(std::string_view name) const {
  const std::string* const found = find_header(headers, name);
  return found == nullptr ? std::nullopt : std::optional<std::string_view>(*found);
}

server_core::server_core(asio::io_context& context, const server_limits& l,
                         http_server::head_check head, http_server::handler whole,
                         std::shared_ptr<const tls_context> certificates,
                         http_server::refusal refused)
    : io(context), limits(l), on_head(std::move(head)), on_request(std::move(whole)),
      on_refused(std::move(refused)), budget(std::make_shared<byte_budget>(l.max_in_flight_bytes)),
      strand_(asio::make_strand(context)), acceptor_(strand_), retry_(strand_), sweep_(strand_),
      sweep_every_(sweep_interval(l)), tls_(std::move(certificates)) {}

evm::result<std::uint16_t> server_core::listen(const std::string& address, std::uint16_t port) {
  error_code ec;
  const auto ip = asio::ip::make_address(address, ec);
  if (ec) return evm::fail("no IP address: " + address);
  const tcp::endpoint where(ip, port);
  acceptor_.open(where.protocol(), ec);
  if (!ec) acceptor_.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec) acceptor_.bind(where, ec);
  if (!ec) acceptor_.listen(asio::socket_base::max_listen_connections, ec);
  const auto bound = ec ? where : acceptor_.local_endpoint(ec);
  if (ec) {
    error_code ignored;
    acceptor_.close(ignored);
    return evm::fail("cannot listen on " + address + " port " + std::to_string(port) + ": " +
                     ec.message());
  }
  asio::post(strand_, [self = shared_from_this()] { self->accept(); });
  return bound.port();
}

evm::result<std::uint16_t> server_core::adopt(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  int listens = 0;
  socklen_t flag_size = sizeof listens;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0 ||
      ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &flag_size) != 0 || listens == 0 ||
      (bound.ss_family != AF_INET && bound.ss_family != AF_INET6))
    return evm::fail("descriptor " + std::to_string(socket) + " is no TCP socket that listens");
  error_code ec;
  acceptor_.assign(bound.ss_family == AF_INET ? tcp::v4() : tcp::v6(), socket, ec);
  const auto where = ec ? tcp::endpoint() : acceptor_.local_endpoint(ec);
  if (ec)
    return evm::fail("cannot take over descriptor " + std::to_string(socket) + ": " + ec.message());
  asio::post(strand_, [self = shared_from_this()] { self->accept(); });
  return where.port();
}

std::shared_ptr<const tls_context> server_core::tls() const {
  const std::lock_guard lock(mutex_);
  return tls_;
}

void server_core::set_tls(std::shared_ptr<const tls_context> certificates) {
  const std::lock_guard lock(mutex_);
  if (tls_ && certificates) tls_.swap(certificates);
}

void server_core::accept() {
  if (draining_ || !acceptor_.is_open()) return;
  acceptor_.async_accept(io, [self = shared_from_this()](const error_code& ec, tcp::socket socket) {
    self->accepted(ec, std::move(socket));
  });
}

void server_core::accepted(const error_code& ec, tcp::socket socket) {
  if (draining_ || ec == asio::error::operation_aborted) return;
  if (ec) {
    // Out of descriptors, mostly: the connection stays in the backlog and would be offered again at
    // once.
    retry_.expires_after(milliseconds{100});
    retry_.async_wait([self = shared_from_this()](const error_code& e) {
      if (!e) self->accept();
    });
    return;
  }
  const std::size_t open = connections();
  if (open < limits.max_connections + refused_at_once)
    std::make_shared<server_session>(shared_from_this(), std::move(socket))
        ->start(open >= limits.max_connections);
  if (!sweeping_) wait_and_sweep();
  accept();
}

void server_core::wait_and_sweep() {
  sweeping_ = true;
  sweep_.expires_after(sweep_every_);
  sweep_.async_wait([self = shared_from_this()](const error_code& ec) {
    if (!ec) self->sweep();
  });
}

void server_core::sweep() {
  const auto now = server_session::clock::now();
  const auto open = sessions();
  for (const auto& s : open)
    s->check_time(now);
  sweeping_ = false;
  if (!open.empty()) wait_and_sweep(); // an idle daemon does not wake up
}

void server_core::stop_accepting() {
  draining_ = true;
  asio::post(strand_, [self = shared_from_this()] {
    error_code ignored;
    self->acceptor_.close(ignored);
    self->retry_.cancel();
  });
  for (const auto& s : sessions())
    s->end_if_idle();
}

void server_core::close_all() {
  for (const auto& s : sessions())
    s->cut();
}

std::vector<std::shared_ptr<server_session>> server_core::sessions() const {
  std::vector<std::shared_ptr<server_session>> out;
  const std::lock_guard lock(mutex_);
  out.reserve(sessions_.size());
  for (server_session* const s : sessions_)
    if (auto alive = s->weak_from_this().lock()) out.push_back(std::move(alive));
  return out;
}

std::size_t server_core::connections() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

void server_core::add(server_session* s) {
  const std::lock_guard lock(mutex_);
  sessions_.insert(s);
}

void server_core::remove(server_session* s) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(s);
}

http_server::http_server(asio::io_context& io, const server_limits& limits, head_check on_head,
                         handler on_request, std::shared_ptr<const tls_context> tls,
                         refusal on_refused)
    : core_(std::make_shared<server_core>(io, limits, std::move(on_head), std::move(on_request),
                                          std::move(tls), std::move(on_refused))) {}

http_server::~http_server() {
  stop_accepting();
  close_all();
}

evm::result<std::uint16_t> http_server::listen(const std::string& address, std::uint16_t port) {
  return core_->listen(address, port);
}
evm::result<std::uint16_t> http_server::adopt(int socket) { return core_->adopt(socket); }
void http_server::set_tls(std::shared_ptr<const tls_context> tls) {
  core_->set_tls(std::move(tls));
}
void http_server::stop_accepting() { core_->stop_accepting(); }
void http_server::close_all() { core_->close_all(); }
std::size_t http_server::open_requests() const { return core_->open_requests; }
std::size_t http_server::open_connections() const { return core_->connections(); }
std::size_t http_server::in_flight_bytes() const { return core_->budget->used(); }

} // namespace tidemark::net
