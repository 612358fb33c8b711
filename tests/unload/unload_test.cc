// Loads linebloom as a plug-in and unloads it again. RocksDB's registry still
// has its policy and listener, so the library must stay loaded.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>

#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"

namespace {

class UnloadTest : public testing::TestWithParam<const char*> {};

TEST_P(UnloadTest, OptionStringsAreStillParsed) {
  void* const library = dlopen(GetParam(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  ASSERT_EQ(dlclose(library), 0) << dlerror();

  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
      config, "{id=linebloom:12;line=plain}", &policy);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(policy->GetId(), "linebloom:plain:12");

  rocksdb::DBOptions options;
  status = rocksdb::GetDBOptionsFromString(
      config, {}, "listeners=linebloom_level_sizes", &options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(options.listeners.size(), 1u);
  EXPECT_STREQ(options.listeners[0]->Name(), "linebloom_level_sizes");
}

INSTANTIATE_TEST_SUITE_P(Of, UnloadTest,
                         testing::Values(LINEBLOOM_LIBRARY,
                                         LINEBLOOM_OVERRIDE_LIBRARY),
                         [](const auto& test) {
                           return test.index == 0 ? "Library" : "Override";
                         });

}  // namespace
