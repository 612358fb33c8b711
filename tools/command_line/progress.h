// One line on stderr that says how far a tool is, if stderr is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Writes nothing where stderr is no terminal. Takes its line away when it is
// destroyed, so that what is printed next starts on a clean line. One thread.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a step of `total` units (rows, lookups), 0 done.
  void Begin(absl::string_view step, uint64_t total);

  // `done` of the units are done. Cheap: redraws ten times a second.
  void Update(uint64_t done);

  // Takes the line away, until the next Begin or Update.
  void Clear();

 private:
  void Draw(uint64_t done);

  const bool enabled_;
  bool drawn_ = false;
  std::string step_;
  uint64_t total_ = 0;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace linebloom::tools
