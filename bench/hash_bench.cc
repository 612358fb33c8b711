// Measures the time to hash a key, by hash and length of the key: the basis for
// choosing the hash of seeded filters (docs/format.md).
//
//   build/release/bench/hash_bench --benchmark_filter=/cold/
//
// Names are WHERE/WHEN/HASH/BYTES. WHERE: hot (one file), cold (two million
// files in random order, each with what its hash needs beside the address of
// its lines, on cache lines of its own as in its reader). WHEN: overlapping
// (keys known beforehand, so that the CPU works on several), after (each key
// known when the hash before it is, which shows how long one takes).
// HASH: xxh3 (without a seed, as filters without a seed have it), xxh3-seed
// (the seed added to XXH3's public secret), xxh3-secret (a secret of 192 bytes
// made from the seed), siphash-1-3, siphash-2-4.
#define XXH_INLINE_ALL
#include <benchmark/benchmark.h>
#include <highwayhash/sip_hash.h>
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace linebloom {
namespace {

struct Xxh3 {
  void SetSeed(uint64_t /*seed*/) {}
  uint64_t operator()(const char* key, size_t size) const {
    return XXH3_64bits(key, size);
  }
};

struct Xxh3Seed {
  uint64_t seed;
  void SetSeed(uint64_t to) { seed = to; }
  uint64_t operator()(const char* key, size_t size) const {
    return XXH3_64bits_withSeed(key, size, seed);
  }
};

struct Xxh3Secret {
  std::array<uint64_t, 24> secret;
  void SetSeed(uint64_t to) {
    for (uint64_t i = 0; i < secret.size(); ++i) {
      secret[i] = XXH3_64bits_withSeed(&i, sizeof(i), to);
    }
  }
  uint64_t operator()(const char* key, size_t size) const {
    return XXH3_64bits_withSecret(key, size, secret.data(), sizeof(secret));
  }
};

// Reads fewer than eight bytes as a number.
uint64_t Rest(const char* key, size_t size) {
  const auto byte = [key](size_t i) {
    return uint64_t{static_cast<uint8_t>(key[i])};
  };
  if (size >= 4) {
    uint32_t low, high;
    std::memcpy(&low, key, 4);
    std::memcpy(&high, key + size - 4, 4);
    return low | uint64_t{high} << (8 * (size - 4));
  }
  if (size == 0) return 0;
  return byte(0) | byte(size / 2) << (8 * (size / 2)) |
         byte(size - 1) << (8 * (size - 1));
}

template <int kRoundsOfWord, int kRoundsAtEnd>
struct SipHash {
  using State = highwayhash::SipHashStateT<kRoundsOfWord, kRoundsAtEnd>;
  uint64_t seed;
  void SetSeed(uint64_t to) { seed = to; }
  uint64_t operator()(const char* key, size_t size) const {
    State state({seed, ~seed});
    size_t at = 0;
    for (; at + 8 <= size; at += 8) state.Update(key + at);
    const uint64_t last = Rest(key + at, size % 8) | uint64_t{size} << 56;
    state.Update(reinterpret_cast<const char*>(&last));
    return state.Finalize();
  }
};

// Laid out as in a reader.
template <typename Hash>
struct alignas(64) File {
  uint64_t lines;
  Hash hash;
};

template <typename Hash>
std::unique_ptr<File<Hash>[]> MakeFiles(size_t count) {
  std::unique_ptr<File<Hash>[]> files(new File<Hash>[count]);
  for (size_t i = 0; i < count; ++i) {
    files[i].lines = i;
    files[i].hash.SetSeed(i + 1);
  }
  return files;
}

constexpr size_t kColdFiles = size_t{1} << 21;
constexpr size_t kMostBytes = 128;

// `size` must not be a constant to the compiler, as it isn't in a filter.
template <typename Hash, bool overlapping>
void Run(benchmark::State& state, size_t file_count, size_t size) {
  const auto files = MakeFiles<Hash>(file_count);
  std::array<char, kMostBytes> key{};
  benchmark::DoNotOptimize(size);
  uint64_t last = 0;
  uint64_t number = 0;
  for (auto _ : state) {
    number = (number + 1) * 0x9e3779b97f4a7c15;
    const uint64_t input = overlapping ? number : number ^ last;
    std::memcpy(key.data(), &input, sizeof(input));
    const File<Hash>& file = files[(input >> 32) & (file_count - 1)];
    last = file.hash(key.data(), size) ^ file.lines;
    benchmark::DoNotOptimize(last);
  }
}

template <typename Hash>
void Register(const std::string& name) {
  for (const bool cold : {false, true}) {
    for (const bool overlapping : {true, false}) {
      for (const size_t size : {8, 16, 24, 32, 64, 128}) {
        benchmark::RegisterBenchmark(
            (std::string(cold ? "cold/" : "hot/") +
             (overlapping ? "overlapping/" : "after/") + name + "/" +
             std::to_string(size))
                .c_str(),
            [cold, overlapping, size](benchmark::State& state) {
              auto* const run =
                  overlapping ? &Run<Hash, true> : &Run<Hash, false>;
              run(state, cold ? kColdFiles : 1, size);
            });
      }
    }
  }
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  linebloom::Register<linebloom::Xxh3>("xxh3");
  linebloom::Register<linebloom::Xxh3Seed>("xxh3-seed");
  linebloom::Register<linebloom::Xxh3Secret>("xxh3-secret");
  linebloom::Register<linebloom::SipHash<1, 3>>("siphash-1-3");
  linebloom::Register<linebloom::SipHash<2, 4>>("siphash-2-4");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
