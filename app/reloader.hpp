// SPDX-License-Identifier: MIT
#pragma once

#include "actors/ingest_rules.hpp"
#include "api/admin_api.hpp"
#include "app/orders.hpp"
#include "app/units.hpp"
#include "config/changes.hpp"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tidemark::app {

/// What a change of the config is carried to.
struct reload_needs {
  std::filesystem::path file;
  unit_needs units; ///< with the config in force
  actors::supervisor_actor supervisor;
  std::shared_ptr<actors::ingest_rules> rules;
  std::shared_ptr<actors::ingest_counters> counters;
  redecoding& rereading;
  /// Puts another config's admin API in place.
  std::function<void(std::shared_ptr<const config::config>)> renew_api;
};

/// Reads the config again and puts it in force: all of it, or none. One after the other, on a
/// thread of its own, since files are read and actors waited for.
class reloader {
public:
  using told = std::function<void(const api::reload_report&)>;

  explicit reloader(reload_needs needs);
  ~reloader();
  /// Begins nothing more, and gives up what is under way: whoever asked hears that the daemon
  /// stops. Returns at once.
  void stop();
  /// Until nothing is under way, after stop(). What a reload uses is there until then.
  void wait();
  reloader(const reloader&) = delete;
  reloader& operator=(const reloader&) = delete;

  /// Returns at once. Any thread.
  void ask(std::string who, told done);

private:
  struct order {
    std::string who;
    told done;
  };
  void run();
  bool ending();
  api::reload_report reload(const std::string& who);
  api::reload_report refuse(api::reload_report report, const std::string& who);
  /// What went wrong; nothing: the store has it.
  std::string adopt(const std::shared_ptr<const config::config>& c, const std::string& who);
  void fill(const config::config& c);
  /// False: the daemon stops, and not all has changed.
  bool change_units(const config::changes& what, const std::shared_ptr<const config::config>& c);
  bool carry_out(std::vector<actors::unit_change> all);
  /// Of the config in force: those that go or begin anew.
  std::vector<config::chain> chains_that_end(const config::changes& what) const;
  /// What went wrong; nothing: they have ended.
  std::string end(const std::vector<config::chain>& chains);
  void start(const std::vector<config::chain>& chains);

  reload_needs needs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<order> orders_;
  bool ending_ = false;
  std::thread thread_; ///< last: it uses the others
};

} // namespace tidemark::app
