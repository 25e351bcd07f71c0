// SPDX-License-Identifier: MIT
#pragma once

#include "render.hpp"
#include "troubles.hpp"
#include "world.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::sim {

struct node_traits {
  std::uint64_t seed = 1;
  std::size_t index = 0;
  feature_set can;                                        ///< the troubles that it may have
  std::int64_t start = 0, gap = 100'000, length = 10'000; ///< of episodes: ms
  /// Where it may lie about what a block holds: so far below the highest head, or anywhere.
  std::uint64_t lies_within = 8;
  bool lies_anywhere = false; ///< and about parts of a block, which a bloom does not show
  bool always_lies = false;   ///< about every block that holds something, for ever
  bool keeps_dead_blocks = true;
};

/// An endpoint of a world, at the level of HTTP bodies: answers as a real node does, or with a
/// real node's troubles.
class node {
public:
  node(const world& w, renderer& texts, tally& met, node_traits t);

  struct reply {
    enum class how { answered, cut, timed_out, unreachable };
    how came = how::answered;
    int status = 200;
    std::string body;
    std::optional<std::int64_t> retry_after; ///< ms
    bool fresh = false;                      ///< over a new connection
    std::int64_t delay = 0;                  ///< ms on top of the way there and back
    std::uint64_t connection = 0;            ///< give it back with `arrived`
  };
  reply serve(std::string_view body, std::int64_t now);
  /// The answer came whole: its connection may be used again.
  void arrived(const reply& r);
  void hang_up(); ///< who asked is gone, and its connections with it

  /// It never had a trouble that says what is not.
  bool honest() const { return !was_wrong_; }
  /// No more troubles.
  void recover();

private:
  enum class source { range, by_hash, receipts };
  struct view {
    std::uint64_t head = 0;
    const world::side_branch* side = nullptr; ///< served in place of the canonical blocks
    bool mixed = false;                       ///< … at some heights
  };

  // node.cpp
  bool refuse(reply& r, std::int64_t now);
  view look(std::int64_t now);
  const block* block_at(const view& v, std::uint64_t number);
  std::string answer(const boost::json::object& call);
  std::string result(std::string_view method, const boost::json::value& params);
  std::string block_by_name(std::string_view name, bool whole);
  std::string whole_text(const block& b);
  std::string tag_block(bool finalized);
  bool hit(feature f, unsigned percent = 100);

  // node_logs.cpp
  std::string logs(const boost::json::object& filter);
  std::string logs_of_range(const boost::json::object& filter);
  const block* known(std::string_view hash);
  void append_logs(std::string& out, std::size_t& count, const block& b, source s,
                   const boost::json::object& filter);
  std::string finish_logs(std::string out);
  std::string receipts_of(const block& b);
  std::string receipt_in(const block& b, std::size_t i);
  std::string receipt_of(std::string_view tx);
  /// What it says that the block holds, where that is not the truth.
  std::optional<std::vector<evm::log>> lie(const block& b, source s);

  const world& world_;
  renderer& texts_;
  tally& met_;
  node_traits traits_;
  troubles troubles_;
  bool was_wrong_ = false, foreign_ = false;
  std::uint64_t connection_ = 1, idle_ = 0;
  world::side_branch side_;
  std::uint64_t side_episode_ = 0;
  std::int64_t now_ = 0;
  view view_;
};

} // namespace tidemark::sim
