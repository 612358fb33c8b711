// soak: checks any number of keys for a wrong 'no'.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "tests/soak/soak_filter.h"
#include "tools/shared/command_line.h"
#include "tools/shared/progress.h"

ABSL_FLAG(uint64_t, keys, 300'000, "minimum number of keys to check");
ABSL_FLAG(uint64_t, seed, 1, "each seed draws different filters");
ABSL_FLAG(std::optional<uint64_t>, filter, std::nullopt,
          "check only this one of the filters that the seed draws");
ABSL_FLAG(unsigned, threads, 0, "number of threads; 0: one per CPU");

namespace linebloom {
namespace {

using tools::ExitCode;

constexpr char kUsage[] =
    "checks linebloom's filters for a wrong 'no'.\n"
    "\n"
    "  soak --keys=1000000000\n"
    "\n"
    "Draws one filter after another: up to 10 million keys of 0 to 1,000\n"
    "bytes, both kinds of lines, bits per key or a rate, with and without a\n"
    "hash seed. Each is built with another instruction set of this CPU, and\n"
    "probed for all of its keys, singly and in batches, with each of them.\n"
    "\n"
    "Exits with 0; with 1 if a key was denied (stderr says how to check\n"
    "its filter again), or with 2 after bad usage.";

// No filter has more than a tenth of all keys.
constexpr uint64_t kMaxKeysOfAFilter = 10'000'000;

class Soak {
 public:
  explicit Soak(uint64_t keys)
      : to_check_(keys),
        most_keys_(std::clamp<uint64_t>(keys / 10, 1, kMaxKeysOfAFilter)) {}

  void Check(uint64_t number) {
    const uint64_t seed = absl::GetFlag(FLAGS_seed);
    const SoakResult result = SoakFilter(seed, number, most_keys_);
    keys_ += result.keys;
    missing_probed_ += result.missing_probed;
    missing_rejected_ += result.missing_rejected;
    ++filters_;
    if (result.problem.empty()) return;
    failed_ = true;
    fprintf(stderr,
            "soak: %s. Again: soak --keys=%" PRIu64 " --seed=%" PRIu64
            " --filter=%" PRIu64 "\n",
            result.problem.c_str(), to_check_, seed, number);
  }

  // Runs until enough keys are checked, or one is denied.
  void CheckAll() {
    std::vector<std::thread> threads;
    unsigned count = absl::GetFlag(FLAGS_threads);
    if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([this] {
        while (keys_ < to_check_ && !failed_) Check(next_++);
      });
    }
    tools::Progress progress;
    progress.Begin("keys checked", to_check_);
    while (keys_ < to_check_ && !failed_) {
      progress.Update(std::min<uint64_t>(keys_, to_check_));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    for (std::thread& thread : threads) thread.join();
  }

  ExitCode Report(double seconds) const {
    const double rejected = static_cast<double>(missing_rejected_) /
                            static_cast<double>(missing_probed_);
    std::string kernels;
    for (const LineKernel* kernel : SupportedKernels()) {
      kernels += std::string(kernels.empty() ? "" : ", ") + kernel->name;
    }
    printf("%" PRIu64 " keys of %" PRIu64 " filters %s; %.1f s\n", keys_.load(),
           filters_.load(),
           failed_ ? "checked, and some were denied" : "checked, none denied",
           seconds);
    printf("built and probed with %s\n", kernels.c_str());
    printf("%.1f %% of %" PRIu64 " missing keys rejected\n", 100 * rejected,
           missing_probed_.load());
    if (failed_) return tools::kExitFoundSomething;
    // A filter that denies nothing must not pass either.
    if (rejected > 0.5) return tools::kExitFine;
    fprintf(stderr, "soak: these filters let most missing keys through\n");
    return tools::kExitFoundSomething;
  }

 private:
  const uint64_t to_check_;
  const uint64_t most_keys_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> keys_ = 0;
  std::atomic<uint64_t> filters_ = 0;
  std::atomic<uint64_t> missing_probed_ = 0;
  std::atomic<uint64_t> missing_rejected_ = 0;
  std::atomic<bool> failed_ = false;
};

int Main(int argc, char** argv) {
  tools::ParseFlagsOrExit(argc, argv, kUsage);
  const auto start = std::chrono::steady_clock::now();
  Soak soak(absl::GetFlag(FLAGS_keys));
  const std::optional<uint64_t> only = absl::GetFlag(FLAGS_filter);
  if (only.has_value()) {
    soak.Check(*only);
  } else {
    soak.CheckAll();
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  return soak.Report(seconds.count());
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) { return linebloom::Main(argc, argv); }
