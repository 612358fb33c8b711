// Paces work to a number of bytes per second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace linebloom {

// How long to pause after processing `bytes` in `elapsed`, to keep to
// `bytes_per_second`; 0: no limit.
std::chrono::duration<double> PauseAfter(uint64_t bytes,
                                         std::chrono::duration<double> elapsed,
                                         uint64_t bytes_per_second);

// Sleeps for `pause`, or until `go_on`, called ten times per second, returns
// false.
void SleepWhile(std::chrono::duration<double> pause,
                const std::function<bool()>& go_on);

}  // namespace linebloom
