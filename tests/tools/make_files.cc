// Makes the SSTables and databases of the tools' transcripts.
//
//   make_files sst FILE [NAME=VALUE]...
//   make_files db FOLDER [NAME=VALUE]...
//     count=1000  version=5  kind=none|full|partitioned
//     content=keys|prefixes|both  policy=linebloom:10
//     options=...   further ones, as RocksDB's option string
//     ranges=1      with range deletions; of a database, in a file of their own
//     family=NAME,...  also in other column families
//     ingest=FILE   with that file ingested
//     in_log=COPY   and a copy of it, with more rows that are only in the log
//     special=...   what OptionsOf(), MakeSst() and MakeDb() know by name
//   make_files open FOLDER COMMAND    opens the database while COMMAND runs
//   make_files rows FOLDER            the rows' number and checksum
//   make_files flip FILE BYTE         changes a bit; BYTE may be from the end
//   make_files filter FILE clear|flip BYTE
//                        changes the filter's first block, and its checksum
//   make_files versions .             the format versions that RocksDB writes
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "filter_policy/line/little_endian.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "table/format.h"
#include "table/sst_file.h"
#include "tests/filter_policy/ignored_case.h"
#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
#include "tools/compare/keys.h"
#include "tools/database/out_ptr.h"

namespace linebloom::testing {
namespace {

using Named = std::map<std::string, std::string>;

class OwnOperator : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.OwnOperator"; }
  bool Merge(const rocksdb::Slice& /*key*/, const rocksdb::Slice* /*before*/,
             const rocksdb::Slice& value, std::string* new_value,
             rocksdb::Logger* /*logger*/) const override {
    new_value->assign(value.data(), value.size());
    return true;
  }
};

class OwnExtractor : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "test.OwnExtractor"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), 3};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return key.size() >= 3;
  }
};

rocksdb::Options OptionsOf(const Named& named) {
  const std::map<std::string, FilterKind> kinds = {
      {"none", FilterKind::kNone},
      {"full", FilterKind::kFull},
      {"partitioned", FilterKind::kPartitioned}};
  const std::map<std::string, FilterContent> contents = {
      {"keys", FilterContent::kWholeKeys},
      {"prefixes", FilterContent::kPrefixes},
      {"both", FilterContent::kBoth}};
  rocksdb::Options options;
  Check(rocksdb::GetOptionsFromString(
      {},
      MakeOptions({.format_version =
                       static_cast<uint32_t>(std::stoul(named.at("version"))),
                   .filter_kind = kinds.at(named.at("kind")),
                   .content = contents.at(named.at("content")),
                   .policy = named.at("policy")}),
      named.at("options"), &options));
  options.listeners = {NewLevelSizeListener()};
  static const IgnoreCase ignore_case;
  const std::string& special = named.at("special");
  if (special == "comparator") {
    options.comparator = &ignore_case;
  } else if (special == "extractor") {
    options.prefix_extractor = std::make_shared<OwnExtractor>();
  } else if (special == "canonical_key") {
    options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
        ->filter_policy.reset(
            NewFilterPolicy({.canonical_key = std::make_shared<LowerCase>()}));
  } else if (special == "merge_operator" || special == "entries") {
    options.merge_operator = std::make_shared<OwnOperator>();
  } else if (special == "statistics") {
    options.statistics = rocksdb::CreateDBStatistics();
    options.stats_dump_period_sec = 1;
  }
  return options;
}

void MakeSst(const std::string& path, const Named& named) {
  const rocksdb::Options options = OptionsOf(named);
  const bool short_keys = named.at("special") == "short_keys";
  std::vector<std::string> keys;
  for (int i = 0; i < std::stoi(named.at("count")); ++i) {
    keys.push_back(short_keys ? absl::StrFormat("a%05d", i) : KeyAt(i));
  }
  for (int i = 0; short_keys && i < 20'000; ++i) {
    keys.push_back(absl::StrFormat("b%08d", i));
  }
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Check(writer.Open(path));
  for (const std::string& key : keys) {
    Check(options.comparator->timestamp_size() > 0
              ? writer.Put(key, "12345678", "value")
              : writer.Put(key, "value"));
  }
  // Separate, adjacent and overlapping ranges.
  for (size_t i = 0; !named.at("ranges").empty() && i < 900; i += 3) {
    Check(writer.DeleteRange(keys[i], keys[i + 1 + i % 7]));
  }
  Check(writer.Finish());
}

void PutRows(rocksdb::DB* db, int begin, int end, const std::string& value,
             int step = 1) {
  for (int i = begin; i < end; i += step) Check(db->Put({}, KeyAt(i), value));
}

// About 60 files, most of them in the last level. Their keys are in random
// order, so that each file of L0 has keys of the whole range.
void MakeTree(const std::string& folder, const Named& named) {
  const int count = std::stoi(named.at("count"));
  rocksdb::Options options = OptionsOf(named);
  options.write_buffer_size = std::max(64 << 10, 2 * count);
  options.target_file_size_base = options.write_buffer_size;
  options.disable_auto_compactions = true;
  const auto db = OpenDb(options, folder);
  rocksdb::WriteOptions without_log;
  without_log.disableWAL = true;
  for (int i = 0; i < count; ++i) {
    Check(db->Put(without_log, absl::StrFormat("%016x", tools::Mix(i)),
                  absl::StrCat("row ", i, std::string(60, '.'))));
    if (i == count * 7 / 8) Check(db->CompactRange({}, nullptr, nullptr));
  }
  Check(db->Flush({}));
}

void MakeDb(const std::string& folder, const Named& named) {
  const std::string& special = named.at("special");
  if (special == "tree") return MakeTree(folder, named);
  const int count = std::stoi(named.at("count"));
  const auto db = OpenDb(OptionsOf(named), folder);
  if (special == "entries") {
    PutRows(db.get(), 0, 1000, "value");
    const rocksdb::Snapshot* old = db->GetSnapshot();
    for (int i = 0; i < 100; ++i) {
      // Also directly after a row, where compare looks for missing ones.
      Check(db->Delete({}, i % 2 == 0 ? KeyAt(i) : KeyAt(500 + i) + '\0'));
      Check(db->SingleDelete({}, KeyAt(700 + i) + '\0'));
      Check(db->Merge({}, KeyAt(200 + i), "operand"));
      Check(db->Merge({}, KeyAt(2000 + i), "operand"));
      Check(db->Put({}, KeyAt(400 + i), "newer"));
    }
    if (!named.at("ranges").empty()) {
      Check(db->DeleteRange({}, db->DefaultColumnFamily(), KeyAt(600),
                            KeyAt(610)));
    }
    Check(db->Flush({}));
    db->ReleaseSnapshot(old);
    return;
  }
  if (!named.at("family").empty()) {
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    const std::vector<std::string> names =
        absl::StrSplit(named.at("family"), ',');
    Check(db->CreateColumnFamilies(OptionsOf(named), names, &families));
    families.push_back(db->DefaultColumnFamily());
    for (auto* family : families) {
      for (int i = 0; i < count; ++i) {
        Check(db->Put({}, family, KeyAt(i), "value"));
      }
      Check(db->Flush({}, family));
      if (family == db->DefaultColumnFamily()) continue;
      Check(db->DestroyColumnFamilyHandle(family));
    }
    return;
  }
  if (special == "statistics") {
    PutRows(db.get(), 0, 2000, "value", 2);
    Check(db->Flush({}));
    std::string value;
    for (int i = 0; i < 1999; ++i) (void)db->Get({}, KeyAt(i), &value);
    // Until RocksDB has written it, which takes a second or two.
    const auto is_logged = [&] {
      const std::string log = ReadFileBytes(folder + "/LOG");
      return log.find("full.true.positive COUNT : 1000") != std::string::npos;
    };
    while (!is_logged()) rocksdb::Env::Default()->SleepForMicroseconds(10'000);
    return;
  }
  if (!named.at("ingest").empty()) {
    PutRows(db.get(), 0, 1000, "value");
    rocksdb::IngestExternalFileOptions ingestion;
    ingestion.write_global_seqno = true;  // invalidates its checksum
    Check(db->IngestExternalFile({named.at("ingest")}, ingestion));
    return;
  }
  WriteRows(db.get(), count);
  if (!named.at("ranges").empty()) {
    Check(db->DeleteRange({}, db->DefaultColumnFamily(), KeyAt(0), KeyAt(9)));
    Check(db->Flush({}));
  }
  if (special == "deleted") {
    for (int i = 0; i < count; ++i) Check(db->Delete({}, KeyAt(i)));
    Check(db->Flush({}));
  }
  if (named.at("in_log").empty()) return;
  PutRows(db.get(), count, count + 1000, "in the log");
  Check(db->FlushWAL(/*sync=*/true));
  std::filesystem::copy(folder, named.at("in_log"));
}

void PrintRows(const std::string& folder) {
  rocksdb::Options options;
  options.merge_operator = std::make_shared<OwnOperator>();
  std::unique_ptr<rocksdb::DB> db;
  Check(rocksdb::DB::OpenForReadOnly(options, folder, OutPtr(&db)));
  const std::unique_ptr<rocksdb::Iterator> row(db->NewIterator({}));
  uint64_t count = 0;
  uint64_t sum = 0;
  for (row->SeekToFirst(); row->Valid(); row->Next(), ++count) {
    for (const char c : row->key().ToString() + row->value().ToString()) {
      sum = tools::Mix(sum, static_cast<unsigned char>(c));
    }
  }
  Check(row->status());
  absl::PrintF("%d rows %x\n", count, sum);
}

int RunWhileOpen(const std::string& folder, const std::string& command) {
  const rocksdb::Options options = MakeOptions({});
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  std::vector<std::string> names;
  Check(rocksdb::DB::ListColumnFamilies(options, folder, &names));
  for (const std::string& name : names) families.emplace_back(name, options);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  Check(rocksdb::DB::Open(options, folder, families, &handles, OutPtr(&db)));
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c)
  for (auto* handle : handles) Check(db->DestroyColumnFamilyHandle(handle));
  return WEXITSTATUS(status);
}

// `from` may count from the end.
void ChangeFilter(const std::string& path, const std::string& how, int from) {
  const auto file = SstFile::Open(path);
  const BlockHandle handle = file->filter().blocks.front();
  std::string bytes = ReadFileBytes(path);
  std::string block = bytes.substr(handle.offset, handle.size + 1);
  size_t at = from < 0 ? block.size() + from : from;
  if (how == "clear") {  // the lowest set bit from there on
    while (block[at] == 0) ++at;
    block[at] = static_cast<char>(block[at] & (block[at] - 1));
  } else {
    block[at] = static_cast<char>(block[at] ^ 0x80);
  }
  std::string checksum(4, '\0');
  StoreLittleEndian(checksum.data(),
                    ComputeChecksum(file->footer().checksum_type, block));
  WriteFileBytes(path,
                 bytes.replace(handle.offset, block.size() + checksum.size(),
                               block + checksum));
}

int Main(const std::vector<std::string>& arguments) {
  RegisterFilterPolicy();
  if (arguments.size() < 2) return 2;
  const std::string& what = arguments[0];
  const std::string& path = arguments[1];
  if (what == "open") return RunWhileOpen(path, arguments.at(2));
  if (what == "versions") {
    std::puts(ROCKSDB_MAJOR >= 9 ? "2 5 6" : "2 5");
  } else if (what == "rows") {
    PrintRows(path);
  } else if (what == "flip") {
    std::string bytes = ReadFileBytes(path);
    const int at = std::atoi(arguments.at(2).c_str());
    char& byte = bytes.at(at < 0 ? bytes.size() + at : at);
    byte = static_cast<char>(byte ^ 1);
    WriteFileBytes(path, bytes);
  } else if (what == "filter") {
    ChangeFilter(path, arguments.at(2), std::stoi(arguments.at(3)));
  } else {
    Named named = {
        {"count", "1000"},   {"version", "5"},       {"kind", "full"},
        {"content", "keys"}, {"policy", kLinebloom}, {"options", ""},
        {"ranges", ""},      {"family", ""},         {"ingest", ""},
        {"in_log", ""},      {"special", ""}};
    for (size_t i = 2; i < arguments.size(); ++i) {
      const std::pair<std::string, std::string> pair =
          absl::StrSplit(arguments[i], absl::MaxSplits('=', 1));
      named.at(pair.first) = pair.second;
    }
    what == "sst" ? MakeSst(path, named) : MakeDb(path, named);
  }
  return 0;
}

}  // namespace
}  // namespace linebloom::testing

int main(int argc, char** argv) {
  return linebloom::testing::Main({argv + 1, argv + argc});
}
