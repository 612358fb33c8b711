// The filter policies of the tests in this folder.
#pragma once

#include <ostream>
#include <string>

namespace linebloom {

struct Policy {
  const char* name = "";           // in the names of tests
  const char* option_string = "";  // for RocksDB; empty: no filters
  double rate = 1;                 // of false positives, about
  double bits_per_key = 0;         // of a linebloom filter; 0: not looked at

  bool builds_filters() const { return rate < 1; }
  bool is_linebloom() const { return Asks("linebloom"); }
  // The files' TableProperties::filter_policy_name.
  std::string file_name() const {
    const std::string id = option_string;
    if (!is_linebloom()) return id.substr(0, id.find(':'));
    return Asks("line=plain") ? "linebloom:plain" : "linebloom";
  }
  // RocksDB's policies treat linebloom's solved lines as 'may match'; all other
  // filters are read by any policy.
  bool CanRead(const Policy& written_with) const {
    return is_linebloom() || !written_with.builds_solved_lines();
  }
  bool builds_solved_lines() const {
    constexpr double kMinSolvedBits = 2.25;
    return file_name() == "linebloom" &&
           (bits_per_key == 0 || bits_per_key >= kMinSolvedBits);
  }
  bool Asks(const char* words) const {
    return std::string(option_string).find(words) != std::string::npos;
  }
};

inline std::ostream& operator<<(std::ostream& out, const Policy& policy) {
  return out << policy.name;
}

inline constexpr Policy kNone{"None", ""};
inline constexpr Policy kBloom{"Bloom", "bloomfilter:10", 0.0095};
inline constexpr Policy kManyBitBloom{"ManyBitBloom", "bloomfilter:40", 1e-5};
// -1: Ribbon in every level, those of flushes included.
inline constexpr Policy kRibbon{"Ribbon", "ribbonfilter:10:-1", 0.0095};
// Bloom in level 0.
inline constexpr Policy kBloomAndRibbon{"BloomAndRibbon", "ribbonfilter:10:1",
                                        0.0095};

// With format version 4 and older it is the Bloom filter of RocksDB before 6.6.
inline constexpr Policy kLegacyBloom{"LegacyBloom", "bloomfilter:10", 0.013};

inline constexpr Policy kLinebloom{"Linebloom", "linebloom:10", 0.0016, 10};
inline constexpr Policy kPlain{
    "Plain", "{id=linebloom;bits_per_key=10;line=plain}", 0.0105, 10};
inline constexpr Policy kTooFewBits{"TooFewBits", "linebloom:0.499"};
inline constexpr Policy kTooFewBloomBits{"TooFewBloomBits", "bloomfilter:0.2"};
inline constexpr Policy kHalfABit{"HalfABit", "linebloom:0.5", 0.9, 1};
inline constexpr Policy kOneAndAHalfBits{"OneAndAHalfBits", "linebloom:1.5",
                                         0.7, 1.5};
inline constexpr Policy kThirtyBits{"ThirtyBits", "linebloom:30", 1e-5, 30};
inline constexpr Policy kSixteenBits{"SixteenBits", "linebloom:16", 4e-5, 16};
inline constexpr Policy kFiveBits{"FiveBits", "linebloom:5", 0.037, 5};
inline constexpr Policy kSeed7{"Seed7", "{id=linebloom:10;hash_seed=7}", 0.0016,
                               10};
inline constexpr Policy kSeed8{
    "Seed8", "{id=linebloom:10;hash_seed=0xfedcba9876543210}", 0.0016, 10};
inline constexpr Policy kRateOf2Percent{
    "RateOf2Percent", "{id=linebloom;false_positive_rate=0.02}", 0.02};

}  // namespace linebloom
