#include <boost/bloom/block.hpp>
#include <boost/bloom/fast_multiblock32.hpp>
#include <boost/bloom/fast_multiblock64.hpp>
#include <boost/bloom/filter.hpp>
#include <boost/bloom/multiblock.hpp>
#include <cstring>
#include <type_traits>

#include "bench/contestants/contestants.h"

namespace linebloom {
namespace {

constexpr size_t kBitsPerKey = 10;

// The keys already are hashes.
struct SameHash {
  using is_avalanching = std::true_type;
  size_t operator()(uint64_t hash) const { return hash; }
};

template <typename Subfilter, size_t kBlocksPerKey = 1>
class BoostBloom {
 public:
  static FilterBytes Build(const Hashes& hashes) {
    Filter filter(kBitsPerKey * hashes.size());
    filter.insert(hashes.begin(), hashes.end());
    const auto bits = filter.array();
    FilterBytes bytes{std::make_unique<char[]>(bits.size()), bits.size()};
    std::memcpy(bytes.bytes.get(), bits.data(), bits.size());
    return bytes;
  }

  // Copies, because Boost's filters have their own memory, which starts at a
  // cache line.
  explicit BoostBloom(const rocksdb::Slice& bytes) : filter_(8 * bytes.size()) {
    std::memcpy(filter_.array().data(), bytes.data(), bytes.size());
  }

  // No Prefetch: Boost doesn't prefetch for fewer than 128 keys at once.
  bool MayMatch(uint64_t hash) const { return filter_.may_contain(hash); }

 private:
  using Filter =
      boost::bloom::filter<uint64_t, kBlocksPerKey, Subfilter, 0, SameHash>;

  Filter filter_;
};

template <typename... Parameters>
Contestant BoostContestant(const char* name) {
  return {name, 1, &ContestantPolicy<BoostBloom<Parameters...>>::New};
}

}  // namespace

// Sets as many bits per key as give the lowest rate at these bits per key, or
// as fill the block.
std::vector<Contestant> BoostBloomContestants() {
  namespace bloom = boost::bloom;
  if (!__builtin_cpu_supports("avx2")) return {};
  return {
      BoostContestant<bloom::block<uint64_t, 5>>("boost-block64-5"),
      BoostContestant<bloom::multiblock<uint64_t, 8>>("boost-multiblock64-8"),
      BoostContestant<bloom::fast_multiblock32<8>>("boost-fast-multiblock32-8"),
      BoostContestant<bloom::fast_multiblock64<8>>("boost-fast-multiblock64-8"),
  };
}

}  // namespace linebloom
