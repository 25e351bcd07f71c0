// SPDX-License-Identifier: MIT
#include "node.hpp"

#include "evm/hex.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace tidemark::sim {
namespace {

namespace json = boost::json;

std::string error_text(std::int64_t code, std::string_view message) {
  return "\"error\":{\"code\":" + std::to_string(code) + ",\"message\":\"" + std::string(message) +
         "\"}";
}
std::string result_text(std::string_view value) { return "\"result\":" + std::string(value); }

/// Another chain's hashes: consistent among themselves, and none of them ours.
void make_foreign(std::string& body) {
  static constexpr std::string_view digits = "0123456789abcdef";
  for (const std::string_view name :
       {"\"hash\":\"0x", "\"parentHash\":\"0x", "\"blockHash\":\"0x", "\"transactionHash\":\"0x"})
    for (auto at = body.find(name); at != std::string::npos; at = body.find(name, at + 1)) {
      auto& digit = body[at + name.size()];
      digit = digits[(digits.find(digit) + 8) % 16];
    }
}

} // namespace

node::node(const world& w, renderer& texts, tally& met, node_traits t)
    : world_(w), texts_(texts), met_(met), traits_(t),
      troubles_(t.seed, "endpoint", t.index, t.can, t.start, t.gap, t.length) {}

void node::arrived(const reply& r) {
  if (r.connection == connection_) ++idle_;
}

void node::hang_up() {
  ++connection_;
  idle_ = 0;
}

void node::recover() {
  troubles_.end();
  traits_.always_lies = false;
}

/// In an episode of that trouble, at that chance. Counts it.
bool node::hit(feature f, unsigned percent) {
  if (!troubles_.on(f, now_) || (percent < 100 && !troubles_.draw(f).chance(percent))) return false;
  met_.count(f);
  if (is_lie(f)) was_wrong_ = true;
  return true;
}

/// What answers before it is known what was asked.
bool node::refuse(reply& r, std::int64_t now) {
  now_ = now;
  if (hit(feature::silent)) {
    const bool gone = troubles_.value(feature::silent) % 3 == 0;
    r.came = gone ? reply::how::unreachable : reply::how::timed_out;
    hang_up();
    return true;
  }
  if (hit(feature::rate_limit, 70)) {
    const auto kind = troubles_.value(feature::rate_limit) % 3;
    r.status = kind == 2 ? 200 : 429;
    if (kind == 0) r.retry_after = 1'000 * troubles_.draw(feature::rate_limit).between(1, 5);
    r.body = kind == 1 ? "Too Many Requests"
                       : "{\"jsonrpc\":\"2.0\",\"id\":null," +
                             error_text(-32005, "daily request count exceeded, request rate "
                                                "limited") +
                             "}";
    return true;
  }
  if (hit(feature::server_error, 80)) {
    static constexpr int statuses[] = {500, 502, 503, 504};
    r.status = statuses[troubles_.value(feature::server_error) % 4];
    r.body = r.status == 500
                 ? "{\"jsonrpc\":\"2.0\",\"id\":null," + error_text(-32603, "internal error") + "}"
                 : "";
    return true;
  }
  if (hit(feature::html, 80)) {
    r.status = troubles_.value(feature::html) % 2 == 0 ? 200 : 502;
    r.body = "<html><head><title>Bad gateway</title></head><body>nginx</body></html>";
    return true;
  }
  return false;
}

node::view node::look(std::int64_t now) {
  now_ = now;
  view v;
  v.head = world_.head();
  const bool old = troubles_.on(feature::old_fork, now);
  if (old || troubles_.on(feature::mixed_forks, now)) {
    const auto episode = troubles_.value(old ? feature::old_fork : feature::mixed_forks);
    if (side_episode_ != episode) {
      side_episode_ = episode;
      side_ = world_.left();
    }
    if (!side_.hashes.empty()) {
      v.side = &side_;
      v.mixed = !old;
      const auto last = side_.from + side_.hashes.size() - 1;
      v.head = old ? last : std::min(v.head, last + 5);
    }
  }
  if (hit(feature::lag)) v.head -= std::min(v.head, 1 + troubles_.value(feature::lag) % 6);
  if (hit(feature::flap, 50)) v.head -= std::min(v.head, troubles_.draw(feature::flap).below(4));
  while (v.head > 0 && !block_at(v, v.head))
    --v.head; // a void height is no head
  return v;
}

const block* node::block_at(const view& v, std::uint64_t number) {
  if (number > v.head) return nullptr;
  if (!v.side || number < v.side->from || number >= v.side->from + v.side->hashes.size())
    return world_.find(number);
  if (v.mixed && (number * 2'654'435'761U ^ side_episode_) % 3 != 0) return world_.find(number);
  const auto* b = world_.by_hash(v.side->hashes[number - v.side->from]);
  if (b && !world_.is_canonical(b->header.id())) {
    was_wrong_ = true;
    met_.count(v.mixed ? feature::mixed_forks : feature::old_fork);
  }
  return b;
}

std::string node::tag_block(bool finalized) {
  if (hit(feature::tags_null)) return result_text("null");
  if (hit(feature::tags_error))
    return troubles_.value(feature::tags_error) % 2 == 0
               ? error_text(-39001, "Unknown block")
               : error_text(-32000,
                            finalized ? "finalized block not found" : "safe block not found");
  std::uint64_t depth = finalized ? 8 : 4;
  if (hit(feature::tags_back)) depth += 5 + troubles_.value(feature::tags_back) % 20;
  if (hit(feature::tags_at_head)) depth = 0;
  auto number = view_.head - std::min(view_.head, depth);
  while (number > 0 && !block_at(view_, number))
    --number;
  const auto* b = block_at(view_, number);
  return result_text(b ? texts_.of(*b).header : "null");
}

/// With another value in one of its transactions, where it lies.
std::string node::whole_text(const block& b) {
  auto text = texts_.of(b).whole;
  const bool may = traits_.lies_anywhere && !b.transactions.empty() &&
                   troubles_.on(feature::changed_value, now_);
  const auto at = text.rfind("\"value\":\"0x");
  if (at == text.npos) return text;
  if (traits_.always_lies || (may && hit(feature::changed_value, 60))) text.insert(at + 11, "7");
  return text;
}

std::string node::block_by_name(std::string_view name, bool whole) {
  if (name == "safe" || name == "finalized") return tag_block(name == "finalized");
  const auto number = name == "latest" ? view_.head : evm::parse_quantity(name);
  if (!number) return error_text(-32602, "invalid block number");
  if (name != "latest" && hit(feature::unknown_block, 20)) return result_text("null");
  const auto* b = block_at(view_, *number);
  if (!b) return result_text("null");
  return result_text(whole ? whole_text(*b) : texts_.of(*b).header);
}

std::string node::result(std::string_view method, const json::value& params) {
  const auto* list = params.if_array();
  const auto first = [&]() -> std::string_view {
    if (!list || list->empty() || !list->front().is_string()) return {};
    return list->front().get_string();
  };
  if (method == "eth_chainId") return result_text(foreign_ ? "\"0x2\"" : "\"0x1\"");
  if (method == "eth_getBlockByNumber")
    return block_by_name(first(), list && list->size() > 1 && (*list)[1] == true);
  if (method == "eth_getLogs") {
    if (!list || list->size() != 1 || !list->front().is_object())
      return error_text(-32602, "missing value for required argument 0");
    return logs(list->front().get_object());
  }
  if (method == "eth_getBlockReceipts") {
    if (hit(feature::no_receipts))
      return error_text(-32601, "the method eth_getBlockReceipts does not exist/is not available");
    const auto* b = known(first());
    return b ? receipts_of(*b) : result_text("null");
  }
  if (method == "eth_getTransactionReceipt") return receipt_of(first());
  return error_text(-32601, "the method does not exist/is not available");
}

std::string node::answer(const json::object& call) {
  std::string out = "{\"jsonrpc\":\"2.0\",\"id\":";
  const auto* id = call.if_contains("id");
  out += id ? json::serialize(*id) : "null";
  out += ',';
  const auto* method = call.if_contains("method");
  const auto* params = call.if_contains("params");
  out += method && method->is_string()
             ? result(method->get_string(), params ? *params : json::value())
             : error_text(-32600, "Invalid Request");
  return out += '}';
}

node::reply node::serve(std::string_view body, std::int64_t now) {
  reply r;
  now_ = now;
  const bool foreign = hit(feature::wrong_chain);
  if (foreign != foreign_) hang_up(); // another machine answers under this name from now on
  foreign_ = foreign;
  if (refuse(r, now)) return r;
  r.fresh = idle_ == 0;
  if (idle_ > 0) --idle_;
  r.connection = connection_;
  if (hit(feature::slow, 50)) r.delay = troubles_.draw(feature::slow).between(1'000, 9'000);
  json::error_code ec;
  const auto asked = json::parse({body.data(), body.size()}, ec);
  if (ec) {
    r.body = "{\"jsonrpc\":\"2.0\",\"id\":null," + error_text(-32700, "parse error") + "}";
    return r;
  }
  view_ = look(now);
  if (const auto* one = asked.if_object()) {
    r.body = answer(*one);
  } else if (const auto& all = asked.get_array(); all.empty() || hit(feature::no_batches)) {
    r.body =
        "{\"jsonrpc\":\"2.0\",\"id\":null," + error_text(-32600, "batches are not supported") + "}";
  } else {
    std::vector<std::string> items;
    for (const auto& call : all) {
      if (hit(feature::missing_item, 15)) continue;
      items.push_back(answer(call.get_object()));
    }
    if (items.size() > 1 && hit(feature::shuffled_items)) {
      const auto by = troubles_.draw(feature::shuffled_items).below(items.size());
      std::rotate(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(by), items.end());
    }
    for (const auto& i : items)
      (r.body += r.body.empty() ? '[' : ',') += i;
    r.body += r.body.empty() ? "[]" : "]";
  }
  if (foreign_) make_foreign(r.body);
  if (hit(feature::cut, 60)) {
    if (troubles_.draw(feature::cut).chance(50)) {
      r.came = reply::how::cut;
      hang_up();
    }
    r.body.resize(r.body.size() / 2);
  }
  return r;
}

} // namespace tidemark::sim
