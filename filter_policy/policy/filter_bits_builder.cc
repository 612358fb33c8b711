#include "filter_policy/policy/filter_bits_builder.h"

#include <span>
#include <utility>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"

namespace linebloom {

using rocksdb::Slice;
using rocksdb::Status;

void MakeCanonical(const CanonicalKey& canonical_key, const Slice& key,
                   std::string* canonical) {
  canonical->clear();
  canonical_key.Append(key, canonical);
}

LineFilterBitsBuilder::LineFilterBitsBuilder(
    const FilterRequest& request, std::shared_ptr<AllocationRounding> rounding,
    bool detect_corruption, std::shared_ptr<const CanonicalKey> canonical_key)
    : request_(request),
      rounding_(std::move(rounding)),
      hash_(request.hash_seed, request.line),
      detect_corruption_(detect_corruption),
      canonical_key_(std::move(canonical_key)) {}

uint64_t LineFilterBitsBuilder::HashOf(const Slice& key) {
  if (canonical_key_ == nullptr) return hash_(key.data(), key.size());
  MakeCanonical(*canonical_key_, key, &canonical_);
  return hash_(canonical_.data(), canonical_.size());
}

void LineFilterBitsBuilder::Add(uint64_t hash) {
  hashes_.Add(hash);
  hashes_xor_ ^= hash;
}

void LineFilterBitsBuilder::AddKey(const Slice& key) {
  const uint64_t hash = HashOf(key);
  if (hash != last_key_) Add(hash);
  last_key_ = hash;
}

void LineFilterBitsBuilder::AddKeyAndAlt(const Slice& key, const Slice& alt) {
  const uint64_t key_hash = HashOf(key);
  const uint64_t alt_hash = HashOf(alt);
  if (alt_hash != key_hash && alt_hash != last_key_ && alt_hash != last_alt_) {
    Add(alt_hash);
  }
  if (key_hash != last_key_ && key_hash != last_alt_) Add(key_hash);
  last_key_ = key_hash;
  last_alt_ = alt_hash;
}

size_t LineFilterBitsBuilder::EstimateEntriesAdded() { return hashes_.size(); }

Slice LineFilterBitsBuilder::Finish(std::unique_ptr<const char[]>* buf) {
  FilterBlock block =
      BuildFilter(hashes_, request_, ChosenKernel(), rounding_.get());
  HashList hashes = std::exchange(hashes_, {});
  if (detect_corruption_) hashes_to_verify_ = std::move(hashes);
  xor_to_verify_ = std::exchange(hashes_xor_, 0);
  // The next partition must not treat this one's last key as its repeat.
  last_key_.reset();
  last_alt_.reset();
  *buf = std::move(block.bytes);
  return Slice(buf->get(), block.size);
}

Status LineFilterBitsBuilder::MaybePostVerify(const Slice& block) {
  const HashList hashes = std::exchange(hashes_to_verify_, {});
  if (hashes.empty()) return Status::OK();
  const std::optional<FilterReader> reader =
      FilterReader::Make(block.data(), ParseFilter(block.data(), block.size()),
                         ChosenKernel(), request_.canonical_key);
  bool denied = !reader.has_value();
  uint64_t now = 0;
  hashes.VisitAll([&](std::span<const uint64_t> chunk) {
    for (const uint64_t hash : chunk) {
      now ^= hash;
      denied = denied || !reader->MayMatch(hash);
    }
  });
  // The filter may have been built, and probed, for a hash that no key has.
  if (!denied && now == xor_to_verify_) return Status::OK();
  return Status::Corruption(
      "linebloom: a filter just built denies one of its keys: memory changed");
}

uint32_t LineFilterBitsBuilder::NumLinesInBlock(size_t bytes) const {
  const size_t overhead = FilterBlockOverhead(request_);
  return bytes < overhead ? 0
                          : NumLinesInBytes(request_.line, bytes - overhead);
}

size_t LineFilterBitsBuilder::ApproximateNumEntries(size_t bytes) {
  const uint32_t lines = NumLinesInBlock(bytes);
  return MaxKeysForLines(lines, request_.millibits_per_key);
}

size_t LineFilterBitsBuilder::CalculateSpace(size_t entries) {
  if (entries == 0) return kFilterTailBytes;
  const uint32_t lines = NumLinesForKeys(entries, request_.millibits_per_key);
  return BytesOfLines(request_.line, lines) + FilterBlockOverhead(request_);
}

double LineFilterBitsBuilder::EstimatedFpRate(size_t entries, size_t bytes) {
  if (entries == 0) return 0.0;
  const uint32_t lines = NumLinesInBlock(bytes);
  if (lines == 0) return 1.0;
  return ExpectedRate(request_.line, request_.millibits_per_key,
                      static_cast<double>(entries) / lines);
}

}  // namespace linebloom
