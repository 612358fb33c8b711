#include "tools/advise/trace.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/policy/printable.h"
#include "rocksdb/metadata.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record.h"
#include "rocksdb/trace_record_result.h"
#include "rocksdb/utilities/replayer.h"
#include "table/status.h"
#include "tools/shared/databases.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr uint32_t kDefaultFamily = 0;

// Takes the records in place of executing them.
class Collector : public rocksdb::TraceRecord::Handler {
  using Result = std::unique_ptr<rocksdb::TraceRecordResult>;

 public:
  Collector(rocksdb::DB* db, Trace* trace) : db_(db), trace_(*trace) {}

  rocksdb::Status Handle(const rocksdb::WriteQueryTraceRecord& /*record*/,
                         Result* /*result*/) override {
    ++trace_.writes;
    return rocksdb::Status::OK();
  }

  rocksdb::Status Handle(
      const rocksdb::IteratorSeekQueryTraceRecord& /*record*/,
      Result* /*result*/) override {
    ++trace_.seeks;
    return rocksdb::Status::OK();
  }

  rocksdb::Status Handle(const rocksdb::GetQueryTraceRecord& record,
                         Result* /*result*/) override {
    if (record.GetColumnFamilyID() != kDefaultFamily) {
      ++trace_.other;
      return rocksdb::Status::OK();
    }
    ++trace_.gets;
    return Add({record.GetKey()});
  }

  rocksdb::Status Handle(const rocksdb::MultiGetQueryTraceRecord& record,
                         Result* /*result*/) override {
    const std::vector<uint32_t> families = record.GetColumnFamilyIDs();
    const std::vector<rocksdb::Slice> keys = record.GetKeys();
    std::vector<rocksdb::Slice> of_default;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (families[i] == kDefaultFamily) of_default.push_back(keys[i]);
    }
    ++(of_default.empty() ? trace_.other : trace_.multigets);
    return Add(of_default);
  }

 private:
  // The keys of one operation.
  rocksdb::Status Add(const std::vector<rocksdb::Slice>& keys) {
    for (const rocksdb::Slice& key : keys) {
      rocksdb::PinnableSlice value;
      const rocksdb::Status status =
          db_->Get({}, db_->DefaultColumnFamily(), key, &value);
      if (!status.ok() && !status.IsNotFound()) return status;
      trace_.existing += status.ok() ? 1 : 0;
      trace_.keys.push_back(key.ToString());
    }
    return rocksdb::Status::OK();
  }

  rocksdb::DB* db_;
  Trace& trace_;
};

absl::Status Unreadable(const std::string& path, const Trace& trace,
                        absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("--trace='", path, "': ", why, " after ",
                   WithThousands(trace.keys.size()),
                   " lookups; it takes a whole trace, from DB::StartTrace() to "
                   "DB::EndTrace(), of a RocksDB whose format this one knows"));
}

// Replayer reads traces of later versions without a word.
absl::Status CheckVersion(const std::string& path,
                          rocksdb::TraceReader* reader) {
  std::string header;
  const rocksdb::Status status = reader->Read(&header);
  if (!status.ok()) return Unreadable(path, {}, status.ToString());
  const std::string field = "Trace Version: ";
  const size_t at = header.find(field);
  std::string version =
      at == std::string::npos ? "" : header.substr(at + field.size());
  version.resize(std::min(version.size(), version.find('\t')));
  if (version != "0.1" && version != "0.2") {
    return Unreadable(path, {},
                      absl::StrCat("it has version '", Printable(version),
                                   "', not 0.1 or 0.2,"));
  }
  return FromRocksDb(reader->Reset(), absl::StrCat("--trace='", path, "'"));
}

}  // namespace

std::string Trace::InWords() const {
  return absl::StrCat(
      WithThousands(gets), " Gets and ", WithThousands(multigets),
      " MultiGets of ", WithThousands(keys.size()), " keys, of which ",
      WithThousands(keys.size() - existing),
      " are missing; left out: ", WithThousands(writes), " writes, ",
      WithThousands(seeks), " seeks, ", WithThousands(other),
      " operations of other column families or kinds");
}

absl::StatusOr<Skew> Trace::SkewIn(rocksdb::DB* db) const {
  constexpr uint64_t kParts = 1000;  // of the lookups
  constexpr double kBlock = 4096;
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  const auto less = [order = family->GetComparator()](const auto& a,
                                                      const auto& b) {
    return order->Compare(a, b) < 0;
  };
  rocksdb::ColumnFamilyMetaData files;
  db->GetColumnFamilyMetaData(family, &files);
  std::vector<std::string> ends;  // of files
  for (const rocksdb::LevelMetaData& level : files.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      ends.insert(ends.end(), {file.smallestkey, file.largestkey});
    }
  }
  if (ends.empty()) return Skew();
  const auto [first, last] = std::ranges::minmax_element(ends, less);
  std::vector<rocksdb::Slice> sorted;
  for (uint64_t i = 0; i < keys.size(); ++i) {
    sorted.emplace_back(keys[i]);
  }
  std::ranges::sort(sorted, less);
  std::vector<rocksdb::Range> parts;
  rocksdb::Slice end = *first;
  for (uint64_t i = 1; i <= kParts; ++i) {
    const rocksdb::Slice begin = std::exchange(
        end, i < kParts ? sorted[i * keys.size() / kParts] : *last);
    end = std::clamp<rocksdb::Slice>(end, begin, *last, less);
    parts.emplace_back(begin, end);
  }
  std::vector<uint64_t> bytes(kParts);
  RETURN_IF_ERROR(FromRocksDb(
      db->GetApproximateSizes({}, family, parts.data(), kParts, bytes.data()),
      "cannot place the keys of --trace"));
  const double all = std::accumulate(bytes.begin(), bytes.end(), 1.0);
  std::vector<Skew::Stretch> stretches = {{0, 0, 0}};
  for (const uint64_t width : bytes) {
    // RocksDB's sizes are those of whole blocks.
    Skew::Stretch& stretch = stretches.back();
    if (stretch.end - stretch.begin >= kBlock / all) {
      stretches.push_back({stretch.end, stretch.end, 0});
    }
    stretches.back().end += width / all;
    stretches.back().lookups += 1.0 / kParts;
  }
  stretches.back().end = 1;
  return Skew(std::move(stretches), absl::StrCat("as in --trace: ", InWords()));
}

absl::StatusOr<Trace> ReadTrace(const std::string& path, rocksdb::DB* db) {
  Trace trace;
  std::unique_ptr<rocksdb::TraceReader> reader;
  std::unique_ptr<rocksdb::Replayer> replayer;
  rocksdb::Status status = rocksdb::NewFileTraceReader(
      rocksdb::Env::Default(), rocksdb::EnvOptions(), path, &reader);
  if (status.ok()) {
    RETURN_IF_ERROR(CheckVersion(path, reader.get()));
    status = db->NewDefaultReplayer({db->DefaultColumnFamily()},
                                    std::move(reader), &replayer);
  }
  if (status.ok()) status = replayer->Prepare();
  Collector collector(db, &trace);
  while (status.ok()) {
    RETURN_IF_ERROR(CheckInterrupt());
    std::unique_ptr<rocksdb::TraceRecord> record;
    status = replayer->Next(&record);
    if (status.IsNotSupported()) {
      ++trace.other;
      status = rocksdb::Status::OK();
    } else if (status.ok()) {
      status = record->Accept(&collector, nullptr);
    }
  }
  // The footer gives "Trace end", a file that lacks it ends without a word.
  if (!status.IsIncomplete() ||
      !absl::StrContains(status.ToString(), "race end")) {
    return Unreadable(path, trace,
                      status.IsIncomplete()
                          ? "it ends without a footer"
                          : absl::StrCat("RocksDB says ", status.ToString()));
  }
  if (trace.keys.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--trace='", path,
        "' has no lookups in the default column family: ", trace.InWords()));
  }
  return trace;
}

}  // namespace linebloom::tools
