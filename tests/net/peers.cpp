// SPDX-License-Identifier: MIT
#include "tests/net/peers.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <zlib.h>

namespace tidemark::tests {
namespace {

void must(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

std::size_t length_in(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 16, nullptr, 10);
}

} // namespace

raw_socket::raw_socket(int descriptor) : descriptor_(descriptor) {
  const timeval limit{5, 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int on = 1;
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

raw_socket raw_socket::connect(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in to = loopback(port);
  must(::connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0, "connect");
  return raw_socket(descriptor);
}

raw_socket::raw_socket(raw_socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), kept_(std::move(other.kept_)) {}

raw_socket::~raw_socket() { close(); }

bool raw_socket::send(std::string_view text) {
  while (!text.empty()) {
    const auto n = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void raw_socket::end_sending() { shutdown(descriptor_, SHUT_WR); }

void raw_socket::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void raw_socket::reset() {
  const linger at_once{1, 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

std::string raw_socket::read_some() {
  if (!kept_.empty()) return std::exchange(kept_, {});
  std::string out(16 * 1024, '\0');
  const auto n = recv(descriptor_, out.data(), out.size(), 0);
  timed_out_ = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  out.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return out;
}

std::string raw_socket::read_to_end() {
  std::string out;
  for (std::string piece = read_some(); !piece.empty(); piece = read_some())
    out += piece;
  return out;
}

std::string raw_socket::read_message() {
  std::string out;
  std::size_t whole = std::string::npos;
  while (whole == std::string::npos || out.size() < whole) {
    const std::string piece = read_some();
    if (piece.empty()) return out;
    out += piece;
    const auto end = out.find("\r\n\r\n");
    if (end != std::string::npos) whole = end + 4 + length_in(out.substr(0, end + 2));
  }
  kept_ = out.substr(whole);
  out.resize(whole);
  return out;
}

answer parse_answer(const std::string& text) {
  answer out;
  if (text.rfind("HTTP/1.1 ", 0) != 0) return out;
  out.status = static_cast<unsigned>(std::strtoul(text.c_str() + 9, nullptr, 10));
  const auto end = text.find("\r\n\r\n");
  out.head = text.substr(0, end);
  if (end != std::string::npos) out.body = text.substr(end + 4);
  return out;
}

script_server::script_server(script s) : script_(std::move(s)) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at = loopback(0);
  socklen_t size = sizeof at;
  must(bind(listener_, reinterpret_cast<const sockaddr*>(&at), size) == 0, "bind");
  must(listen(listener_, 64) == 0, "listen");
  must(getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) == 0, "getsockname");
  port_ = ntohs(at.sin_port);
  accepting_ = std::thread([this] { run(); });
}

void script_server::run() {
  for (;;) {
    const int peer = accept(listener_, nullptr, nullptr);
    if (peer < 0) return;
    const int nth = count_++;
    talks_.emplace_back([this, peer, nth] {
      raw_socket s(peer);
      script_(s, nth);
    });
  }
}

script_server::~script_server() {
  shutdown(listener_, SHUT_RDWR); // wakes the accept
  accepting_.join();
  ::close(listener_);
  for (auto& t : talks_)
    t.join();
}

certificate::certificate(const std::string& alt) {
  std::string name = std::filesystem::temp_directory_path() / "tidemark-tls-XXXXXX";
  must(mkdtemp(name.data()) != nullptr, "mkdtemp");
  folder_ = name;

  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> cert(X509_new(), X509_free);
  must(key != nullptr && cert != nullptr, "key");
  X509_set_version(cert.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
  X509_set_pubkey(cert.get(), key.get());
  X509_NAME* const subject = X509_get_subject_name(cert.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
  X509_set_issuer_name(cert.get(), subject);
  X509_EXTENSION* const extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alt.c_str());
  must(extension != nullptr && X509_add_ext(cert.get(), extension, -1) == 1, "extension");
  X509_EXTENSION_free(extension);
  must(X509_sign(cert.get(), key.get(), EVP_sha256()) != 0, "sign");

  const std::unique_ptr<FILE, decltype(&fclose)> c(fopen(cert_file().c_str(), "w"), fclose);
  const std::unique_ptr<FILE, decltype(&fclose)> k(fopen(key_file().c_str(), "w"), fclose);
  must(c && k && PEM_write_X509(c.get(), cert.get()) == 1, "certificate file");
  must(PEM_write_PrivateKey(k.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
       "key file");
}

certificate::~certificate() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string gzip(const std::string& text) {
  z_stream z{};
  must(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "deflate");
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  must(deflate(&z, Z_FINISH) == Z_STREAM_END, "deflate");
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

bool eventually(const std::function<bool()>& true_now) {
  for (int i = 0; i < 1000; ++i) {
    if (true_now()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

} // namespace tidemark::tests
