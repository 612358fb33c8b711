// Handles Ctrl-C: long loops check a flag, so that destructors run and
// temporary folders are removed.
#pragma once

#include "absl/status/status.h"

namespace linebloom::tools {

// From now on SIGINT, SIGTERM and SIGHUP set a flag. A second signal ends the
// process at once, as usual.
void CatchInterrupts();

// True if a signal arrived. May be called from any thread.
bool Interrupted();

// OK, or Cancelled after a signal.
absl::Status CheckInterrupt();

}  // namespace linebloom::tools
