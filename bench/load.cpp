// SPDX-License-Identifier: MIT
// Load for the ingest benchmark: keep-alive POSTs of signed webhooks of about 1 KB, each of another
// event, on a number of connections, as fast as they are answered. Prints one JSON line.

#include <boost/asio.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using clock_type = std::chrono::steady_clock;

struct plan {
  std::uint16_t port = 0;
  std::string path = "/hooks/bench", secret = "bench-secret";
  std::size_t connections = 64;
  double seconds = 10;
  std::uint64_t requests = 0; ///< 0: until the time is over
  std::uint64_t first =
      0; ///< number of the first event, so that runs do not repeat each other's bodies
};

struct totals {
  std::uint64_t ok = 0, refused = 0, broken = 0;
  std::vector<std::uint32_t> microseconds;
  std::vector<std::uint64_t> each_second;
};

std::string hex(std::uint64_t n, std::size_t digits) {
  std::string text(digits, '0');
  for (auto i = digits; i > 0 && n > 0; n >>= 4)
    text[--i] = "0123456789abcdef"[n & 15];
  return text;
}

/// An ADDRESS_ACTIVITY body as Alchemy sends it, padded to about 1 KB.
std::string body_of(std::uint64_t n) {
  const std::string tx = "0x" + hex(n * 0x9e3779b97f4a7c15ULL, 16) + hex(n, 48);
  const std::string block = "0x" + hex(n / 50 + 1, 64);
  return R"({"webhookId":"wh_bench","id":"whevt_)" + hex(n, 16) +
         R"(","createdAt":"2026-01-01T00:00:00.000Z","type":"ADDRESS_ACTIVITY","event":{"network":"ETH_MAINNET","activity":[{"blockNum":"0x121eac1","hash":")" +
         tx +
         R"(","fromAddress":"0x7afb84bbe6214c4dd90a6e17d9dc1d3c062b3438","toAddress":"0x47e19ef09f97f6c8fc4efa4e42ea61aa944cba92","value":293.09,"asset":"USDC","category":"token","rawContract":{"rawValue":"0x0000000000000000000000000000000000000000000000000000000011783b21","address":"0x710dc9059bee9f9becbd7dc437883139a402d4aa","decimals":6},"log":{"address":"0x710dc9059bee9f9becbd7dc437883139a402d4aa","topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef","0x0000000000000000000000007afb84bbe6214c4dd90a6e17d9dc1d3c062b3438","0x00000000000000000000000047e19ef09f97f6c8fc4efa4e42ea61aa944cba92"],"data":"0x0000000000000000000000000000000000000000000000000000000011783b21","blockNumber":"0x121eac1","transactionHash":")" +
         tx + R"(","transactionIndex":"0x3","blockHash":")" + block +
         R"(","logIndex":"0x6e","removed":false}}]}})";
}

std::string signature(const std::string& secret, const std::string& body) {
  std::array<unsigned char, 32> mac{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(body.data()), body.size(), mac.data(), &size);
  std::string out;
  for (const auto b : mac)
    out += hex(b, 2);
  return out;
}

struct shared_state {
  const plan& p;
  totals& sum;
  std::uint64_t next;
  clock_type::time_point began, until;
};

class connection : public std::enable_shared_from_this<connection> {
public:
  connection(asio::io_context& io, shared_state& s) : socket_(io), shared_(s) {}

  void start() {
    socket_.connect({asio::ip::address_v4::loopback(), shared_.p.port});
    socket_.set_option(tcp::no_delay(true));
    send();
  }

private:
  void send() {
    const auto& p = shared_.p;
    if (clock_type::now() >= shared_.until ||
        (p.requests > 0 && shared_.next - p.first >= p.requests))
      return socket_.close();
    const auto body = body_of(shared_.next++);
    out_ =
        "POST " + p.path +
        " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Alchemy-Signature: " +
        signature(p.secret, body) + "\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    sent_ = clock_type::now();
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
    const auto at = in_.find("Content-Length: ");
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
          std::chrono::duration_cast<std::chrono::microseconds>(now - sent_).count()));
      const auto second = static_cast<std::size_t>(
          std::chrono::duration_cast<std::chrono::seconds>(now - shared_.began).count());
      if (sum.each_second.size() <= second) sum.each_second.resize(second + 1);
      ++sum.each_second[second];
    } else {
      ++sum.refused;
    }
    send();
  }

  void broke() { ++shared_.sum.broken; }

  tcp::socket socket_;
  shared_state& shared_;
  std::string out_, in_;
  clock_type::time_point sent_;
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
  }
  return p;
}

} // namespace

int main(int argc, char** argv) {
  const auto p = read_plan(argc, argv);
  totals sum;
  const auto began = clock_type::now();
  shared_state s{p, sum, p.first, began,
                 began + std::chrono::microseconds(static_cast<std::int64_t>(p.seconds * 1e6))};
  asio::io_context io(1);
  for (std::size_t i = 0; i < p.connections; ++i)
    std::make_shared<connection>(io, s)->start();
  io.run();
  const double took = std::chrono::duration<double>(clock_type::now() - began).count();
  std::sort(sum.microseconds.begin(), sum.microseconds.end());
  const auto tenth = std::max<std::size_t>(sum.each_second.size() / 10, 1);
  std::uint64_t first = 0, last = 0;
  for (std::size_t i = 0; i < tenth && i < sum.each_second.size(); ++i) {
    first += sum.each_second[i];
    last += sum.each_second[sum.each_second.size() - 1 - i];
  }
  std::printf("{\"requests\":%llu,\"refused\":%llu,\"broken\":%llu,\"seconds\":%.2f,\"per_second\":"
              "%.0f,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"p999_ms\":%.2f,\"max_ms\":%.2f,"
              "\"first_tenth\":%.0f,\"last_tenth\":%.0f,\"next\":%llu}\n",
              static_cast<unsigned long long>(sum.ok), static_cast<unsigned long long>(sum.refused),
              static_cast<unsigned long long>(sum.broken), took, static_cast<double>(sum.ok) / took,
              at_share(sum.microseconds, 0.5), at_share(sum.microseconds, 0.99),
              at_share(sum.microseconds, 0.999), at_share(sum.microseconds, 1),
              static_cast<double>(first) / static_cast<double>(tenth),
              static_cast<double>(last) / static_cast<double>(tenth),
              static_cast<unsigned long long>(s.next));
  return sum.broken > 0 ? 1 : 0;
}
