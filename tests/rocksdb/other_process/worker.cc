// A second process for a database: runs compactions for it, or writes a file to
// be ingested. It links RocksDB and liblinebloom.so and calls only RocksDB, so
// it knows a filter policy only from the option string.
//
//   worker compact DATABASE OUTPUT_FOLDER INPUT_FILE RESULT_FILE TABLE_OPTIONS
//   worker write SST_FILE ROWS_FILE TABLE_OPTIONS
//
// TABLE_OPTIONS are as in `filter_policy=linebloom:10;block_size=1024`. A line
// of ROWS_FILE is a key, a tab and a value. Exit code 1: RocksDB failed, 2: bad
// usage or option string; stderr says which.

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"

namespace {

using rocksdb::Status;

int Fail(int code, const std::string& what) {
  std::cerr << "worker: " << what << "\n";
  return code;
}

int ExitCode(const Status& status) {
  return status.ok() ? 0 : Fail(1, status.ToString());
}

// RocksDB drops the errors of a filter policy inside table options: an unknown
// policy becomes none, and neither SstFileWriter nor OpenAndCompact() validates
// a known one. Files would silently be written without filters.
Status ParseTableOptions(const std::string& text,
                         std::shared_ptr<rocksdb::TableFactory>* factory) {
  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  rocksdb::BlockBasedTableOptions table;
  const Status status = rocksdb::GetBlockBasedTableOptionsFromString(
      strict, rocksdb::BlockBasedTableOptions(), text, &table);
  if (!status.ok()) return status;
  if (table.filter_policy == nullptr) {
    return Status::InvalidArgument("no known filter_policy in", text);
  }
  factory->reset(rocksdb::NewBlockBasedTableFactory(table));
  return (*factory)->ValidateOptions(rocksdb::DBOptions(),
                                     rocksdb::ColumnFamilyOptions());
}

Status Compact(char** names,
               const std::shared_ptr<rocksdb::TableFactory>& factory) {
  const auto [database, output_folder, input_file, result_file] =
      std::tuple(names[0], names[1], names[2], names[3]);
  std::ifstream stream(input_file, std::ios::binary);
  const std::string input(std::istreambuf_iterator<char>(stream), {});
  rocksdb::CompactionServiceOptionsOverride options;
  options.table_factory = factory;
  std::string result;
  const Status status = rocksdb::DB::OpenAndCompact(database, output_folder,
                                                    input, &result, options);
  std::ofstream(result_file, std::ios::binary) << result;
  return status;
}

Status Write(char** names,
             const std::shared_ptr<rocksdb::TableFactory>& factory) {
  rocksdb::Options options;
  options.table_factory = factory;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Status status = writer.Open(names[0]);
  std::ifstream rows(names[1]);
  for (std::string row; status.ok() && std::getline(rows, row);) {
    const size_t tab = row.find('\t');
    status = writer.Put(row.substr(0, tab), row.substr(tab + 1));
  }
  return status.ok() ? writer.Finish() : status;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  const bool compact = command == "compact" && argc == 7;
  if (!compact && !(command == "write" && argc == 5)) {
    return Fail(2, "usage: see the beginning of worker.cc");
  }
  std::shared_ptr<rocksdb::TableFactory> factory;
  const Status parsed = ParseTableOptions(argv[argc - 1], &factory);
  if (!parsed.ok()) return Fail(2, parsed.ToString());
  return ExitCode(compact ? Compact(argv + 2, factory)
                          : Write(argv + 2, factory));
}
