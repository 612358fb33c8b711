// Runs subcommands of the program in this process.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/report/commands.h"

namespace linebloom::tools {

// CLI11's exceptions for wrong `arguments`.
inline absl::StatusOr<Outcome> RunSubcommand(
    const Subcommand& subcommand, std::vector<std::string> arguments) {
  CLI::App app;
  if (subcommand.has_page) app.add_option("--html");
  const Runner run = subcommand.declare(&app);
  std::ranges::reverse(arguments);  // CLI11 takes them from the end
  app.parse(std::move(arguments));
  return run();
}

}  // namespace linebloom::tools
