// SPDX-License-Identifier: MIT
#include "app/asking.hpp"
#include "app/command_line.hpp"
#include "app/terminal.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string_view>

namespace {

/// What was asked for and never came out is not done.
int written(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  tidemark::app::complain("tidemark: the output could not be written");
  return status == tidemark::app::exit_done ? int{tidemark::app::exit_failed} : status;
}

} // namespace

int main(int argc, char** argv) {
  using namespace tidemark::app;
  CLI::App program(
      "Turns blockchain webhooks into facts: what a webhook claims is looked up on the "
      "chain, told once, in order, when it is sure, and taken back when it is undone.",
      "tidemark");
  command_line line(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // What stands where a verb should is more help than that one is missing.
    const auto rest = program.remaining(true);
    if (std::string_view(e.what()).find("subcommand is required") != std::string_view::npos &&
        !rest.empty()) {
      complain("tidemark: there is no verb `" + printable(rest.front()) +
               "`; `tidemark --help` lists them");
      return exit_usage;
    }
    // CLI11 prints help or what is wrong; its own numbers for the kinds of wrong are not ours.
    return written(program.exit(e) == 0 ? exit_done : exit_usage);
  }
  return written(line.run());
}
