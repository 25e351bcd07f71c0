// SPDX-License-Identifier: MIT
#include "app/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tidemark::app {

command_line::command_line(CLI::App& program) {
  program.require_subcommand(1);
  program.footer("--config and --json may stand before or behind the verb.");
  program.add_option("--config", how_.config_file, "the config file")->capture_default_str();
  program.add_flag("--json", how_.json, "prints JSON");
  add_program_verbs(program);
  add_event_verbs(program);
  add_chain_verbs(program);
  add_webhook_verbs(program);
  add_handler_verbs(program);
  add_list_verbs(program);
  add_dead_verbs(program);
  add_replay_verb(program);
  add_store_verbs(program);
}

CLI::App* command_line::verb(CLI::App& of, const std::string& name, const std::string& says,
                             const std::string& example, std::function<int()> does) {
  auto* made = of.add_subcommand(name, says);
  made->fallthrough(); // so that --config and --json may stand behind the verb
  made->footer("Example: " + example);
  made->callback([this, does = std::move(does)] { chosen_ = does; });
  return made;
}

CLI::App* command_line::group(CLI::App& of, const std::string& name, const std::string& says) {
  auto* made = of.add_subcommand(name, says);
  made->fallthrough();
  made->require_subcommand(1);
  return made;
}

filters* command_line::add_filters(CLI::App& to, const std::vector<std::string>& names) {
  filters& by = filters_.emplace_back();
  by.reserve(names.size()); // options keep pointers to its elements
  for (const std::string& name : names) {
    std::string option = name;
    std::replace(option.begin(), option.end(), '_', '-');
    by.emplace_back(name, std::nullopt);
    to.add_option("--" + option, by.back().second);
  }
  return &by;
}

void command_line::add_program_verbs(CLI::App& program) {
  verb(program, "run", "the daemon, in the foreground; logs to stderr",
       "tidemark run --config tidemark.yaml", [this] { return app::run(how_); });
  verb(program, "check", "validates the config", "tidemark check --probe --config tidemark.yaml",
       [this] { return check(how_, probe_); })
      ->add_flag("--probe", probe_, "also asks every RPC endpoint what it is and can do");
  verb(program, "init", "writes a commented starter tidemark.yaml", "tidemark init /etc/tidemark",
       [this] { return init(folder_); })
      ->add_option("DIR", folder_, "where to")
      ->capture_default_str();
  verb(program, "reload", "makes the daemon read its config again; 78 if it is refused",
       "tidemark reload --config tidemark.yaml", [this] { return reload(how_); });
  verb(program, "status", "chains, sources, handlers at a glance", "tidemark status",
       [this] { return status(how_); });
  verb(program, "version", "the version, and those of the libraries in it",
       "tidemark version --json", [this] { return print_version(how_); });
}

void command_line::add_event_verbs(CLI::App& program) {
  auto* events = group(program, "events", "what was found on the chains");
  auto* list = verb(*events, "list", "newest first", "tidemark events list --status pending",
                    [] { return int{exit_usage}; });
  const filters* by =
      add_filters(*list, {"chain", "status", "subscription", "address", "tx", "from_block",
                          "to_block", "first_seen", "handler", "delivery", "limit", "after"});
  list->callback([this, by] { chosen_ = [this, by] { return events_list(how_, *by); }; });
  verb(*events, "show", "the whole life of one event", "tidemark events show 1:0x…:12",
       [this] { return events_show(how_, id_); })
      ->add_option("ID", id_, "its event_id")
      ->required();
  verb(*events, "tail", "follows the feed, one JSON a line",
       "tidemark events tail --after 0 | jq .data.args",
       [this] { return events_tail(how_, after_); })
      ->add_option("--after", after_, "begins behind this seq; else: from now on");
  auto* again = verb(*events, "redecode",
                     "decodes stored events again, after a subscription was mended; without --yes "
                     "it only says what would change",
                     "tidemark events redecode --subscription usdc-transfers --yes",
                     [this] { return events_redecode(how_, subscription_, yes_); });
  again->add_option("--subscription", subscription_, "those of this one alone");
  again->add_flag("--yes", yes_, "takes the old readings back and tells the new ones");
}

void command_line::add_chain_verbs(CLI::App& program) {
  auto* chain = group(program, "chain", "the chains that are followed");
  verb(*chain, "list", "all of them", "tidemark chain list", [this] { return chain_list(how_); });
  verb(*chain, "show", "one of them", "tidemark chain show ethereum",
       [this] { return chain_show(how_, name_); })
      ->add_option("NAME", name_)
      ->required();
  auto* resume = verb(*chain, "resume",
                      "lets a halted chain go on if it is ours after all; else says what would be "
                      "taken back, and exits 1",
                      "tidemark chain resume ethereum",
                      [this] { return chain_resume(how_, name_, accept_reorg_); });
  resume->add_option("NAME", name_)->required();
  resume->add_flag("--accept-reorg", accept_reorg_, "takes it back and goes on");
  auto* skip = verb(*chain, "skip",
                    "lets the mark pass blocks that no endpoint serves; their events are never "
                    "found, and a row says so",
                    "tidemark chain skip ethereum --from 100 --to 120 --reason 'pruned everywhere'",
                    [this] { return chain_skip(how_, name_, from_, to_, reason_.value_or("")); });
  skip->add_option("NAME", name_)->required();
  skip->add_option("--from", from_, "the block that the mark waits at")->required();
  skip->add_option("--to", to_, "the last one")->required();
  skip->add_option("--reason", reason_, "for the row in `gaps` and for the audit")->required();
}

void command_line::add_list_verbs(CLI::App& program) {
  auto* lists = group(program, "lists", "lists of addresses that are kept in the store");
  verb(*lists, "show", "its addresses, one a line", "tidemark lists show wallets",
       [this] { return lists_show(how_, name_); })
      ->add_option("NAME", name_)
      ->required();
  for (const bool add : {true, false}) {
    auto* made = verb(*lists, add ? "add" : "remove",
                      add ? "counts from the block after the mark, or from --from-block"
                          : "makes nothing new; what it made stays",
                      add ? "tidemark lists add wallets 0x… --from-block 19000000"
                          : "tidemark lists remove wallets 0x…",
                      [this, add] { return lists_change(how_, name_, ids_, add, after_); });
    made->add_option("NAME", name_)->required();
    made->add_option("ADDRESS", ids_)->required();
    if (add) made->add_option("--from-block", after_, "scanned from there; what is found is late");
  }
}

void command_line::add_webhook_verbs(CLI::App& program) {
  auto* webhooks = group(program, "webhooks", "what the sources sent");
  auto* list = verb(*webhooks, "list", "newest first", "tidemark webhooks list --state not_found",
                    [] { return int{exit_usage}; });
  const filters* by = add_filters(*list, {"source", "state", "limit", "after"});
  list->callback([this, by] { chosen_ = [this, by] { return webhooks_list(how_, *by); }; });
  verb(*webhooks, "show", "one of them, and what became of it", "tidemark webhooks show 17",
       [this] { return webhooks_show(how_, id_); })
      ->add_option("ID", id_)
      ->required();
  auto* again = verb(*webhooks, "reprocess", "extracts their hints again",
                     "tidemark webhooks reprocess 17 18", [this] {
                       if (!all_ && ids_.empty()) {
                         complain("tidemark: which webhooks? Give their ids, or --all");
                         return int{exit_usage};
                       }
                       if (!all_) return webhooks_reprocess(how_, ids_);
                       return webhooks_reprocess_all(how_, *chosen_webhooks_, dry_run_);
                     });
  auto* ids = again->add_option("ID", ids_);
  auto* all = again->add_flag("--all", all_,
                              "every stored one, or those of --source and with a hint in --state");
  all->excludes(ids);
  chosen_webhooks_ = add_filters(*again, {"source", "state"});
  again->add_flag("--dry-run", dry_run_, "counts them alone")->needs(all);
  for (const char* filter : {"--source", "--state"})
    again->get_option(filter)->needs(all);
}

void command_line::add_handler_verbs(CLI::App& program) {
  auto* handlers = group(program, "handlers", "who is told");
  verb(*handlers, "list", "all of them", "tidemark handlers list",
       [this] { return handlers_list(how_); });
  for (const bool paused : {true, false}) {
    auto* made = verb(*handlers, paused ? "pause" : "resume",
                      paused ? "sends nothing more; the queue is kept"
                             : "sends again; ends the wait of one that is broken or asked to wait",
                      paused ? "tidemark handlers pause app --reason deploying"
                             : "tidemark handlers resume app",
                      [this, paused] { return handlers_pause(how_, name_, paused, reason_); });
    made->add_option("NAME", name_)->required();
    made->add_option("--reason", reason_, "for the record");
  }
  auto* keys = verb(*handlers, "keys", "blocked, parked and held keys",
                    "tidemark handlers keys app --state blocked", [] { return int{exit_usage}; });
  keys->add_option("NAME", name_)->required();
  const filters* by = add_filters(*keys, {"state", "limit", "after"});
  keys->callback([this, by] { chosen_ = [this, by] { return handlers_keys(how_, name_, *by); }; });
  verb(*handlers, "test", "sends a signed ping", "tidemark handlers test app",
       [this] { return handlers_test(how_, name_); })
      ->add_option("NAME", name_)
      ->required();
}

void command_line::add_dead_verbs(CLI::App& program) {
  auto* dead = group(program, "dead", "parked messages");
  auto* list =
      verb(*dead, "list", "newest first", "tidemark dead list", [] { return int{exit_usage}; });
  const filters* by = add_filters(*list, {"limit", "after"});
  list->callback([this, by] { chosen_ = [this, by] { return dead_list(how_, *by); }; });
  auto* retry = verb(*dead, "retry", "tries them again", "tidemark dead retry 17 18",
                     [this] { return dead_retry(how_, numbers_); });
  auto* ids = retry->add_option("ID", numbers_);
  auto* all = retry->add_flag("--all", all_, "every parked one");
  all->excludes(ids);
  retry->require_option(1);
  auto* skip = verb(*dead, "skip", "lets a tidemark.gap take their places",
                    "tidemark dead skip 17 --reason 'booked by hand'",
                    [this] { return dead_skip(how_, numbers_, reason_.value_or("")); });
  skip->add_option("ID", numbers_)->required();
  skip->add_option("--reason", reason_, "for the audit and for `gaps`")->required();
}

void command_line::add_replay_verb(CLI::App& program) {
  auto* made = verb(program, "replay",
                    "sends a handler again what it was sent of the chosen events; without --yes "
                    "it only says how much",
                    "tidemark replay app --since 2026-11-29T10:00:00Z --yes",
                    [this] { return replay(how_, replay_); });
  auto& w = replay_;
  made->add_option("HANDLER", w.handler)->required();
  made->add_option("--since", w.since, "facts from then on, like 2026-11-29T10:00:00Z");
  made->add_option("--until", w.until, "facts up to then");
  made->add_option("--from-seq", w.from_seq, "of the feed");
  made->add_option("--to-seq", w.to_seq);
  made->add_option("--event", w.event, "one event's id");
  auto* chain = made->add_option("--chain", w.chain);
  made->add_option("--from-block", w.from_block)->needs(chain);
  made->add_option("--to-block", w.to_block)->needs(chain);
  auto* reason = made->add_option("--reason", w.reason, "for the audit");
  made->add_flag("--as-new", w.as_new, "under new ids, so that the handler takes them for new")
      ->needs(reason);
  made->add_option("--rate", w.rate, "messages a second at most");
  made->add_flag("--yes", w.yes, "sends them");
}

} // namespace tidemark::app
