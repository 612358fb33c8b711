// Ctrl-C: long loops look at a flag, so that destructors run and temporary
// folders go.
#pragma once

#include "absl/status/status.h"

namespace linebloom::tools {

// From now on SIGINT, SIGTERM and SIGHUP set a flag. A second one ends the
// process at once, as without us.
void CatchInterrupts();

// Whether a signal came. Any thread.
bool Interrupted();

// OK, or Cancelled once a signal came.
absl::Status CheckInterrupt();

}  // namespace linebloom::tools
