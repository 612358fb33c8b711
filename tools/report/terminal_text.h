// Text for a terminal: numbers, wrapped lines, progress, and tables made from
// the JSON of a result, so that both show the same numbers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace linebloom::tools {

// Reports are made as JSON, and texts of it.
using Json = nlohmann::ordered_json;

// 1234567 as "1,234,567".
std::string WithThousands(uint64_t number);

// "1 file", "1,234 files".
std::string FilesText(uint64_t count);

// `number` with about three significant digits: "0.00123", "1.23", "123",
// "12,346".
std::string ThreeDigits(double number);

// The width of reports and of --help.
inline constexpr size_t kTextWidth = 80;

// `name` and, from the column `indent` on, the lines of `text`, wrapped at
// blanks. Longer words stay whole.
std::string NamedText(absl::string_view name, absl::string_view text,
                      size_t indent);

// List items: NamedText() with the name "-".
std::string BulletText(absl::string_view sentence);
std::string BulletsText(const Json& sentences);

// Replaces each "{/pointer:format}" in `text` by the value that the JSON
// pointer names in `json`. Formats:
//   3    three digits: "0.00123", "12,346"
//   ,    with thousands: "1,234,567"
//   1000 three digits of 1,000 times the number
//   %    three digits of 100 times the number
//   MB   three digits of a millionth of it; nothing for 0
//   .2f  and others, as for printf
// or none for strings, whose control characters become \x1b and the like.
// `text` may have alternatives, separated by "|", of which the first is taken
// whose values are all there and not null; "-" if none is.
std::string Fill(absl::string_view text, const Json& json);

struct Column {
  std::string heading;
  std::string cell;  // as for Fill
};

// A line for each of `rows`, after the headings. Aligns the first column left
// and all others right, with two blanks between them.
std::string TextTable(const std::vector<Column>& columns, const Json& rows);

// Shows progress in one line on stderr; silent if that isn't a terminal, or a
// dumb one. The destructor removes the line, so that further output starts on a
// clean line. One thread.
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

 private:
  bool enabled_ = false;
  bool drawn_ = false;
  std::string step_;
  uint64_t total_ = 0;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace linebloom::tools
