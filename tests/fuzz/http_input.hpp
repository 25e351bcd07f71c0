// SPDX-License-Identifier: MIT
#pragma once

#include "net/answer_reader.hpp"
#include "net/chunk_reader.hpp"
#include "net/url.hpp"
#include "tests/fuzz/must.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the fuzzer and its replay do with one input: an octet of switches, then what a server
// answered; the same as a chunked body, and as a URL.

namespace fuzz {

/// The answer as it is read from pieces of this size, and then an end.
inline std::optional<tidemark::net::client_response>
read_answer(std::string_view text, const tidemark::net::answer_limits& limits, std::size_t piece) {
  using step = tidemark::net::answer_reader::step;
  tidemark::net::answer_reader reader(limits);
  auto now = step::need_more;
  std::size_t begin = 0, end = 0;
  while (now == step::need_more && end < text.size()) {
    end += std::min(piece, text.size() - end);
    std::size_t used = 0;
    do {
      used = 0;
      now = reader.feed(text.data() + begin, end - begin, used);
      must(used <= end - begin);
      begin += used;
    } while (now == step::need_more && used > 0 && begin < end);
  }
  if (now == step::need_more) now = reader.ended();
  must(now != step::need_more);
  if (now == step::failed) {
    must(!reader.failure().text.empty());
    return std::nullopt;
  }
  return reader.take();
}

inline void read_chunks(std::string_view text) {
  using step = tidemark::net::chunk_reader::step;
  std::string whole, bytewise;
  tidemark::net::chunk_reader one, other;
  const auto any = [](std::uint64_t) { return true; };
  std::size_t used = 0;
  const auto at_once =
      one.feed(text.data(), text.size(), used, any, [&](const char* d, std::size_t n) {
        whole.append(d, n);
        return true;
      });
  must(used <= text.size());
  auto now = step::need_more;
  for (std::size_t i = 0; i < text.size() && now == step::need_more; ++i)
    now = other.feed(text.data() + i, 1, used, any, [&](const char* d, std::size_t n) {
      bytewise.append(d, n);
      return true;
    });
  must(now == at_once && whole == bytewise);
}

/// True if an answer was read.
inline bool http_input(std::string_view input) {
  using namespace tidemark::net;
  if (const auto u = parse_url(input)) {
    must(!u->host.empty() && u->target.substr(0, 1) == "/");
    const auto again = parse_url(u->origin() + u->target);
    must(again && again->host == u->host && again->port == u->port && again->target == u->target);
  }
  if (input.empty()) return false;
  read_chunks(input.substr(1));
  const auto flags = static_cast<std::uint8_t>(input[0]);
  answer_limits limits;
  limits.max_answer = (flags & 1U) != 0 ? 64 : 65'536;
  limits.keep = (flags & 2U) != 0 ? 16 : limits.max_answer;
  limits.accept_gzip = (flags & 4U) != 0;
  limits.to_head = (flags & 8U) != 0;
  const auto text = input.substr(1);
  const auto whole = read_answer(text, limits, text.size());
  const auto pieces = read_answer(text, limits, 1);
  must(whole.has_value() == pieces.has_value());
  if (!whole) return false;
  must(whole->status == pieces->status && whole->body == pieces->body);
  must(whole->body.size() <= std::max(limits.keep, limits.max_answer));
  return true;
}

} // namespace fuzz
