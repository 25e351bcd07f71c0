// SPDX-License-Identifier: MIT
#include "app/command_line.hpp"

#include <CLI/CLI.hpp>

namespace tidemark::app {
namespace {

std::string not_empty(const std::string& text) { return text.empty() ? "is empty" : ""; }

} // namespace

void command_line::add_store_verbs(CLI::App& program) {
  auto* again = verb(program, "reconcile",
                     "reads a range of a chain again and says what is missing, extra, equal",
                     "tidemark reconcile ethereum --from 19000000 --to 19000100 --apply",
                     [this] { return reconcile(how_, name_, from_, to_, apply_); });
  again->add_option("CHAIN", name_)->required();
  again->add_option("--from", from_, "the first block")->required();
  again->add_option("--to", to_, "the last one")->required();
  again->add_flag("--apply", apply_, "stores and sends what differs");

  auto* db = group(program, "db", "the store: integrity, backups, sizes, retention");
  verb(*db, "check", "looks the store through, whether the daemon runs or not; 74 if it is damaged",
       "tidemark db check", [this] { return db_check(how_); });
  verb(*db, "backup", "copies the store while it is at work",
       "tidemark db backup /var/backups/tidemark-2026-11-29.db",
       [this] { return db_backup(how_, file_); })
      ->add_option("FILE", file_, "where to; must not be there yet")
      ->required()
      ->check(not_empty);
  verb(*db, "restore", "puts a backup in the store's place; the daemon must be stopped",
       "tidemark db restore /var/backups/tidemark-2026-11-29.db",
       [this] { return db_restore(how_, file_); })
      ->add_option("FILE", file_, "the backup")
      ->required()
      ->check(not_empty);
  verb(*db, "stats", "how large the store is, and what is in it", "tidemark db stats --json",
       [this] { return db_stats(how_); });
  verb(*db, "prune", "lets go now of what is older than store.retention", "tidemark db prune",
       [this] { return db_prune(how_); });
}

} // namespace tidemark::app
