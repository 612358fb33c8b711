// Measurements of sensors that are kept for a week: with FIFO compaction, which
// drops the oldest files, and with a time to live, for which compactions drop
// the rows that are too old.
//
// Usage: time_series [SENSORS]

#include <atomic>
#include <cstdio>
#include <string>

#include "example.h"
#include "rocksdb/compaction_filter.h"

namespace examples {
namespace {

constexpr int kDays = 28;
constexpr int kDaysKept = 7;
constexpr uint64_t kRowsPerDay = 20;  // of each sensor
constexpr uint64_t kRowBytes = 100;   // roughly, with its key

// Calls `visit` with the key of each row of the day, `later` seconds after it.
// Keys sort by sensor first, so that the rows of a chart are adjacent. A new
// file has rows of all sensors, and a lookup has to probe every file.
template <typename Visit>
void ForRowsOf(uint64_t sensors, int day, uint64_t later, const Visit& visit) {
  for (uint64_t n = 0; n < kRowsPerDay; ++n) {
    for (uint64_t sensor = 0; sensor < sensors; ++sensor) {
      const uint64_t second =
          4320 * n +
          2 * (Scatter(100 * sensor + static_cast<uint64_t>(day)) % 2160);
      char key[40];
      std::snprintf(key, sizeof(key), "%08lu/%03d/%05lu",
                    static_cast<unsigned long>(sensor), day,
                    static_cast<unsigned long>(second + later));
      visit(std::string(key));
    }
  }
}

// Drops rows that are too old. RocksDB's own DBWithTTL does the same by the
// clock on the wall; here, days pass faster.
class DropOldRows : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "DropOldRows"; }
  bool Filter(int /*level*/, const rocksdb::Slice& key,
              const rocksdb::Slice& /*value*/, std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    return std::stoi(std::string(key.data() + 9, 3)) <= today - kDaysKept;
  }

  std::atomic<int> today = 0;
};

// Blocks read per 1000 lookups of rows that don't exist.
double ReadsOfMissing(const Database& db, uint64_t sensors, int day,
                      uint64_t later) {
  uint64_t blocks = 0;
  ForRowsOf(sensors, day, later, [&](const std::string& key) {
    Require(!db.Has(key, &blocks), key + " should be gone");
  });
  return 1000.0 * static_cast<double>(blocks) /
         static_cast<double>(sensors * kRowsPerDay);
}

// Writes four weeks of rows, of which one should remain.
void Run(bool fifo, const char* policy, uint64_t sensors) {
  DropOldRows drop;
  const uint64_t week = kDaysKept * sensors * kRowsPerDay;
  const Database db(policy, week * kRowBytes, [&](rocksdb::Options* options) {
    options->compaction_filter = fifo ? nullptr : &drop;
    if (fifo) options->compaction_style = rocksdb::kCompactionStyleFIFO;
    options->compaction_options_fifo.max_table_files_size = week * kRowBytes;
  });
  for (; drop.today < kDays; ++drop.today) {
    ForRowsOf(sensors, drop.today, 0, [&](const std::string& key) {
      db.Put(key, std::string(kRowBytes - 18, 'v'));
    });
    if (drop.today % kDaysKept != kDaysKept - 1) continue;
    fifo ? Require(db->Flush({}), "flushing") : db.CompactAll();
  }
  uint64_t blocks = 0;
  ForRowsOf(sensors, kDays - 1, 0, [&](const std::string& key) {
    Require(db.Has(key, &blocks), key + " is missing");
  });
  const uint64_t keys = db.LiveFilters().keys;
  // FIFO drops files in the background.
  Require(keys <= (fifo ? 2 : 1) * week, "expired rows are in the filters");
  std::printf("%-5s%-48s%9lu%10.1f%10.1f\n", fifo ? "FIFO" : "TTL", policy,
              static_cast<unsigned long>(keys),
              ReadsOfMissing(db, sensors, kDays - 1, 1),
              ReadsOfMissing(db, sensors, kDays - 1 - 2 * kDaysKept, 0));
  std::fflush(stdout);
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) {
  const uint64_t sensors = argc > 1 ? std::stoull(argv[1]) : 1000;
  std::printf("%-53s%9s%10s%10s\n", "blocks per 1000 lookups of missing rows",
              "keys", "unwritten", "expired");
  for (const bool fifo : {true, false}) {
    for (const char* policy : examples::kPolicies) {
      examples::Run(fifo, policy, sensors);
    }
  }
}
