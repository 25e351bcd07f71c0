// SPDX-License-Identifier: MIT
// Load for the benchmarks: keep-alive POSTs of signed bodies, each of another event, on a number of
// connections, as fast as they are answered; or, with --rate, at fixed moments, where a time counts
// from the moment at which a request was due, sent or not. Prints one JSON line.
#include "load_bodies.hpp"

#include <boost/asio.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace tidemark::bench;
using tcp = asio::ip::tcp;
using clock_type = std::chrono::steady_clock;

struct plan {
  std::uint16_t port = 0;
  std::string path = "/hooks/bench", secret = "bench-secret", body = "alchemy";
  std::size_t size = 1 << 20;   ///< of a quicknode body, inflated
  std::uint64_t duplicates = 0; ///< so many in a hundred came before
  double rate = 0;              ///< requests a second; 0: as fast as they are answered
  std::size_t connections = 64;
  double seconds = 10;
  std::uint64_t requests = 0; ///< 0: until the time is over
  std::uint64_t first =
      0; ///< number of the first event, so that runs do not repeat each other's bodies
};

struct totals {
  std::uint64_t ok = 0, refused = 0, broken = 0;
  double longest_stall_ms = 0; ///< in which nothing was answered
  std::vector<std::uint32_t> microseconds;
  std::vector<std::uint64_t> each_second;
};

struct shared_state {
  const plan& p;
  const body_maker& bodies;
  totals& sum;
  std::uint64_t next; ///< the first event that was not sent yet
  std::uint64_t sent; ///< requests
  clock_type::time_point began, until, last_answer;

  /// The number of the event to send now: a new one, or one of those that were answered already.
  std::uint64_t take() {
    const auto n = sent++;
    const auto old = next - p.first;
    constexpr std::uint64_t behind = 1'024; // more than can be in flight
    const auto dice = (n + 1) * 0x9e3779b97f4a7c15ULL;
    if (old > behind && (dice >> 32) % 100 < p.duplicates)
      return p.first + (dice >> 7) % (old - behind);
    return next++;
  }
};

class connection : public std::enable_shared_from_this<connection> {
public:
  connection(asio::io_context& io, shared_state& s) : socket_(io), timer_(io), shared_(s) {}

  void start() {
    socket_.connect({asio::ip::address_v4::loopback(), shared_.p.port});
    socket_.set_option(tcp::no_delay(true));
    next();
  }

private:
  void next() {
    const auto& p = shared_.p;
    if (p.requests > 0 && shared_.sent >= p.requests) return socket_.close();
    due_ = clock_type::now();
    if (p.rate > 0)
      due_ = shared_.began + std::chrono::microseconds(static_cast<std::int64_t>(
                                 1e6 * static_cast<double>(shared_.sent) / p.rate));
    if (due_ >= shared_.until) return socket_.close();
    const auto number = shared_.take();
    if (due_ <= clock_type::now()) return send(number);
    timer_.expires_at(due_);
    timer_.async_wait([self = shared_from_this(), number](const boost::system::error_code& ec) {
      if (!ec) self->send(number);
    });
  }

  void send(std::uint64_t number) {
    const auto made = shared_.bodies.make(number);
    out_ = "POST " + shared_.p.path +
           " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + made.headers +
           "Content-Length: " + std::to_string(made.body.size()) + "\r\n\r\n" + made.body;
    if (shared_.p.rate == 0) due_ = clock_type::now(); // making the body is not the server's time
    in_.clear();
    asio::async_write(
        socket_, asio::buffer(out_),
        [self = shared_from_this()](const boost::system::error_code& ec, std::size_t) {
          ec ? self->broke() : self->read();
        });
  }

  void read() {
    asio::async_read_until(
        socket_, asio::dynamic_buffer(in_), "\r\n\r\n",
        [self = shared_from_this()](const boost::system::error_code& ec, std::size_t head) {
          if (ec) return self->broke();
          self->read_body(head);
        });
  }

  void read_body(std::size_t head) {
    auto at = in_.find("Content-Length: ");
    if (at == std::string::npos) at = in_.find("content-length: ");
    const auto length =
        at == std::string::npos ? 0 : std::strtoull(in_.c_str() + at + 16, nullptr, 10);
    const auto whole = head + length;
    if (in_.size() >= whole) return done();
    asio::async_read(socket_, asio::dynamic_buffer(in_), asio::transfer_exactly(whole - in_.size()),
                     [self = shared_from_this()](const boost::system::error_code& ec, std::size_t) {
                       ec ? self->broke() : self->done();
                     });
  }

  void done() {
    auto& sum = shared_.sum;
    const auto now = clock_type::now();
    if (in_.compare(9, 3, "200") == 0) {
      ++sum.ok;
      sum.microseconds.push_back(static_cast<std::uint32_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(now - due_).count()));
      if (shared_.last_answer != clock_type::time_point{})
        sum.longest_stall_ms =
            std::max(sum.longest_stall_ms,
                     std::chrono::duration<double, std::milli>(now - shared_.last_answer).count());
      shared_.last_answer = now;
      const auto second = static_cast<std::size_t>(
          std::chrono::duration_cast<std::chrono::seconds>(now - shared_.began).count());
      if (sum.each_second.size() <= second) sum.each_second.resize(second + 1);
      ++sum.each_second[second];
    } else {
      ++sum.refused;
    }
    next();
  }

  void broke() { ++shared_.sum.broken; }

  tcp::socket socket_;
  asio::steady_timer timer_;
  shared_state& shared_;
  std::string out_, in_;
  clock_type::time_point due_;
};

double at_share(std::vector<std::uint32_t>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(sorted.size())))] /
         1'000.0;
}

plan read_plan(int argc, char** argv) {
  plan p;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--port")
      p.port = static_cast<std::uint16_t>(std::stoul(value));
    else if (name == "--path")
      p.path = value;
    else if (name == "--connections")
      p.connections = std::stoul(value);
    else if (name == "--seconds")
      p.seconds = std::stod(value);
    else if (name == "--requests")
      p.requests = std::stoull(value);
    else if (name == "--first")
      p.first = std::stoull(value);
    else if (name == "--body")
      p.body = value;
    else if (name == "--size")
      p.size = std::stoul(value);
    else if (name == "--duplicates")
      p.duplicates = std::stoull(value);
    else if (name == "--rate")
      p.rate = std::stod(value);
  }
  return p;
}

} // namespace

int main(int argc, char** argv) {
  const auto p = read_plan(argc, argv);
  const auto bodies = maker_of(p.body, p.secret, p.size);
  if (!bodies) {
    std::fprintf(stderr, "bench_load: no body '%s'; there are alchemy, moralis, quicknode, event\n",
                 p.body.c_str());
    return 2;
  }
  totals sum;
  const auto began = clock_type::now();
  shared_state s{p,
                 *bodies,
                 sum,
                 p.first,
                 0,
                 began,
                 began + std::chrono::microseconds(static_cast<std::int64_t>(p.seconds * 1e6)),
                 {}};
  asio::io_context io(1);
  for (std::size_t i = 0; i < p.connections; ++i)
    std::make_shared<connection>(io, s)->start();
  io.run();
  const double took = std::chrono::duration<double>(clock_type::now() - began).count();
  std::sort(sum.microseconds.begin(), sum.microseconds.end());
  if (sum.each_second.size() > 1) sum.each_second.pop_back(); // not a whole one
  const auto tenth = std::max<std::size_t>(sum.each_second.size() / 10, 1);
  std::uint64_t first = 0, last = 0;
  for (std::size_t i = 0; i < tenth && i < sum.each_second.size(); ++i) {
    first += sum.each_second[i];
    last += sum.each_second[sum.each_second.size() - 1 - i];
  }
  std::printf("{\"requests\":%llu,\"refused\":%llu,\"broken\":%llu,\"seconds\":%.2f,\"per_second\":"
              "%.0f,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"p999_ms\":%.2f,\"max_ms\":%.2f,"
              "\"longest_stall_ms\":%.1f,\"first_tenth\":%.0f,\"last_tenth\":%.0f,\"next\":%llu}\n",
              static_cast<unsigned long long>(sum.ok), static_cast<unsigned long long>(sum.refused),
              static_cast<unsigned long long>(sum.broken), took, static_cast<double>(sum.ok) / took,
              at_share(sum.microseconds, 0.5), at_share(sum.microseconds, 0.99),
              at_share(sum.microseconds, 0.999), at_share(sum.microseconds, 1),
              sum.longest_stall_ms, static_cast<double>(first) / static_cast<double>(tenth),
              static_cast<double>(last) / static_cast<double>(tenth),
              static_cast<unsigned long long>(s.next));
  return sum.broken > 0 ? 1 : 0;
}
