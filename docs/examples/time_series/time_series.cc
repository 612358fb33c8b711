// Measurements of sensors that are kept for a week: with FIFO compaction, which
// drops the oldest files, and with a time to live, for which compactions drop
// the rows that are too old. README.md explains the output.
//
// Usage: time_series [ROWS_A_DAY]

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

#include "common/example.h"
#include "common/standalone_bloom.h"
#include "rocksdb/compaction_filter.h"

namespace examples {
namespace {

constexpr int kDays = 28;
constexpr int kDaysKept = 7;
constexpr uint64_t kRowsPerDay = 20;  // of each sensor
constexpr uint64_t kRowBytes = 100;   // roughly, with its key

// Sorts by sensor first, so that the rows of a chart are adjacent. A new file
// has rows of all sensors, and a lookup has to probe every file.
std::string RowKey(uint64_t sensor, int day, uint64_t second) {
  char key[40];
  std::snprintf(key, sizeof(key), "%08lu/%03d/%05lu",
                static_cast<unsigned long>(sensor), day,
                static_cast<unsigned long>(second));
  return key;
}

int DayOf(const rocksdb::Slice& key) {
  return std::stoi(std::string(key.data() + 9, 3));
}

// Returns the second of the n-th row of a sensor on a day; it is even.
uint64_t SecondOf(uint64_t sensor, int day, uint64_t n) {
  return 4320 * n +
         2 * (Scatter(100 * sensor + static_cast<uint64_t>(day)) % 2160);
}

// Calls `visit` with the key of each row of the day, `later` seconds after it.
template <typename Visit>
void ForRowsOf(uint64_t sensors, int day, uint64_t later, const Visit& visit) {
  for (uint64_t n = 0; n < kRowsPerDay; ++n) {
    for (uint64_t sensor = 0; sensor < sensors; ++sensor) {
      visit(RowKey(sensor, day, SecondOf(sensor, day, n) + later));
    }
  }
}

// Drops rows that are too old. RocksDB's own DBWithTTL does the same by the
// clock on the wall; here, days pass faster.
class DropOldRows : public rocksdb::CompactionFilter {
 public:
  explicit DropOldRows(const std::atomic<int>* today) : today_(today) {}

  const char* Name() const override { return "DropOldRows"; }

  bool Filter(int /*level*/, const rocksdb::Slice& key,
              const rocksdb::Slice& /*value*/, std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    return DayOf(key) <= *today_ - kDaysKept;
  }

 private:
  const std::atomic<int>* today_;
};

// Blocks that were read per 1000 lookups.
struct Reads {
  double never_written = 0;
  double expired = 0;
};

void Print(const char* name, uint64_t keys_after_a_week, const Filters& filters,
           const Reads& reads) {
  PrintRow(name, {keys_after_a_week, filters.keys, filters.bytes,
                  reads.never_written, reads.expired});
}

// Looks up the rows of a day, or others `later` seconds after them. None
// exists.
double ReadsOfMissing(rocksdb::DB* db, uint64_t sensors, int day,
                      uint64_t later) {
  const uint64_t before = BlocksRead();
  std::string value;
  ForRowsOf(sensors, day, later, [&](const std::string& key) {
    Require(db->Get({}, key, &value).IsNotFound(), key + " should be gone");
  });
  return 1000.0 * static_cast<double>(BlocksRead() - before) /
         static_cast<double>(sensors * kRowsPerDay);
}

// Writes four weeks of rows, of which one should remain.
void Run(const std::string& name, bool fifo, const std::string& filter_policy,
         uint64_t sensors) {
  Say("four weeks: " + name);
  const ScratchFolder folder;
  const uint64_t day_bytes = sensors * kRowsPerDay * kRowBytes;
  std::atomic<int> today = 0;
  const DropOldRows drop_old_rows(&today);
  rocksdb::Options options = SmallTree(kDaysKept * day_bytes, filter_policy);
  if (fifo) {
    options.compaction_style = rocksdb::kCompactionStyleFIFO;
    options.compaction_options_fifo.max_table_files_size =
        kDaysKept * day_bytes;
  } else {
    options.compaction_filter = &drop_old_rows;
  }
  const auto db = Open(options, folder.path());
  uint64_t keys_after_a_week = 0;
  for (; today < kDays; ++today) {
    ForRowsOf(sensors, today, 0, [&](const std::string& key) {
      Require(db->Put({}, key, std::string(kRowBytes - 18, 'v')), "writing");
    });
    if (today % kDaysKept == kDaysKept - 1) {
      fifo ? Settle(db.get()) : CompactEverything(db.get());
    }
    if (today == kDaysKept - 1) keys_after_a_week = FiltersOf(db.get()).keys;
  }
  std::string value;
  ForRowsOf(sensors, kDays - 1, 0, [&](const std::string& key) {
    Require(db->Get({}, key, &value), "reading " + key);
  });
  const Filters filters = FiltersOf(db.get());
  Require(filters.keys <= kDaysKept * kRowsPerDay * sensors,
          "expired rows are still in the filters");
  Print(name.c_str(), keys_after_a_week, filters,
        {ReadsOfMissing(db.get(), sensors, kDays - 1, 1),
         ReadsOfMissing(db.get(), sensors, kDays - 1 - 2 * kDaysKept, 0)});
}

// Counts how many of 1000 lookups a filter in memory lets through.
void RunStandalone(uint64_t sensors) {
  const uint64_t a_week = sensors * kRowsPerDay * kDaysKept;
  StandaloneBloom bloom(a_week, 0.01);
  for (int day = 0; day < kDays; ++day) {
    ForRowsOf(sensors, day, 0, [&](const std::string& key) { bloom.Add(key); });
  }
  const auto passed = [&](int day, uint64_t later) {
    uint64_t passes = 0;
    ForRowsOf(sensors, day, later, [&](const std::string& key) {
      passes += bloom.MayContain(key) ? 1 : 0;
    });
    return 1000.0 * static_cast<double>(passes) /
           static_cast<double>(sensors * kRowsPerDay);
  };
  Print("stand-alone Bloom, a week", a_week,
        {kDays / kDaysKept * a_week, bloom.bytes()},
        {passed(kDays - 1, 1), passed(kDays - 1 - 2 * kDaysKept, 0)});
}

int Main(int argc, char** argv) {
  const uint64_t sensors = SizeFromArguments(argc, argv, 20'000) / kRowsPerDay;
  PrintFilterChoices();
  std::printf(
      "%s sensors, %s rows a day; %d days written, %d kept.\n\n%64s%24s\n",
      WithThousands(sensors).c_str(),
      WithThousands(sensors * kRowsPerDay).c_str(), kDays, kDaysKept,
      "in filters", "blocks/1000 lookups");
  PrintRow("", {"keys after", "keys after", "bytes after", "of rows", "of"});
  PrintRow("", {"a week", "4 weeks", "4 weeks", "not written", "expired"});
  for (const bool fifo : {true, false}) {
    const std::string kind = fifo ? "FIFO, " : "TTL, ";
    Run(kind + "no filter", fifo, kNoFilter, sensors);
    for (const FilterChoice& choice : kFilterChoices) {
      Run(kind + choice.name, fifo, choice.filter_policy, sensors);
    }
  }
  RunStandalone(sensors);
  return 0;
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) { return examples::Main(argc, argv); }
