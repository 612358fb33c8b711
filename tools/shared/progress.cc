#include "tools/shared/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace linebloom::tools {
namespace {

// "40 s", "1 min 20 s", "2 h 5 min".
std::string Duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrCat(whole / 60, " min ", whole % 60, " s");
  return absl::StrCat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

}  // namespace

Progress::Progress() : enabled_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { Clear(); }

void Progress::Begin(absl::string_view step, uint64_t total) {
  if (!enabled_) return;
  step_ = std::string(step);
  total_ = total;
  begin_ = std::chrono::steady_clock::now();
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
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin_;
  // The first fraction of a second is not representative.
  const std::string left =
      share == 0 || taken.count() < 0.3
          ? ""
          : absl::StrCat(", ", Duration(taken.count() * (1 - share) / share),
                         " left");
  absl::FPrintF(stderr, "\r%s %3.0f %%%s\x1b[K", step_, 100 * share, left);
  std::fflush(stderr);
  drawn_ = true;
  next_draw_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
}

}  // namespace linebloom::tools
