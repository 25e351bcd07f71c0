// SPDX-License-Identifier: MIT
#pragma once

#include "app/verbs.hpp"

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tidemark::app {

/// The verbs and their options. Options keep pointers into this, so it stays where it is.
class command_line {
public:
  explicit command_line(CLI::App& program);
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  /// What was parsed; the program's exit status.
  int run() const { return chosen_(); }

private:
  CLI::App* verb(CLI::App& of, const std::string& name, const std::string& says,
                 const std::string& example, std::function<int()> does);
  /// A group of verbs, of which one must be given.
  CLI::App* group(CLI::App& of, const std::string& name, const std::string& says);
  /// `--from-block N` becomes the query's from_block.
  filters* add_filters(CLI::App& to, const std::vector<std::string>& names);

  void add_program_verbs(CLI::App& program);
  void add_event_verbs(CLI::App& program);
  void add_chain_verbs(CLI::App& program);
  void add_list_verbs(CLI::App& program);
  void add_webhook_verbs(CLI::App& program);
  void add_handler_verbs(CLI::App& program);
  void add_dead_verbs(CLI::App& program);
  void add_replay_verb(CLI::App& program);
  void add_store_verbs(CLI::App& program);

  invocation how_;
  bool probe_ = false, accept_reorg_ = false, all_ = false, dry_run_ = false, apply_ = false,
       yes_ = false;
  std::string folder_ = ".", name_, id_, file_;
  std::optional<std::uint64_t> after_;
  std::optional<std::string> reason_, subscription_;
  std::uint64_t from_ = 0, to_ = 0;
  std::vector<std::string> ids_;
  std::vector<std::int64_t> numbers_;
  replay_wish replay_;
  std::list<filters> filters_;
  const filters* chosen_webhooks_ = nullptr;
  std::function<int()> chosen_;
};

} // namespace tidemark::app
