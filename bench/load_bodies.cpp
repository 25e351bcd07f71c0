// SPDX-License-Identifier: MIT
#include "load_bodies.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <zlib.h>

#include <array>
#include <ctime>

namespace tidemark::bench {
namespace {

constexpr const char* token = "0x710dc9059bee9f9becbd7dc437883139a402d4aa";
constexpr const char* from = "0x7afb84bbe6214c4dd90a6e17d9dc1d3c062b3438";
constexpr const char* to = "0x47e19ef09f97f6c8fc4efa4e42ea61aa944cba92";
constexpr const char* amount = "0x0000000000000000000000000000000000000000000000000000000011783b21";
constexpr const char* transfer =
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

std::string hex(std::uint64_t n, std::size_t digits) {
  std::string text(digits, '0');
  for (auto i = digits; i > 0 && n > 0; n >>= 4)
    text[--i] = "0123456789abcdef"[n & 15];
  return text;
}

/// Not alike in any part, so that an index by them is as random as on a chain.
std::string hash_text(std::uint64_t n, std::uint64_t kind) {
  std::string text = "0x";
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::uint64_t x = (n + 1) * 0x9e3779b97f4a7c15ULL + (kind * 4 + i) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    text += hex(x ^ (x >> 31), 16);
  }
  return text;
}

std::string as_topic(const char* address) { return "0x" + std::string(24, '0') + (address + 2); }

/// As eth_getLogs gives one.
std::string log_text(const std::string& tx, const std::string& block, std::uint64_t index) {
  return std::string(R"({"address":")") + token + R"(","topics":[")" + transfer + R"(",")" +
         as_topic(from) + R"(",")" + as_topic(to) + R"("],"data":")" + amount +
         R"(","blockNumber":"0x121eac1","transactionHash":")" + tx +
         R"(","transactionIndex":"0x3","blockHash":")" + block + R"(","logIndex":"0x)" +
         hex(index, 4).erase(0, index < 16     ? 3
                                : index < 256  ? 2
                                : index < 4096 ? 1
                                               : 0) +
         R"(","removed":false})";
}

std::string hmac_hex(const std::string& secret, const std::string& text) {
  std::array<unsigned char, 32> mac{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size);
  return evm::to_hex({mac.data(), mac.size()}).substr(2);
}

class alchemy : public body_maker {
public:
  explicit alchemy(std::string secret) : secret_(std::move(secret)) {}

  signed_body make(std::uint64_t n) const override {
    const auto tx = hash_text(n, 0);
    auto body =
        R"({"webhookId":"wh_bench","id":"whevt_)" + hex(n, 16) +
        R"(","createdAt":"2026-01-01T00:00:00.000Z","type":"ADDRESS_ACTIVITY","event":{"network":"ETH_MAINNET","activity":[{"blockNum":"0x121eac1","hash":")" +
        tx + R"(","fromAddress":")" + from + R"(","toAddress":")" + to +
        R"(","value":293.09,"asset":"USDC","category":"token","rawContract":{"rawValue":")" +
        amount + R"(","address":")" + token + R"(","decimals":6},"log":)" +
        log_text(tx, hash_text(n / 50, 1), 110) + "}]}}";
    auto headers = "X-Alchemy-Signature: " + hmac_hex(secret_, body) + "\r\n";
    return {std::move(headers), std::move(body)};
  }

private:
  std::string secret_;
};

class moralis : public body_maker {
public:
  explicit moralis(std::string secret) : secret_(std::move(secret)) {}

  signed_body make(std::uint64_t n) const override {
    const auto tx = hash_text(n, 0);
    auto body =
        R"({"confirmed":true,"chainId":"0x1","abi":[],"streamId":"dab5f3cd-9db9-4700-87fa-2fd3d7c0aa4b","tag":"bench","retries":0,"block":{"number":"19000001","hash":")" +
        hash_text(n / 50, 1) +
        R"(","timestamp":"1767225590"},"logs":[{"logIndex":"135","transactionHash":")" + tx +
        R"(","address":")" + token + R"(","data":")" + amount + R"(","topic0":")" + transfer +
        R"(","topic1":")" + as_topic(from) + R"(","topic2":")" + as_topic(to) +
        R"(","topic3":null}],"txs":[],"txsInternal":[],"erc20Transfers":[{"transactionHash":")" +
        tx + R"(","logIndex":"135","contract":")" + token + R"(","from":")" + from + R"(","to":")" +
        to +
        R"(","value":"293090000","tokenName":"USD Coin","tokenSymbol":"USDC","tokenDecimals":"6","valueWithDecimals":"293.09","possibleSpam":false}],"erc20Approvals":[],"nftTokenApprovals":[],"nftApprovals":{"ERC721":[],"ERC1155":[]},"nftTransfers":[],"nativeBalances":[]})";
    auto headers =
        "X-Signature: " + evm::to_hex(evm::keccak256(std::string_view(body + secret_))) + "\r\n";
    return {std::move(headers), std::move(body)};
  }

private:
  std::string secret_;
};

/// A block's logs, the same in every body but for the last one: so the long part is deflated once,
/// up to a full flush, and each body's own end follows as a stored block.
class quicknode : public body_maker {
public:
  quicknode(std::string secret, std::size_t size)
      : secret_(std::move(secret)), at_(std::to_string(std::time(nullptr))) {
    text_ = R"({"data":[[[)";
    for (std::uint64_t i = 0; text_.size() < size; ++i)
      text_ += log_text(hash_text(i / 3, 2), hash_text(0, 3), i % 65'000) + ",";
    crc_ = crc32(0, reinterpret_cast<const Bytef*>(text_.data()), static_cast<uInt>(text_.size()));
    deflated_.resize(compressBound(text_.size()) + 64);
    z_stream z{};
    deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    z.next_in = reinterpret_cast<Bytef*>(text_.data());
    z.avail_in = static_cast<uInt>(text_.size());
    z.next_out = reinterpret_cast<Bytef*>(deflated_.data());
    z.avail_out = static_cast<uInt>(deflated_.size());
    deflate(&z, Z_FULL_FLUSH);
    deflated_.resize(deflated_.size() - z.avail_out);
    deflateEnd(&z);
  }

  signed_body make(std::uint64_t n) const override {
    const auto end =
        log_text(hash_text(n, 0), hash_text(n, 1), 65'001) +
        R"(]]],"metadata":{"batch_start_range":19000001,"network":"ethereum-mainnet","reorgs":null,"blocks_reorged":null}})";
    std::string body("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
    body += deflated_;
    body += '\x01'; // the last block, stored
    little_endian(body, end.size(), 2);
    little_endian(body, ~end.size(), 2);
    body += end;
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(end.data()), static_cast<uInt>(end.size()));
    little_endian(body, crc32_combine(crc_, crc, static_cast<z_off_t>(end.size())), 4);
    little_endian(body, text_.size() + end.size(), 4);
    const std::string nonce = "33fb71e5ab0d33f36fe8bdfc8bf816fd";
    auto headers = "Content-Encoding: gzip\r\nX-Qn-Nonce: " + nonce + "\r\nX-Qn-Timestamp: " + at_ +
                   "\r\nX-Qn-Signature: " + hmac_hex(secret_, nonce + at_ + text_ + end) + "\r\n";
    return {std::move(headers), std::move(body)};
  }

private:
  static void little_endian(std::string& out, std::uint64_t value, int octets) {
    for (int i = 0; i < octets; ++i, value >>= 8)
      out += static_cast<char>(value & 255);
  }

  std::string secret_, at_, text_, deflated_;
  uLong crc_ = 0;
};

class event : public body_maker {
public:
  signed_body make(std::uint64_t n) const override {
    const auto tx = hash_text(n, 0), block = hash_text(n / 50, 1);
    const auto id = "1_" + tx + "_110_" + block.substr(2, 16) + "_c1";
    auto body =
        R"({"specversion":"1.0","id":")" + id +
        R"(","source":"/tidemark/main/app","type":"tidemark.event.confirmed","subject":"1:)" + tx +
        R"(:110","time":"2026-11-29T10:00:11Z","datacontenttype":"application/json","dataschema":"urn:tidemark:event:1","subscription":"transfers","partitionkey":"1:)" +
        token + ":" + to + R"(","sequence":")" + std::string(4, '0') + hex(n, 16) +
        R"(","epoch":1,"data":{"event_id":"1:)" + tx + R"(:110","logical_id":"1:)" + tx +
        R"(:o0","version":2,"status":"confirmed","kind":"log","chain":"bench","chain_id":1,"subscriptions":["transfers"],"block":{"number":19000001,"hash":")" +
        block + R"(","timestamp":1790000000},"transaction":{"hash":")" + tx +
        R"(","index":3},"log_index":110,"address":")" + token + R"(","topics":[")" + transfer +
        R"(",")" + as_topic(from) + R"(",")" + as_topic(to) + R"("],"data":")" + amount +
        R"(","event":"Transfer","args":{"from":")" + from + R"(","to":")" + to +
        R"(","value":"293090000"},"confirmations":[{"policy":null,"blocks":1,"tag":null}],"head":19000002,"first_seen":"reconcile","replaces":null}})";
    auto headers = "webhook-id: " + id +
                   "\r\nwebhook-timestamp: 1790000000\r\nwebhook-signature: "
                   "v1,q8lQ8oOZbT1FhMnq0Pj9sxS8tNkGx2n4Jv3cVd5yWbE=\r\n";
    return {std::move(headers), std::move(body)};
  }
};

} // namespace

std::unique_ptr<body_maker> maker_of(const std::string& kind, const std::string& secret,
                                     std::size_t size) {
  if (kind == "alchemy") return std::make_unique<alchemy>(secret);
  if (kind == "moralis") return std::make_unique<moralis>(secret);
  if (kind == "quicknode") return std::make_unique<quicknode>(secret, size);
  if (kind == "event") return std::make_unique<event>();
  return nullptr;
}

} // namespace tidemark::bench
