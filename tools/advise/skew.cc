#include "tools/advise/skew.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/compare/keys.h"

namespace linebloom::tools {
namespace {

// A uniform number from 0 to below 1.
double ShareOf(uint64_t mixed) { return (mixed >> 11) / 0x1p53; }

constexpr int kZipfStretches = 1000;

// Limits how far apart generated rows must be for missing keys to fit in
// between (workload.cc).
constexpr double kMinPercent = 0.1;
constexpr double kMaxPercent = 99.9;
constexpr double kMinExponent = 0.1;
constexpr double kMaxExponent = 2;

absl::Status OutOfRange(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--skew='", text, "': must be A/B with ", kMinPercent,
      " <= B <= A <= ", kMaxPercent, ", such as 80/20, or zipf:S with S from ",
      kMinExponent, " to ", kMaxExponent, ", such as zipf:0.99"));
}

bool Read(absl::string_view text, double min, double max, double* number) {
  return absl::SimpleAtod(text, number) && *number >= min && *number <= max;
}

// `lookups` and `keys` are shares.
std::vector<Skew::Stretch> HotRange(double lookups, double keys, double begin) {
  const double cold = (1 - lookups) / (1 - keys);  // per key
  const double end = begin + keys;
  return {{0, begin, cold * begin},
          {begin, end, lookups},
          {end, 1, cold * (1 - end)}};
}

std::vector<Skew::Stretch> Zipf(double exponent, uint64_t seed) {
  std::vector<double> popularity(kZipfStretches);
  for (int i = 0; i < kZipfStretches; ++i) {
    popularity[i] = std::pow(i + 1, -exponent);
  }
  const double all = std::accumulate(popularity.begin(), popularity.end(), 0.0);
  std::shuffle(popularity.begin(), popularity.end(), std::mt19937_64(seed));
  std::vector<Skew::Stretch> stretches;
  for (int i = 0; i < kZipfStretches; ++i) {
    stretches.push_back({1.0 * i / kZipfStretches,
                         1.0 * (i + 1) / kZipfStretches, popularity[i] / all});
  }
  return stretches;
}

}  // namespace

absl::StatusOr<Skew> Skew::Parse(absl::string_view text, uint64_t seed) {
  if (text.empty()) return Skew();
  const uint64_t place = Mix(seed, 4);
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "zipf:")) {
    double exponent = 0;
    if (!Read(rest, kMinExponent, kMaxExponent, &exponent)) {
      return OutOfRange(text);
    }
    return Skew(Zipf(exponent, place),
                absl::StrFormat("%d ranges of keys share them by Zipf's law, "
                                "exponent %g",
                                kZipfStretches, exponent));
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  double lookups = 0;
  double keys = 0;
  if (!Read(parts.first, kMinPercent, kMaxPercent, &lookups) ||
      !Read(parts.second, kMinPercent, lookups, &keys)) {
    return OutOfRange(text);
  }
  const double begin = (1 - keys / 100) * ShareOf(place);
  return Skew(HotRange(lookups / 100, keys / 100, begin),
              absl::StrFormat("%g %% of them in the %g %% of the key space "
                              "from %.1f to %.1f %%",
                              lookups, keys, 100 * begin, 100 * begin + keys));
}

size_t Skew::Draw(double random) const {
  const auto end = std::ranges::upper_bound(ends_, random);
  // The sums may end slightly below 1.
  return std::min<size_t>(end - ends_.begin(), stretches_.size() - 1);
}

double Skew::LookupsBetween(double begin, double end) const {
  double lookups = 0;
  for (const Stretch& stretch : stretches_) {
    const double common =
        std::min(end, stretch.end) - std::max(begin, stretch.begin);
    if (common <= 0) continue;
    lookups += stretch.lookups * common / (stretch.end - stretch.begin);
  }
  return lookups;
}

double Skew::Peak() const {
  double peak = 0;
  for (const Stretch& stretch : stretches_) {
    const double keys = stretch.end - stretch.begin;
    if (keys > 0) peak = std::max(peak, stretch.lookups / keys);
  }
  return peak;
}

Skew::Skew(std::vector<Stretch> stretches, std::string words)
    : stretches_(std::move(stretches)), words_(std::move(words)) {
  ends_.clear();
  double sum = 0;
  for (const Stretch& stretch : stretches_) {
    ends_.push_back(sum += stretch.lookups);
  }
}

}  // namespace linebloom::tools
