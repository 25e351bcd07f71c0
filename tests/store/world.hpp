// SPDX-License-Identifier: MIT
#pragma once

#include "store/reader.hpp"
#include "store/store.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <vector>

// A store in memory and a chain drawn by letters: block (5, 'A') is height 5 on branch A.

namespace tidemark::test {

inline evm::hash32 hash_of(std::uint64_t n, char branch, char kind) {
  evm::hash32 h;
  // Hash bytes 0–7 are what keys are made of, so they differ.
  for (std::size_t i = 0; i < 8; ++i)
    h.octets[i] = static_cast<std::uint8_t>(
        (n * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(branch) * 77) >> (8 * i));
  h.octets[30] = static_cast<std::uint8_t>(branch);
  h.octets[31] = static_cast<std::uint8_t>(kind);
  return h;
}
inline evm::block_id block(std::uint64_t n, char branch = 'A') {
  return {n, hash_of(n, branch, 'b')};
}
inline evm::hash32 tx(std::uint64_t n) { return hash_of(n, 't', 't'); }

inline tide::held_header header(std::uint64_t n, char branch = 'A', char parent_branch = 0) {
  return {block(n, branch), block(n - 1, parent_branch ? parent_branch : branch).hash,
          1'700'000'000 + n * 12, true};
}

/// A log of transaction `t` in a block, going to handler "h" under key "1:k" unless told otherwise.
inline tide::sighting log(const evm::block_id& in, std::uint64_t t, std::int32_t log_index = 0) {
  tide::sighting s;
  s.block = in;
  s.time = 1'700'000'000 + in.number * 12;
  s.tx = tx(t);
  s.tx_index = static_cast<std::uint32_t>(log_index);
  s.log_index = log_index;
  s.ordinal = 0;
  s.address.octets[0] = 9;
  s.digest = 42;
  s.data = R"({"event_id":"x"})";
  s.asks = {.blocks = 3};
  s.subscriptions = {"transfers"};
  s.routes = {{.handler = "h",
               .key = "1:k",
               .subscription = "transfers",
               .pending = false,
               .confirmed = true}};
  s.origin = "head";
  return s;
}

/// The value, or the test ends with what the store says.
template <class T> T must(store::result<T> r) {
  if (!r) FAIL(r.error().text);
  if constexpr (!std::is_void_v<T>) return std::move(*r);
}

/// A folder of its own, gone at the end.
class scratch {
public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "tidemark-store-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    path_ = name;
  }
  ~scratch() { std::filesystem::remove_all(path_); }
  std::string file(const char* name = "t.db") const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

inline std::unique_ptr<store::store> open_store(const std::string& path = ":memory:",
                                                bool full = true) {
  store::options o;
  o.path = path;
  o.full = full;
  auto opened = store::store::open(std::move(o));
  if (auto* e = std::get_if<store::open_error>(&opened)) FAIL(e->text);
  return std::move(std::get<0>(opened));
}

/// A store with chain 1, begun at block 10 (mark 9), and a word for each thing that a test does
/// often.
struct world {
  static constexpr std::uint64_t chain = 1;
  std::unique_ptr<store::store> db = open_store();
  std::int64_t now = 1'000;
  std::uint64_t turn = 0;
  store::bells rung;

  explicit world(bool started = true) {
    in_group([&] {
      must(db->boot(chain));
      know_handlers();
    });
    if (started) apply(9, {tide::started{10, block(9)}}, {header(9)});
  }
  void know_handlers() {
    const store::handler_in handlers[] = {{"h", false, true, "contract"},
                                          {"g", true, true, "chain"}};
    must(db->register_handlers(handlers, now));
  }

  template <class F> void in_group(F f) {
    must(db->begin());
    f();
    rung = must(db->commit());
  }

  tide::write_set set(std::uint64_t head, std::vector<tide::verdict> verdicts,
                      std::vector<tide::held_header> headers = {}) {
    tide::write_set s;
    s.chain_id = chain;
    s.turn = turn;
    s.view.head = head;
    s.headers = std::move(headers);
    s.verdicts = std::move(verdicts);
    return s;
  }
  tide::store_answer answer(const tide::write_set& s) {
    tide::store_answer a;
    in_group([&] { a = must(db->apply(s, ++now)); });
    if (const auto* ok = std::get_if<tide::applied>(&a)) turn = ok->turn;
    return a;
  }
  tide::applied apply(std::uint64_t head, std::vector<tide::verdict> verdicts,
                      std::vector<tide::held_header> headers = {}) {
    const auto a = answer(set(head, std::move(verdicts), std::move(headers)));
    if (const auto* r = std::get_if<tide::refused>(&a)) FAIL(r->text);
    if (std::holds_alternative<tide::disputed>(a)) FAIL("disputed");
    return std::get<tide::applied>(a);
  }
  tide::disputed disputed(std::uint64_t head, std::vector<tide::verdict> verdicts,
                          std::vector<tide::held_header> headers = {}) {
    const auto a = answer(set(head, std::move(verdicts), std::move(headers)));
    if (const auto* r = std::get_if<tide::refused>(&a)) FAIL(r->text);
    REQUIRE(std::holds_alternative<tide::disputed>(a));
    return std::get<tide::disputed>(a);
  }
  std::string refused(std::uint64_t head, std::vector<tide::verdict> verdicts,
                      std::vector<tide::held_header> headers = {}) {
    const auto a = answer(set(head, std::move(verdicts), std::move(headers)));
    REQUIRE(std::holds_alternative<tide::refused>(a));
    return std::get<tide::refused>(a).text;
  }

  /// "p1 c2": status and version of each fact of a transaction's log, in order.
  std::string history(std::uint64_t t, std::int32_t log_index = 0) {
    store::reader r(*db);
    const auto life = must(r.event({chain, tx(t), log_index}));
    if (!life) return "none";
    std::string text;
    for (const tide::fact& f : life->history) {
      if (!text.empty()) text += ' ';
      text += "pcr"[static_cast<int>(f.status)];
      if (f.why == tide::why::corrected) text += '!';
      text += std::to_string(f.version);
    }
    return text;
  }
  std::vector<tide::fact> feed() {
    store::reader r(*db);
    return must(r.feed(0, 10'000));
  }
  std::vector<store::message> take(const std::string& handler = "h", std::size_t limit = 100) {
    store::message_batch b;
    in_group([&] { b = must(db->take(handler, ++now, limit, 1 << 20)); });
    return b.messages;
  }
  /// As the courier judges a message that may not be tried any more.
  void park(const store::message& m, tide::on_exhausted how) {
    store::finished f;
    f.lane = m.lane;
    f.seq = m.seq;
    f.attempt_id = m.attempt_id;
    f.outcome = tide::outcome::failed;
    f.http_status = 500;
    f.answer = "said";
    f.parks = how;
    in_group([&] { must(db->finish(std::span(&f, 1), ++now)); });
  }
  void finish(const store::message& m, tide::outcome how = tide::outcome::ok,
              std::optional<std::int64_t> retry_at = {}) {
    store::finished f;
    f.handler = m.envelope.handler;
    f.lane = m.lane;
    f.seq = m.seq;
    f.attempt_id = m.attempt_id;
    f.count = static_cast<std::uint32_t>(m.count());
    f.taken = f.count;
    f.outcome = how;
    f.http_status = how == tide::outcome::ok ? 200 : 500;
    f.answer = "said";
    f.retry_at = retry_at;
    in_group([&] { must(db->finish(std::span(&f, 1), ++now)); });
  }
  /// Delivers all that goes, in order: "k1:c5.1" is key, sequence, status, block and transaction
  /// number's event version.
  std::vector<store::message> deliver(const std::string& handler = "h") {
    std::vector<store::message> all;
    for (auto some = take(handler); !some.empty(); some = take(handler))
      for (const store::message& m : some) {
        all.push_back(m);
        finish(m);
      }
    return all;
  }
};

/// "c12 r12L g3": status, block, L for late; of a notice its kind and sequence.
inline std::string show(const std::vector<store::message>& messages) {
  std::string text;
  for (const store::message& m : messages) {
    if (!text.empty()) text += ' ';
    if (m.notice) {
      text += "gep"[static_cast<int>(m.notice->is)];
      text += std::to_string(m.envelope.sequence);
      continue;
    }
    text += "pcr"[static_cast<int>(m.fact.status)];
    text += std::to_string(m.fact.block.number);
    if (m.envelope.late) text += 'L';
  }
  return text;
}

} // namespace tidemark::test
