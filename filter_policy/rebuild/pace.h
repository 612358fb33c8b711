// Work at so many bytes a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace linebloom {

// How much longer work of `bytes` that took `elapsed` should have taken at
// `bytes_per_second`, 0 for no limit.
std::chrono::duration<double> PauseAfter(uint64_t bytes,
                                         std::chrono::duration<double> elapsed,
                                         uint64_t bytes_per_second);

// Sleeps, and calls `go_on` ten times a second. False once that returns false.
bool SleepWhile(std::chrono::duration<double> pause,
                const std::function<bool()>& go_on);

}  // namespace linebloom
