// Shows a tool's progress in one line on stderr, if that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Writes nothing if stderr is not a terminal. The destructor removes the line,
// so that further output starts on a clean line. One thread.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a step of `total` units (rows, lookups).
  void Begin(absl::string_view step, uint64_t total);

  // Reports that `done` units are done. Cheap: redraws ten times per second.
  void Update(uint64_t done);

  // Removes the line until the next Begin or Update.
  void Clear();

 private:
  void Draw(uint64_t done);

  const bool enabled_;
  bool drawn_ = false;
  std::string step_;
  uint64_t total_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace linebloom::tools
