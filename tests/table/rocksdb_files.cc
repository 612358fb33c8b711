#include "tests/table/rocksdb_files.h"

#include <cstdlib>
#include <memory>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"

namespace linebloom::testing {

void Check(const rocksdb::Status& status) {
  // Nothing that follows makes sense without the file.
  if (status.ok()) return;
  ADD_FAILURE() << status.ToString();
  std::abort();
}

std::unique_ptr<rocksdb::DB> OpenDb(rocksdb::Options options,
                                    const std::string& dir) {
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, dir, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

rocksdb::Options MakeOptions(const FileSpec& spec) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = spec.format_version;
  table.checksum = static_cast<rocksdb::ChecksumType>(spec.checksum_type);
  table.block_size = 1024;
  if (spec.filter_kind != FilterKind::kNone) {
    RegisterFilterPolicy();
    Check(rocksdb::FilterPolicy::CreateFromString({}, spec.policy,
                                                  &table.filter_policy));
  }
  table.whole_key_filtering = spec.content != FilterContent::kPrefixes;
  if (spec.filter_kind == FilterKind::kPartitioned) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = 512;
    table.index_block_restart_interval = 2;  // others are stored as differences
  }
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (spec.content != FilterContent::kWholeKeys) {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(6));
  }
  return options;
}

std::string KeyAt(int i) { return absl::StrFormat("k%06d___", i); }

void WriteSst(const std::string& path, const FileSpec& spec, int count) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), MakeOptions(spec));
  Check(writer.Open(path));
  for (int i = 0; i < count; ++i) Check(writer.Put(KeyAt(i), "value"));
  Check(writer.Finish());
}

void FlushAndCompact(rocksdb::DB* db) {
  Check(db->Flush(rocksdb::FlushOptions()));
  rocksdb::CompactRangeOptions compact;
  compact.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  Check(db->CompactRange(compact, nullptr, nullptr));
}

void WriteRows(rocksdb::DB* db, int count) {
  for (int i = 0; i < count; ++i) {
    Check(db->Put(rocksdb::WriteOptions(), KeyAt(i), "value"));
    if (i + 1 == count / 2) FlushAndCompact(db);
  }
  Check(db->Flush(rocksdb::FlushOptions()));
}

}  // namespace linebloom::testing
