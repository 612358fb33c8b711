// The command that is running, to be told in a report.
#pragma once

#include <string>

namespace linebloom::tools {

// As it can be typed into a shell, with the program's name without its folder.
std::string CommandText(int argc, char** argv);

}  // namespace linebloom::tools
