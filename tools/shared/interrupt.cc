#include "tools/shared/interrupt.h"

#include <atomic>
#include <csignal>

namespace linebloom::tools {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void NoteInterrupt(int /*signal*/) { interrupted.store(true); }

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = NoteInterrupt;
  // Reset: a second signal has its default effect. Restart: RocksDB would
  // report an interrupted read as a disk error.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // Shells start background jobs with the signal ignored, and so does nohup;
    // don't change that.
    if (before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

absl::Status CheckInterrupt() {
  if (Interrupted()) return absl::CancelledError("interrupted");
  return absl::OkStatus();
}

}  // namespace linebloom::tools
