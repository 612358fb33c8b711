// Draws the seeds for hash_seed=random.
#pragma once

#include <cstdint>
#include <optional>

namespace linebloom {

// A fresh seed, not 0, from the operating system's entropy; nothing if it
// provides none (a kernel older than 3.17, or a sandbox that forbids
// getrandom). Never blocks once the system is up. Thread-safe.
std::optional<uint64_t> DrawHashSeed();

}  // namespace linebloom
