#include "table/file_facts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/status.h"

namespace linebloom {
namespace {

bool OfRibbonPolicy(BlockKind kind) {
  return kind == BlockKind::kRibbon || kind == BlockKind::kBloom;
}

// Adds what a block tells about the kinds of the file's filter.
void AddKind(const BlockFacts& block, FileFacts* facts) {
  // Partitions without keys don't reveal the kind.
  if (block.kind == BlockKind::kEmpty) return;
  if (facts->first.kind == BlockKind::kEmpty) facts->first = block;
  if (block.kind != facts->first.kind) {
    facts->mixed = true;
    facts->of_one_policy &=
        OfRibbonPolicy(block.kind) && OfRibbonPolicy(facts->first.kind);
  }
}

void AddProblems(const BlockFacts& block, uint64_t offset,
                 std::vector<std::string>* problems) {
  const std::string where = absl::StrCat("offset ", offset, ": filter: ");
  const float in_metadata = block.info.expected_false_positive_rate;
  if (block.bytes == 0) {
    problems->push_back(absl::StrCat(
        where,
        "a partition of 0 bytes, whose rows RocksDB's MultiGet doesn't "
        "find"));
  } else if (block.problem != nullptr) {
    problems->push_back(absl::StrCat(where, block.problem));
  } else if (block.kind == BlockKind::kInconsistent) {
    problems->push_back(
        absl::StrCat(where, "its size contradicts its last 5 bytes"));
  } else if (block.kind == BlockKind::kLinebloom &&
             static_cast<float>(block.rate) != in_metadata) {
    problems->push_back(
        absl::StrFormat("%sexpected lines with a false-positive rate of %.9g, "
                        "as the metadata says, found %.9g",
                        where, in_metadata, block.rate));
  }
}

// Sums over the blocks of a filter, weighted by their keys, or by their bytes
// if their keys are unknown.
struct Sums {
  void Add(const BlockFacts& block) {
    const FilterBlockInfo& info = block.info;
    const bool linebloom = block.kind == BlockKind::kLinebloom;
    const double weight = linebloom                         ? info.keys
                          : block.kind == BlockKind::kEmpty ? 0
                                                            : block.bytes;
    weights += weight;
    rate += weight * block.rate;
    rate_in_metadata += weight * info.expected_false_positive_rate;
    keys += info.keys;
  }

  double weights = 0;
  double rate = 0;
  double rate_in_metadata = 0;
  uint64_t keys = 0;
};

}  // namespace

bool FileFacts::is_used() const {
  return (filter_kind == FilterKind::kFull ||
          filter_kind == FilterKind::kPartitioned) &&
         IsBuiltInName(compatibility_name);
}

std::optional<double> FileFacts::bits_per_key() const {
  const uint64_t count = keys.value_or(rows());
  if (!has_filter() || count == 0) return std::nullopt;
  return 8.0 * bytes / count;
}

absl::StatusOr<FileFacts> ReadFileFacts(const SstFile& file) {
  const FilterLocation& filter = file.filter();
  FileFacts facts;
  facts.format_version = file.footer().format_version;
  facts.properties = file.properties();
  facts.filter_kind = filter.kind;
  facts.compatibility_name = filter.compatibility_name;
  facts.blocks = filter.blocks.size();
  facts.bytes = filter.TotalSize();
  facts.index_bytes = filter.index.size;
  if (!facts.is_used()) return facts;
  facts.keys = facts.properties.num_filter_entries;
  Sums sums;
  for (const BlockHandle& handle : filter.blocks) {
    ASSIGN_OR_RETURN(const Block bytes, file.ReadFilterBlock(handle));
    const BlockFacts block = ReadBlockFacts(bytes.payload);
    facts.rate_is_known &= block.kind != BlockKind::kLegacyBloom;
    facts.has_gaps |= block.bytes == 0;
    AddKind(block, &facts);
    AddProblems(block, handle.offset, &facts.problems);
    sums.Add(block);
  }
  facts.rate = sums.weights > 0 ? sums.rate / sums.weights : 0;
  facts.rate_is_exact = !facts.mixed && facts.first.rate_is_exact();
  if (facts.rate_is_exact && sums.keys > 0) {
    facts.rate_in_metadata = sums.rate_in_metadata / sums.weights;
    facts.keys = sums.keys;
  }
  return facts;
}

absl::StatusOr<FileFacts> ReadFileFacts(const std::string& path) {
  ASSIGN_OR_RETURN(const SstFile file, SstFile::Open(path));
  return ReadFileFacts(file);
}

}  // namespace linebloom
