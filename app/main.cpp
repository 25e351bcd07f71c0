// SPDX-License-Identifier: MIT
#include "app/command_line.hpp"

#include <CLI/CLI.hpp>

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
    // CLI11 prints help or what is wrong; its own numbers for the kinds of wrong are not ours.
    return program.exit(e) == 0 ? exit_done : exit_usage;
  }
  return line.run();
}
