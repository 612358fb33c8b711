#include "filter_policy/tree/live_files.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "filter_policy/filter/sizing.h"
#include "linebloom/filter_policy.h"

namespace linebloom {
namespace {

// Fewer moves in a row also happen while a level is still empty.
constexpr int kMovesOfALoadInOrder = 3;

// What a byte of a file can hold at most: rows whose keys and values hardly
// differ, compressed, took a 50th.
constexpr double kMostRowsPerByte = 64;

// What RocksDB adds to each key, whose bytes the properties count.
constexpr uint64_t kBytesBesideKey = 8;

// The bytes of the smallest data block with its entry in the index.
constexpr double kFewestBytesOfBlock = 8;

// The value of `key`; null if there is none.
template <typename Map>
auto* Find(Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

// A file's name without its folder, which is unique because a database never
// reuses a file number.
std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Uncompressed, as the block cache has them.
double DataBytesOf(const rocksdb::TableProperties& properties) {
  const auto stored = static_cast<double>(properties.data_size);
  if (properties.compression_name == "NoCompression") return stored;
  return std::max(stored, static_cast<double>(properties.raw_key_size) +
                              static_cast<double>(properties.raw_value_size));
}

// Whether a positive answer of the file's filter may be none, or one of
// several, of a row.
bool IsAmbiguous(const rocksdb::TableProperties& properties) {
  const std::string& extractor = properties.prefix_extractor_name;
  return properties.num_merge_operands > 0 ||
         (!extractor.empty() && extractor != "nullptr");
}

}  // namespace

// Those of unknown policies count as Bloom's.
double RateOf(const std::string& policy, double bits_per_key) {
  if (bits_per_key <= 0) return 1;
  const auto has = [&](const char* name) {
    return policy.find(name) != std::string::npos;
  };
  const bool is_solved = has(kFilterPolicyName) && !has(kPlainPolicyName);
  const double bits = (has("ibbon") ? kBloomBitsOfRibbonBit : 1) * bits_per_key;
  return RateOf(is_solved ? LineKind::kSolved : LineKind::kPlain,
                std::max(bits, kMinBitsOfRun));
}

std::optional<FileTotals> TotalsOf(const rocksdb::TableProperties* properties,
                                   uint64_t bytes) {
  if (properties == nullptr || properties->num_entries == 0) {
    return std::nullopt;
  }
  const double size = bytes > 0 ? static_cast<double>(bytes) : HUGE_VAL;
  const auto most = [](double limit, uint64_t claimed) {
    return std::min(limit, static_cast<double>(claimed));
  };
  FileTotals file;
  file.files = 1;
  file.rows = most(kMostRowsPerByte * size, properties->num_entries);
  if (properties->raw_key_size > 0) {
    file.rows = most(file.rows, properties->raw_key_size / kBytesBesideKey);
  }
  file.bits = 8 * most(size, properties->filter_size);
  if (file.bits > 0) {
    file.keys = properties->num_filter_entries > 0
                    // The row's key and a prefix.
                    ? most(2 * file.rows, properties->num_filter_entries)
                    : file.rows;
  } else if (!properties->filter_policy_name.empty()) {
    file.unfiltered = file.rows;
  }
  file.passed = file.rows * RateOf(properties->filter_policy_name,
                                   file.bits / std::max(1.0, file.keys));
  if (IsAmbiguous(*properties)) file.ambiguous = file.rows;
  file.index_bytes = most(size, properties->index_size);
  file.data_blocks =
      most(size / kFewestBytesOfBlock, properties->num_data_blocks);
  file.data_bytes = std::min(kMostRowsPerByte * size, DataBytesOf(*properties));
  return file;
}

void LiveFiles::Create(const std::string& path,
                       const std::optional<FileTotals>& totals) {
  files_[FileNameOf(path)] = {.totals = totals.value_or(FileTotals()),
                              .was_read = true,
                              .is_known = totals.has_value()};
}

void LiveFiles::Delete(const std::string& path) {
  const auto found = files_.find(FileNameOf(path));
  if (found == files_.end()) return;
  // By DeleteFilesInRanges(), CompactFiles() or with its column family.
  if (Family* const family = found->second.family) {
    Place(nullptr, 0, &found->second);
    EndJob(family);
    files_to_wait_ = 0;
  }
  files_.erase(found);
}

void LiveFiles::BeginFlush(const std::string& family, double keys_to_flush) {
  families_[family].to_flush = keys_to_flush;
}

void LiveFiles::EndFlush(const rocksdb::FlushJobInfo& job) {
  Family& family = families_[job.cf_name];
  Place(job.file_path, &family, 0);
  family.rows_written += static_cast<double>(job.table_properties.num_entries);
  EndJob(&family);
}

void LiveFiles::BeginCompaction(const rocksdb::CompactionJobInfo& job,
                                const SizeOfFile& size_of) {
  const Family* const family = Find(families_, job.cf_name);
  if (family == nullptr || family->tree == nullptr) return;
  TreeState tree = *family->tree;
  double input_rows = 0;
  for (const std::string& path : job.input_files) {
    const File* const file = Find(files_, FileNameOf(path));
    if (file != nullptr) {
      input_rows += file->totals.all_rows();
      if (file->family == family) tree.Remove(file->totals, file->level);
    } else if (const auto* properties = Find(job.table_properties, path)) {
      const uint64_t bytes = size_of(path);
      if (bytes == 0) continue;
      input_rows +=
          TotalsOf(properties->get(), bytes).value_or(FileTotals()).rows;
    }
  }
  compactions_[job.job_id] = {
      std::make_shared<const TreeState>(std::move(tree)), input_rows};
}

void LiveFiles::EndCompaction(const rocksdb::CompactionJobInfo& job) {
  compactions_.erase(job.job_id);
  Family& family = families_[job.cf_name];
  if (job.status.ok()) {
    if (job.base_input_level == 0) {
      // RocksDB lists files that it only moved as input and as output.
      const bool only_moved =
          !job.input_files.empty() && job.input_files == job.output_files;
      family.moves = only_moved ? family.moves + 1 : 0;
    }
    for (const std::string& path : job.input_files) Place(path, nullptr, 0);
    const size_t told =
        std::min(job.output_files.size(), job.output_file_infos.size());
    for (size_t i = 0; i < told; ++i) {
      Place(job.output_files[i], &family, job.output_file_infos[i].level);
    }
    if (told < job.output_files.size()) files_to_wait_ = 0;
  }
  EndJob(&family);
}

bool LiveFiles::IsDue(size_t files_per_event) {
  if (files_to_wait_ <= files_per_event) return true;
  files_to_wait_ -= files_per_event;
  return false;
}

std::vector<const rocksdb::LiveFileMetaData*> LiveFiles::FilesToRead(
    const std::vector<rocksdb::LiveFileMetaData>& listed, size_t most) const {
  std::vector<const rocksdb::LiveFileMetaData*> unread;
  for (const rocksdb::LiveFileMetaData& file : listed) {
    if (unread.size() == most) break;
    const File* const found = Find(files_, FileNameOf(file.name));
    if (found == nullptr || !found->was_read) unread.push_back(&file);
  }
  return unread;
}

void LiveFiles::Read(const std::string& name,
                     const std::optional<FileTotals>& totals) {
  File& file = files_[FileNameOf(name)];
  file.was_read = true;
  if (!totals) return;
  Family* const family = file.family;
  if (family != nullptr) Place(nullptr, file.level, &file);
  file.is_known = true;
  file.totals = *totals;
  if (family != nullptr) Place(family, file.level, &file);
}

void LiveFiles::List(const std::vector<rocksdb::LiveFileMetaData>& listed,
                     uint64_t version) {
  files_to_wait_ = 0;
  // A job has ended since, after which the files are listed anew.
  if (version_ != version) return;
  ++version_;
  for (auto& [name, file] : files_) file.family = nullptr;
  for (auto& [name, family] : families_) family.live = {};
  FileTotals known;
  double known_bytes = 0;
  for (const rocksdb::LiveFileMetaData& file : listed) {
    const File& here = files_[FileNameOf(file.name)];
    if (!here.is_known) continue;
    known.Add(here.totals);
    known_bytes += static_cast<double>(file.size);
  }
  bool all_are_read = true;
  for (const rocksdb::LiveFileMetaData& file : listed) {
    File& here = files_[FileNameOf(file.name)];
    all_are_read = all_are_read && here.was_read;
    if (!here.is_known) {
      const auto bytes = static_cast<double>(file.size);
      here.totals = {.unknown = static_cast<double>(file.num_entries)};
      if (known_bytes > 0) {
        here.totals = {};
        here.totals.Add(known, bytes / known_bytes);
      }
      here.totals.files = 1;
    }
    Place(&families_[file.column_family_name], file.level, &here);
  }
  for (auto& [name, family] : families_) SetTree(&family);
  // A column family without files was dropped or is as good as new.
  std::erase_if(families_, [](const auto& family) {
    return family.second.tree == nullptr &&
           family.second.live.filters.files <= 0;
  });
  if (all_are_read) files_to_wait_ = listed.size();
}

void LiveFiles::Describe(int job, NewFile* file) const {
  if (const Family* const family = Find(families_, file->column_family)) {
    file->tree = family->tree;
    if (file->is_flushed()) file->input_keys = family->to_flush;
  }
  if (file->is_flushed() || file->tree == nullptr) return;
  if (const Compaction* const compaction = Find(compactions_, job)) {
    file->tree = compaction->tree;
    file->input_keys = compaction->input_keys;
    return;
  }
  // The other files include the unknown inputs of this job. Corrected for them,
  // files of CompactFiles() got 8.6, 2.3, 7.6 and 1.0 bits in place
  // of 7.1, 6.2, 5.6 and 5.0.
  TreeState tree = *file->tree;
  tree.filters = {};
  file->tree = std::make_shared<const TreeState>(std::move(tree));
}

// Moves a file to a level of the family, or away if that is null. Does nothing
// if the files were listed since it moved, or it was deleted since.
void LiveFiles::Place(const std::string& path, Family* family, int level) {
  File* const file = Find(files_, FileNameOf(path));
  if (file != nullptr) Place(family, level, file);
}

void LiveFiles::Place(Family* family, int level, File* file) {
  if (file->family != nullptr) {
    file->family->live.Remove(file->totals, file->level);
  }
  if (family != nullptr) family->live.Add(file->totals, level);
  file->family = family;
  file->level = level;
}

// Ends a job that may have changed the family's files.
void LiveFiles::EndJob(Family* family) {
  ++version_;
  SetTree(family);
}

void LiveFiles::SetTree(Family* family) const {
  family->live.in_order = family->moves >= kMovesOfALoadInOrder;
  family->tree = family->live.Runs().empty()
                     ? nullptr
                     : std::make_shared<const TreeState>(family->live);
}

}  // namespace linebloom
