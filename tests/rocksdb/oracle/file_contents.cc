#include "tests/rocksdb/oracle/file_contents.h"

#include <mutex>

namespace linebloom {
namespace {

using rocksdb::EntryType;
using rocksdb::Slice;
using rocksdb::Status;

constexpr char kContentsId[] = "test.contents";

std::mutex files_mutex;
std::vector<std::shared_ptr<const FileContents>> all_files;  // by id

class Recorder : public rocksdb::TablePropertiesCollector {
 public:
  explicit Recorder(const Policy& policy)
      : contents_(std::make_shared<FileContents>()) {
    contents_->policy = policy;
  }

  const char* Name() const override { return "test.Recorder"; }

  // The newest version of a row comes first.
  Status AddUserKey(const Slice& key, const Slice& value, EntryType type,
                    rocksdb::SequenceNumber, uint64_t) override {
    if (type == rocksdb::kEntryRangeDeletion) {
      contents_->deleted_ranges.emplace_back(key.ToString(), value.ToString());
    } else {
      contents_->keys[key.ToString()] |= type != rocksdb::kEntryMerge;
    }
    return Status::OK();
  }

  Status Finish(rocksdb::UserCollectedProperties* properties) override {
    const std::lock_guard<std::mutex> lock(files_mutex);
    (*properties)[kContentsId] = std::to_string(all_files.size());
    all_files.push_back(contents_);
    return Status::OK();
  }

  rocksdb::UserCollectedProperties GetReadableProperties() const override {
    return {};
  }

 private:
  const std::shared_ptr<FileContents> contents_;
};

class RecorderFactory : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit RecorderFactory(const Policy& policy) : policy_(policy) {}
  const char* Name() const override { return "test.Recorder"; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(
      Context) override {
    return new Recorder(policy_);
  }

 private:
  const Policy policy_;
};

}  // namespace

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> RecordContents(
    const Policy& policy) {
  return std::make_shared<RecorderFactory>(policy);
}

std::shared_ptr<const FileContents> ContentsOf(
    const rocksdb::TableProperties& properties) {
  const auto id = properties.user_collected_properties.find(kContentsId);
  if (id == properties.user_collected_properties.end()) return nullptr;
  const std::lock_guard<std::mutex> lock(files_mutex);
  return all_files.at(std::stoul(id->second));
}

}  // namespace linebloom
