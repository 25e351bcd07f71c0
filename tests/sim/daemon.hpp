// SPDX-License-Identifier: MIT
#pragma once

#include "audit.hpp"
#include "node.hpp"
#include "plan.hpp"
#include "service.hpp"
#include "timeline.hpp"

#include "store/store.hpp"
#include "tide/courier.hpp"
#include "tide/inquirer.hpp"
#include "tide/tide.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::sim {

/// The process: the real Tide, inquirer, couriers and store, with the actors, sockets and threads
/// between them replaced by a timeline. It may die at any write, and begins again from the store.
class daemon {
public:
  daemon(const plan& p, timeline& clock, world& w, std::vector<node>& nodes,
         std::vector<service>& services, tide::settings settings, tally& met);
  ~daemon();

  void boot();
  void die(std::int64_t down_for);
  bool alive() const { return tide_.has_value(); }
  std::uint64_t life() const { return life_; }
  /// False: nobody took it.
  bool webhook(const std::string& body);
  /// What a person does who sees that it is stuck.
  void operate(bool accept_reorg);
  /// The plan's late subscription is in the config from now on, and it is told to reload.
  void reload();
  /// From now on it lives.
  void be_quiet() { quiet_ = true; }

  tide::chain_status status() const { return tide_ ? tide_->status() : tide::chain_status{}; }
  std::uint64_t start_block() const;
  std::shared_ptr<const tide::interest> interest() const; ///< as it counts now
  store::reader& reader() { return *reader_; }
  std::string endpoints() const; ///< for a person

  /// For stories: what becomes of an answer before the Tide gets it.
  std::function<void(tide::answer&)> lie;
  std::function<void(const std::string&)> tell; ///< absent: nobody listens
  std::string fault;
  std::uint64_t reorgs = 0, halts = 0, deaths = 0, posts = 0, lies_caught = 0;

private:
  struct delivery {
    std::unique_ptr<tide::courier> courier;
    std::unordered_map<std::int64_t, store::finished> open; ///< by attempt
    std::vector<store::finished> finished;                  ///< the store is not told yet
    bool turn_open = false, pause_open = false;
    std::optional<std::int64_t> armed_for;
  };

  // daemon.cpp
  void adopt();
  bool guarded(const std::function<void()>& write);
  void later(std::int64_t ms, std::function<void()> what);
  void rang(const store::bells& b);
  void take_in();
  void look(const tide::write_set& applied);
  std::string name(std::size_t endpoint) const {
    return "node" + std::to_string(plan_.endpoints[endpoint].index);
  }
  // daemon_chain.cpp
  void boot_chain();
  void carry_out(tide::tide::effects effects);
  void carry_out(tide::inquirer::effects effects);
  void act(tide::ask& a);
  void act(tide::conclude& c);
  void act(tide::want_hints& w);
  void act(tide::want_event_blocks& w);
  void act(tide::said& s);
  void act(tide::caught_lying& l);
  template <class T> void act(T&) {} // an operator's answers
  void act(tide::inquirer::post& p);
  void act(tide::answer& a);
  void act(tide::inquirer::warned& w);
  void arm();
  // daemon_delivery.cpp
  void begin_deliveries();
  void pump(std::size_t i);
  void turn(std::size_t i, const tide::courier::order& order);
  void send(std::size_t i, const store::message& m);
  void exchange_over(std::size_t i, std::int64_t attempt, const tide::exchange_end& how);
  void store_pause(std::size_t i);

  const plan& plan_;
  timeline& clock_;
  world& world_;
  std::vector<node>& nodes_;
  std::vector<service>& services_;
  tide::settings settings_;
  tally& met_;
  audit audit_;
  stream deaths_, pace_;
  std::vector<stream> ways_; ///< latencies, by endpoint

  std::unique_ptr<store::store> store_;
  std::unique_ptr<store::reader> reader_;
  std::optional<tide::tide> tide_;
  std::optional<tide::inquirer> inquirer_;
  std::vector<delivery> deliveries_;
  std::uint64_t life_ = 1, chain_life_ = 0;
  std::uint64_t countdown_ = 0; ///< statements until the process dies; 0: it does not
  bool writing_ = false, quiet_ = false, latecomer_ = false;
  std::optional<std::int64_t> tick_at_, inquirer_tick_at_;
};

} // namespace tidemark::sim
