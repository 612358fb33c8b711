#include "filter_policy/filter_facts/file_facts.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/status.h"

namespace linebloom {
namespace {

bool OfRibbonPolicy(BlockKind kind) {
  return kind == BlockKind::kRibbon || kind == BlockKind::kBloom;
}

// Sums over the blocks of a filter.
class Sums {
 public:
  explicit Sums(FileFacts* facts) : facts_(facts) {}

  void Add(const BlockFacts& block, uint64_t offset) {
    AddLines(block);
    AddRate(block);
    AddHeat(block);
    AddProblems(block, offset);
  }

  void Finish() {
    facts_->rate_is_exact =
        !facts_->mixed && (facts_->first.kind == BlockKind::kLinebloom ||
                           facts_->first.kind == BlockKind::kEmpty);
    facts_->rate = weight_ > 0 ? rate_ / weight_ : 0;
    if (facts_->rate_is_exact && keys_ > 0) {
      facts_->rate_in_metadata = rate_in_metadata_ / weight_;
      facts_->keys = keys_;
      if (all_heat_) facts_->heat = heat_ / static_cast<double>(keys_);
    } else {
      facts_->keys = facts_->properties.num_filter_entries;
    }
  }

 private:
  void AddLines(const BlockFacts& block) {
    // Partitions without keys don't reveal the kind.
    if (block.kind == BlockKind::kEmpty) return;
    if (facts_->first.kind == BlockKind::kEmpty) facts_->first = block;
    if (block.kind != facts_->first.kind) {
      facts_->mixed = true;
      facts_->of_one_policy &=
          OfRibbonPolicy(block.kind) && OfRibbonPolicy(facts_->first.kind);
    }
    facts_->LineTotals::Add(block);
  }

  void AddRate(const BlockFacts& block) {
    const bool linebloom = block.kind == BlockKind::kLinebloom;
    keys_ += block.info.keys;
    const double weight =
        static_cast<double>(linebloom ? block.info.keys : block.bytes);
    weight_ += weight;
    rate_ += weight * block.rate;
    rate_in_metadata_ += weight * block.info.expected_false_positive_rate;
  }

  void AddHeat(const BlockFacts& block) {
    if (block.kind == BlockKind::kEmpty) return;
    const float heat = block.info.request.heat;
    all_heat_ &=
        block.kind == BlockKind::kLinebloom && std::isfinite(heat) && heat > 0;
    heat_ += static_cast<double>(block.info.keys) * heat;
  }

  void AddProblems(const BlockFacts& block, uint64_t offset) {
    const std::string where = absl::StrCat("offset ", offset, ": filter: ");
    const double in_metadata = block.info.expected_false_positive_rate;
    if (block.problem != nullptr) {
      facts_->problems.push_back(absl::StrCat(where, block.problem));
    }
    if (block.kind == BlockKind::kInconsistent) {
      facts_->problems.push_back(
          absl::StrCat(where, "its size contradicts its last 5 bytes"));
    }
    if (block.kind == BlockKind::kLinebloom &&
        static_cast<float>(block.rate) !=
            block.info.expected_false_positive_rate) {
      facts_->problems.push_back(
          absl::StrFormat("%sexpected lines with a false-positive rate of "
                          "%.9g, as the metadata "
                          "says, found %.9g",
                          where, in_metadata, block.rate));
    }
  }

  FileFacts* facts_;
  double weight_ = 0;
  double rate_ = 0;
  double rate_in_metadata_ = 0;
  uint64_t keys_ = 0;
  double heat_ = 0;
  bool all_heat_ = true;
};

// An estimate of how many of the file's keys are in one block of a filter of
// `filter_bytes`.
uint64_t KeysOfBlock(const Properties& properties, uint64_t filter_bytes,
                     const BlockHandle& block) {
  if (filter_bytes == 0) return 0;
  // The limit keeps nonsense in a file from overflowing 64 bits.
  const double keys =
      std::min(1e18, static_cast<double>(properties.num_filter_entries.value_or(
                         properties.num_entries)));
  return static_cast<uint64_t>(keys * (static_cast<double>(block.size) /
                                       static_cast<double>(filter_bytes)));
}

}  // namespace

bool FileFacts::is_used() const {
  return (filter_kind == FilterKind::kFull ||
          filter_kind == FilterKind::kPartitioned) &&
         IsBuiltinFilterFamily(family);
}

std::optional<double> FileFacts::bits_per_key() const {
  const uint64_t count = keys.value_or(rows());
  if (!has_filter() || count == 0) return std::nullopt;
  return 8.0 * static_cast<double>(bytes) / static_cast<double>(count);
}

absl::StatusOr<FileFacts> ReadFileFacts(const SstFile& file) {
  const FilterLocation& filter = file.filter();
  FileFacts facts;
  facts.format_version = file.footer().format_version;
  facts.properties = file.properties();
  facts.filter_kind = filter.kind;
  facts.family = filter.family;
  facts.blocks = filter.blocks.size();
  facts.bytes = filter.TotalSize();
  if (!facts.is_used()) return facts;
  Sums sums(&facts);
  for (const BlockHandle& handle : filter.blocks) {
    ASSIGN_OR_RETURN(const Block block, file.ReadFilterBlock(handle));
    sums.Add(ReadBlockFacts(block.payload,
                            KeysOfBlock(facts.properties, facts.bytes, handle)),
             handle.offset);
  }
  sums.Finish();
  return facts;
}

absl::StatusOr<FileFacts> ReadFileFacts(const std::string& path) {
  ASSIGN_OR_RETURN(const SstFile file, SstFile::Open(path));
  return ReadFileFacts(file);
}

}  // namespace linebloom
