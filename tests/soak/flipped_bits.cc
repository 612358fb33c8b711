// Flips single bits in the memory of filter builders and readers, as a failing
// machine does, and counts what comes of it: above all filters that deny one of
// their keys without a word. linebloom's beside RocksDB's own, with
// detect_filter_construct_corruption and without.
//
//   flipped_bits [FLIPS]       in each cell of the table
//
// The injector is this process: its operator new knows each piece of memory
// that a builder or reader has taken, and a timer's signal flips one of their
// bits, drawn at random, at a moment between the first AddKey() and the end of
// MaybePostVerify(); or it is flipped before the reader is first probed.
// Registers are not flipped.
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace {

constexpr size_t kMaxPieces = 100'000;
struct Piece {
  uint8_t* memory;
  size_t size;
};
Piece pieces[kMaxPieces];
size_t piece_count = 0;
bool tracks = false;
volatile bool flipped = false;
std::mt19937_64* random_bits = nullptr;

void Flip() {
  uint64_t bits = 0;
  for (size_t i = 0; i < piece_count; ++i) bits += 8 * pieces[i].size;
  uint64_t bit = (*random_bits)() % bits;
  size_t piece = 0;
  for (; bit >= 8 * pieces[piece].size; ++piece) bit -= 8 * pieces[piece].size;
  pieces[piece].memory[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  flipped = true;
}

void FlipAtSignal(int /*signal*/) { Flip(); }

}  // namespace

void* operator new(size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  if (!tracks || piece_count == kMaxPieces) return memory;
  pieces[piece_count++] = {static_cast<uint8_t*>(memory), size};
  return memory;
}
void operator delete(void* memory) noexcept {
  for (size_t i = 0; i < piece_count; ++i) {
    if (pieces[i].memory == memory) pieces[i] = pieces[--piece_count];
  }
  std::free(memory);
}
void operator delete(void* memory, size_t /*size*/) noexcept {
  operator delete(memory);
}

namespace linebloom {
namespace {

enum Outcome { kHarmless, kReported, kDenied, kCrashed, kTooLate };

// Returns what a builder that may detect corruption makes of the keys.
Outcome Build(const rocksdb::FilterPolicy& policy, bool detects,
              const std::vector<std::string>& keys,
              std::unique_ptr<const char[]>* bytes, rocksdb::Slice* block) {
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = detects;
  const auto builder = NewBuilder(policy, table);
  for (const std::string& key : keys) builder->AddKey(key);
  rocksdb::Status status;
  *block = builder->Finish(bytes, &status);
  return status.ok() && builder->MaybePostVerify(*block).ok() ? kHarmless
                                                              : kReported;
}

// Runs in a process of its own.
Outcome FlipOnce(const rocksdb::FilterPolicy& policy, bool detects,
                 bool building, uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  std::mt19937_64 random(seed);
  random_bits = &random;
  const std::vector<std::string> keys = NumberedKeys("key", 20'000);
  std::unique_ptr<const char[]> bytes;
  rocksdb::Slice block;
  const auto start = Clock::now();
  Build(policy, detects, keys, &bytes, &block);
  const std::chrono::duration<double, std::micro> took = Clock::now() - start;
  tracks = true;
  if (building) {
    signal(SIGALRM, FlipAtSignal);
    itimerval timer = {};
    timer.it_value.tv_usec =
        1 + static_cast<int>(random() % static_cast<uint64_t>(took.count()));
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
  const Outcome built = Build(policy, detects, keys, &bytes, &block);
  if (building && !flipped) return kTooLate;
  if (built == kReported) return kReported;
  const auto reader = NewReader(policy, block);
  if (!building) Flip();
  tracks = false;
  const int matches = CountMatches(reader.get(), keys);
  return matches < static_cast<int>(keys.size()) ? kDenied : kHarmless;
}

Outcome FlipInChild(const rocksdb::FilterPolicy& policy, bool detects,
                    bool building, uint64_t seed) {
  const pid_t child = fork();
  if (child == 0) {
    fclose(stderr);
    _exit(FlipOnce(policy, detects, building, seed));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status))
                           : kCrashed;
}

void PrintLine(const char* name, const rocksdb::FilterPolicy& policy,
               bool building, bool detects, int flips) {
  int counts[kTooLate + 1] = {};
  for (int done = 0, seed = 0; done < flips; ++seed) {
    const Outcome outcome = FlipInChild(policy, detects, building, seed);
    ++counts[outcome];
    if (outcome != kTooLate) ++done;
  }
  printf("%-9s %-9s %7s %9d %9d %7d %8d\n", building ? "building" : "reading",
         name, detects ? "yes" : "no", counts[kHarmless], counts[kReported],
         counts[kDenied], counts[kCrashed]);
  fflush(stdout);
}

void Run(int flips) {
  const std::pair<const char*, const rocksdb::FilterPolicy*> policies[] = {
      {"linebloom", NewFilterPolicy(10)},
      {"Bloom", rocksdb::NewBloomFilterPolicy(10)},
      {"Ribbon", rocksdb::NewRibbonFilterPolicy(10)}};
  printf("%d flips each       detects  harmless  reported  denied  crashed\n",
         flips);
  for (const bool building : {true, false}) {
    for (const bool detects : {false, true}) {
      for (const auto& [name, policy] : policies) {
        PrintLine(name, *policy, building, detects, flips);
      }
    }
  }
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  linebloom::Run(argc > 1 ? std::atoi(argv[1]) : 200);
}
