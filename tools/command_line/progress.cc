#include "tools/command_line/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_format.h"

namespace linebloom::tools {

Progress::Progress() : enabled_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { Clear(); }

void Progress::Begin(absl::string_view step, uint64_t total) {
  if (!enabled_) return;
  step_ = std::string(step);
  total_ = total;
  Draw(0);
}

void Progress::Update(uint64_t done) {
  if (!enabled_ || std::chrono::steady_clock::now() < next_draw_) return;
  Draw(done);
}

void Progress::Clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void Progress::Draw(uint64_t done) {
  const double share = total_ == 0
                           ? 1.0
                           : std::min(1.0, static_cast<double>(done) /
                                               static_cast<double>(total_));
  absl::FPrintF(stderr, "\r%s %3.0f %%\x1b[K", step_, 100 * share);
  std::fflush(stderr);
  drawn_ = true;
  next_draw_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
}

}  // namespace linebloom::tools
