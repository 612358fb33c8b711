// Predicts which filters RocksDB probes for a lookup or a seek, and what they
// must return.
#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/oracle/oracle.h"

namespace linebloom {
namespace {

bool Flag(const rocksdb::TableProperties& properties, const char* name) {
  const auto flag = properties.user_collected_properties.find(
      std::string("rocksdb.block.based.table.") + name);
  return flag != properties.user_collected_properties.end() &&
         flag->second == "1";
}

}  // namespace

std::vector<Oracle::File> Oracle::ReadFiles() {
  rocksdb::DB* const db = db_.get();
  rocksdb::ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(Family(db), &family);
  rocksdb::TablePropertiesCollection properties;
  EXPECT_OK(db->GetPropertiesOfAllTables(Family(db), &properties));
  std::vector<File> files;  // in level 0 RocksDB gives the newest first
  for (const auto& level : family.levels) {
    for (const auto& meta : level.files) {
      File file = {level.level, meta.smallestkey, meta.largestkey, {}, {}, {}};
      file.properties = properties.at(meta.db_path + meta.name);
      file.contents = ContentsOf(*file.properties);
      EXPECT_NE(file.contents, nullptr);
      if (file.contents == nullptr) continue;
      if (HasUsablePrefixes(file)) {
        for (const auto& [key, ends] : file.contents->keys) {
          if (!options_.prefix_extractor->InDomain(key)) continue;
          std::string& last =
              file.prefixes
                  .emplace(options_.prefix_extractor->Transform(key).ToString(),
                           key)
                  .first->second;
          if (Less(last, key)) last = key;
        }
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

// A range tombstone makes RocksDB seek again.
bool Oracle::SeeksAreCounted() const {
  if (scans_ != Scans::kCounted) return false;
  for (const File& file : files_) {
    if (!file.contents->deleted_ranges.empty()) return false;
  }
  return true;
}

bool Oracle::HoldsWholeKeys(const File& file) {
  return Flag(*file.properties, "whole.key.filtering");
}

bool Oracle::HasUsablePrefixes(const File& file) const {
  return options_.prefix_extractor != nullptr &&
         Flag(*file.properties, "prefix.filtering") &&
         file.properties->prefix_extractor_name ==
             options_.prefix_extractor->AsString();
}

// Returns kUnknown if the file was written with another extractor.
uint64_t Oracle::ExpectedEntries(const File& file) const {
  const auto& name = file.properties->prefix_extractor_name;
  const bool has_prefixes = Flag(*file.properties, "prefix.filtering") &&
                            !name.empty() && name != "nullptr";
  if (has_prefixes && !HasUsablePrefixes(file)) return kUnknown;
  uint64_t entries = file.prefixes.size();
  if (HoldsWholeKeys(file)) {
    for (const auto& [key, ends] : file.contents->keys) {
      entries += file.prefixes.count(key) == 0;  // one for both
    }
  }
  return entries;
}

// The files that a lookup may read, in order. If there are at most three files,
// all in level 0, RocksDB ignores their ranges.
std::vector<const Oracle::File*> Oracle::FilesOf(const std::string& key) const {
  const bool by_range =
      files_.size() > 3 || (!files_.empty() && files_.back().level > 0);
  std::vector<const File*> files;
  for (const File& file : files_) {
    if (!by_range || (!Less(key, file.smallest) && !Less(file.largest, key))) {
      files.push_back(&file);
    }
  }
  return files;
}

void Oracle::PredictFile(const File& file, const std::string& key,
                         Prediction* prediction) const {
  // RocksDB expects a lookup that reaches the last level to find its key.
  const bool is_last = file.level > 0 ? file.level == files_.back().level
                                      : &file == &files_.back();
  if (!policy_.builds_filters() || file.properties->filter_size == 0 ||
      (options_.optimize_filters_for_hits && is_last)) {
    ++prediction->unfiltered_files;
    return;
  }
  const bool by_key = table_.whole_key_filtering && HoldsWholeKeys(file);
  const bool by_prefix = !by_key && HasUsablePrefixes(file) &&
                         options_.prefix_extractor->InDomain(key);
  if (!by_key && !by_prefix) {
    ++prediction->perhaps_probed;
    return;
  }
  ++prediction->probed;
  const bool has_key = file.contents->keys.count(key) > 0;
  prediction->true_positives += has_key;
  const bool has_prefix =
      by_prefix &&
      file.prefixes.count(
          options_.prefix_extractor->Transform(key).ToString()) > 0;
  if (has_key || !policy_.CanRead(file.contents->policy) ||
      (has_prefix && !table_.partition_filters)) {
    ++prediction->must_match;
  } else {
    // The prefix may be in another partition than the key.
    prediction->matches_by_chance +=
        has_prefix ? 1 : file.contents->policy.rate;
  }
}

Oracle::Prediction Oracle::PredictGets(const std::vector<std::string>& keys,
                                       bool in_batches) const {
  Prediction prediction;
  for (const std::string& key : keys) {
    if (uncommitted_.count(key) > 0) continue;
    bool is_deleted = false;
    for (const File* file : FilesOf(key)) {
      if (is_deleted) {
        // A MultiGet continues past a range tombstone; a Get doesn't.
        prediction.perhaps_probed += in_batches;
        continue;
      }
      PredictFile(*file, key, &prediction);
      const FileContents& contents = *file->contents;
      const auto row = contents.keys.find(key);
      if (row != contents.keys.end() && row->second) break;
      for (const auto& [begin, end] : contents.deleted_ranges) {
        is_deleted |= !Less(key, begin) && Less(key, end);
      }
    }
  }
  return prediction;
}

// On each level below 0, RocksDB reads the file where the seek lands; in level
// 0, all files.
void Oracle::PredictSeek(const std::string& from,
                         Prediction* prediction) const {
  int level_done = 0;
  for (const File& file : files_) {
    if (file.level > 0) {
      if (file.level == level_done || Less(file.largest, from)) continue;
      level_done = file.level;
    }
    if (!policy_.builds_filters() || file.properties->filter_size == 0 ||
        !HasUsablePrefixes(file)) {
      continue;
    }
    ++prediction->probed;
    const auto prefix = file.prefixes.find(
        options_.prefix_extractor->Transform(from).ToString());
    const bool has_prefix = prefix != file.prefixes.end();
    if (!policy_.CanRead(file.contents->policy) ||
        (has_prefix && !Less(prefix->second, from))) {
      ++prediction->must_match;
    } else {
      // The rows of the prefix may all be in the previous partition.
      prediction->matches_by_chance +=
          has_prefix ? 1 : file.contents->policy.rate;
    }
  }
}

}  // namespace linebloom
