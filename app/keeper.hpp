// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "api/admin_api.hpp"
#include "api/live.hpp"
#include "config/config.hpp"
#include "store/upkeep.hpp"

#include <caf/fwd.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace tidemark::app {

/// The upkeep of the store's file: what is ordered, one at a time, and every hour the letting go of
/// what is old. On a thread of its own, since each may take minutes. Any thread may order.
class keeper {
public:
  keeper(std::shared_ptr<const config::config> config, std::shared_ptr<api::live> board,
         actors::store_actor store, caf::actor_system& system);
  ~keeper();
  keeper(const keeper&) = delete;
  keeper& operator=(const keeper&) = delete;

  /// Puts the orders there that are carried out here. This must outlive them.
  void add_orders(api::orders& to);
  /// Ends what runs, with a failure, and waits for that. Before the actors end.
  void close();

private:
  void run();
  void order(std::function<void()> work);
  store::result<std::uint64_t> back_up(const std::string& to, const std::string& who);
  store::result<store::pruning> prune(const std::string& who);
  /// A write of the store's, waited for.
  store::result<void> write(std::function<store::result<void>(store::store&, std::int64_t)> work);
  bool ended();

  const std::shared_ptr<const config::config> config_;
  const std::shared_ptr<api::live> board_;
  actors::store_actor store_;
  caf::actor_system& system_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ended_ = false;
  std::thread thread_; ///< last: it uses the others
};

} // namespace tidemark::app
