// SPDX-License-Identifier: MIT
#include "app/asking.hpp"
#include "app/command_line.hpp"
#include "app/terminal.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

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
    return program.exit(e) == 0 ? exit_done : exit_usage;
  }
  return line.run();
}
