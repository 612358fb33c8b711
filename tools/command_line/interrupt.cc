#include "tools/command_line/interrupt.h"

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
  // Reset: the second signal does what it does by default. Restart: RocksDB
  // reports an interrupted read as an error of the disk.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // A shell starts background jobs, and nohup its program, with the signal
    // ignored; that stays.
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
