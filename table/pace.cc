#include "table/pace.h"

#include <algorithm>
#include <thread>

namespace linebloom {

using Seconds = std::chrono::duration<double>;

Seconds PauseAfter(uint64_t bytes, Seconds elapsed, uint64_t bytes_per_second) {
  if (bytes_per_second == 0) return Seconds(0);
  const Seconds due(1.0 * bytes / bytes_per_second);
  return std::max(Seconds(0), due - elapsed);
}

void SleepWhile(Seconds pause, const std::function<bool()>& go_on) {
  constexpr Seconds kTurn(0.1);
  for (; pause > Seconds(0); pause -= kTurn) {
    if (!go_on()) return;
    std::this_thread::sleep_for(std::min(pause, kTurn));
  }
}

}  // namespace linebloom
