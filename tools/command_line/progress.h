// One line on stderr that says how far a tool is, if stderr is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// What comes after a step, to tell the time that is left.
struct LaterWork {
  double units = 0;  // that take as long as those of the step
  double seconds = 0;
};

// "40 s", "1 min 20 s", "2 h 5 min".
std::string Duration(double seconds);

// Writes nothing where stderr is no terminal. Takes its line away when it is
// destroyed, so that what is printed next starts on a clean line. One thread.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a step of `total` units (rows, lookups), 0 done. With `later` known
  // the line says how much time is left for both.
  void Begin(absl::string_view step, uint64_t total,
             const std::optional<LaterWork>& later = std::nullopt);

  // `done` of the units are done. Cheap: redraws ten times a second.
  void Update(uint64_t done);

  // Takes the line away, until the next Begin or Update.
  void Clear();

 private:
  void Draw(uint64_t done);
  std::string TimeLeft(uint64_t done) const;

  const bool enabled_;
  bool drawn_ = false;
  std::string step_;
  uint64_t total_ = 0;
  std::optional<LaterWork> later_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace linebloom::tools
