#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "nlohmann/json.hpp"
#include "tests/filter_policy/policy/filter_bits.h"
#include "tests/tools/run_subcommand.h"
#include "tools/database/policies.h"

namespace linebloom::tools {
namespace {

// In their order: the classic formula, linebloom, RocksDB's Bloom.
Json FiltersFor(uint64_t keys, const std::string& other) {
  return RunSubcommand(kSize, {absl::StrCat("--keys=", keys), other})
      ->json["filters"];
}

// The computed size is exactly what the policies build.
TEST(SizeTest, IsWhatIsBuilt) {
  for (const uint64_t keys : {1u, 51u, 52u, 12'345u}) {
    for (const double bits : {1.0, 2.0, 4.79, 9.59, 10.0, 14.38, 30.0}) {
      SCOPED_TRACE(testing::Message() << keys << " " << bits);
      const Json sizes =
          FiltersFor(keys, absl::StrCat("--bits_per_key=", bits));
      EXPECT_EQ(sizes[1]["bytes"],
                BuildFilterBlock(*linebloom::MakePolicy({bits}), keys).size());
      const std::string block = BuildFilterBlock(*MakeBloom(bits), keys);
      EXPECT_EQ(sizes[2]["bytes"], block.size());
      EXPECT_EQ(sizes[2]["probes"],
                ParseFilter(block.data(), block.size()).probes);
    }
  }
}

// More than 4 GiB means several files, none of whose filters is larger than
// that.
TEST(SizeTest, TakesMoreKeysThanOneFilterHolds) {
  const Json plain = FiltersFor(1'000'000'000'000, "--bits_per_key=10")[2];
  EXPECT_NEAR(plain["bits_per_key"], 10, 1e-4);
  EXPECT_NEAR(plain["rate"], ExpectedRate(LineKind::kPlain, 10'000, 51.2),
              1e-6);
}

}  // namespace
}  // namespace linebloom::tools
