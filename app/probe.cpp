// SPDX-License-Identifier: MIT
#include "app/probe.hpp"

#include "evm/hex.hpp"
#include "net/http_client.hpp"
#include "net/io_threads.hpp"
#include "net/redaction.hpp"
#include "tide/rpc_json.hpp"
#include "tide/rpc_wire.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

namespace tidemark::app {
namespace {

constexpr std::uint64_t measured_blocks = 100;

/// One endpoint under question; `row` says what came of it.
class questioning {
public:
  questioning(const config::chain& chain, const config::endpoint& endpoint,
              net::http_client& client)
      : endpoint_(endpoint), client_(client) {
    row.chain = chain.name;
    row.endpoint = endpoint.name;
    expected_ = chain.id;
  }

  probed_endpoint row;

  void ask() {
    const auto url = net::parse_url(endpoint_.url);
    if (!url) {
      row.trouble = url.error().text;
      return;
    }
    url_ = *url;
    hides_.add(url_, endpoint_.headers);
    if (!ask_chain_id() || !ask_head()) return;
    row.safe = number_at("safe");
    row.finalized = number_at("finalized");
    ask_abilities();
    measure_blocks();
  }

private:
  std::optional<tide::rpc_reply> send(const std::vector<tide::rpc_call>& calls) {
    net::client_request request;
    request.target = url_;
    request.headers = endpoint_.headers;
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = std::make_shared<const std::string>(tide::rpc_body(calls));
    request.timeout = endpoint_.timeout;
    request.reach = net::egress::anything;
    request.accept_gzip = true;
    std::promise<net::client_result> promise;
    auto future = promise.get_future();
    const auto began = std::chrono::steady_clock::now();
    client_.send(std::move(request),
                 [&promise](net::client_result r) { promise.set_value(std::move(r)); });
    const auto result = future.get();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (!result) {
      failed_ = result.error().kind == net::failure::timeout
                    ? "no answer within its timeout"
                    : std::string(net::to_string(result.error().kind)) + ": " + result.error().text;
      return std::nullopt;
    }
    if (calls.size() == 1 && (row.latency_ms == 0 || took.count() < row.latency_ms))
      row.latency_ms = took.count();
    return tide::rpc_reply(result->body, static_cast<int>(result->status), calls.size());
  }

  std::string said(const tide::rpc_error& e) const {
    return std::string(tide::to_text(tide::classify(e))) + ", HTTP " +
           std::to_string(e.http_status) + ": " + hides_.of(e.message).substr(0, 160);
  }

  /// The one call's result; else `failed_` says why.
  std::optional<tide::rpc_reply> one(const tide::rpc_call& call) {
    auto reply = send({call});
    if (!reply) return std::nullopt;
    if (!reply->whole() && reply->results().front().value != nullptr) return reply;
    failed_ = said(reply->whole() ? *reply->whole() : reply->results().front().error);
    return std::nullopt;
  }

  bool ask_chain_id() {
    const auto reply = one(tide::call_chain_id());
    if (!reply) return give_up();
    const auto* text = reply->results().front().value->if_string();
    row.chain_id = text == nullptr ? std::nullopt : evm::parse_quantity(*text);
    if (!row.chain_id)
      row.trouble = "it does not answer eth_chainId with a number";
    else if (*row.chain_id != expected_)
      row.trouble = "it is on chain " + std::to_string(*row.chain_id) + ", the config says " +
                    std::to_string(expected_);
    return row.trouble.empty();
  }

  std::optional<evm::header> header_of(const tide::rpc_call& call) {
    const auto reply = one(call);
    if (!reply) return std::nullopt;
    auto header = tide::header_from(*reply->results().front().value);
    if (header) return std::move(*header);
    failed_ = header.error().text;
    return std::nullopt;
  }

  bool ask_head() {
    head_ = header_of(tide::call_block_by_tag("latest"));
    if (!head_) return give_up();
    row.head = head_->number;
    return true;
  }

  std::optional<std::uint64_t> number_at(std::string_view tag) {
    const auto header = header_of(tide::call_block_by_tag(tag));
    if (!header) return std::nullopt;
    return header->number;
  }

  void ask_abilities() {
    const auto batch = send({tide::call_chain_id(), tide::call_block_by_tag("latest")});
    row.batches = batch && !batch->whole() && !batch->refuses_batches() &&
                  std::all_of(batch->results().begin(), batch->results().end(),
                              [](const tide::call_result& r) { return r.value != nullptr; });
    row.receipts = one(tide::call_receipts_of_block(head_->hash)).has_value();
  }

  void measure_blocks() {
    const std::uint64_t back = std::min(head_->number, measured_blocks);
    const auto earlier =
        back == 0 ? std::nullopt : header_of(tide::call_block_by_number(head_->number - back));
    if (earlier && head_->time > earlier->time)
      row.block_seconds =
          static_cast<double>(head_->time - earlier->time) / static_cast<double>(back);
  }

  bool give_up() {
    row.trouble = failed_;
    return false;
  }

  const config::endpoint& endpoint_;
  net::http_client& client_;
  net::url url_;
  net::redaction hides_;
  std::uint64_t expected_ = 0;
  std::optional<evm::header> head_;
  std::string failed_;
};

} // namespace

std::vector<probed_endpoint> probe(const config::config& c) {
  net::io_threads io(1);
  net::http_client client(io.context());
  net::socket_client sockets(io.context());
  std::vector<std::future<probed_endpoint>> asked;
  for (const auto& chain : c.chains) {
    for (const auto& endpoint : chain.rpc)
      asked.push_back(std::async(std::launch::async, [&chain, &endpoint, &client] {
        questioning q(chain, endpoint, client);
        q.ask();
        return std::move(q.row);
      }));
    for (const auto& endpoint : chain.heads)
      asked.push_back(std::async(std::launch::async, [&chain, &endpoint, &sockets] {
        return probe_heads(chain, endpoint, sockets);
      }));
  }
  std::vector<probed_endpoint> rows;
  rows.reserve(asked.size());
  for (auto& one : asked)
    rows.push_back(one.get());
  return rows;
}

std::uint64_t calls_a_day(const config::chain& chain, double block_seconds) {
  constexpr double day_ms = 86'400'000;
  const double timed_polls =
      day_ms / static_cast<double>(std::max<std::int64_t>(chain.poll_interval.count(), 1));
  const double reorgs =
      day_ms / static_cast<double>(std::max<std::int64_t>(chain.reorg_interval.count(), 1));
  const double blocks = block_seconds > 0 ? day_ms / 1'000 / block_seconds : timed_polls;
  // A WebSocket head is a poll of its own.
  const double polls = timed_polls + (chain.heads.empty() ? 0 : blocks);
  const bool tags = chain.confirmations.at_least != tide::tag::none;
  // A poll asks for the head and, with a tag, for the tags. A block is read whole (header and logs)
  // and its header once more by reconcile, whose range is at most one a poll: logs, and the last
  // header again.
  const double head = polls * (tags ? 3 : 1);
  const double whole = chain.follow ? blocks * 2 : blocks;
  const double reconcile = blocks + std::min(blocks, polls) * 2;
  return static_cast<std::uint64_t>(std::llround(head + whole + reconcile + reorgs));
}

} // namespace tidemark::app
