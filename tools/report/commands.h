// The program's subcommands, each declared at the end of its own file.
#pragma once

#include "tools/report/run_tool.h"

namespace linebloom::tools {

extern const Subcommand kCompare;
extern const Subcommand kAdvise;
extern const Subcommand kDump;
extern const Subcommand kVerify;
extern const Subcommand kCheckOptions;
extern const Subcommand kSize;
extern const Subcommand kMigrate;

}  // namespace linebloom::tools
