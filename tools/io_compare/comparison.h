// Builds and measures the databases of all policies.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rocksdb/db.h"
#include "tools/command_line/progress.h"
#include "tools/io_compare/config.h"
#include "tools/io_compare/database.h"
#include "tools/io_compare/measure.h"
#include "tools/io_compare/report/report.h"
#include "tools/io_compare/rows/workload.h"
#include "tools/policies/policy_spec.h"

namespace linebloom::tools {

// A policy, the part of each key that it gets, and its database.
struct Contestant {
  NamedPolicy policy;
  FilterKeys keys = FilterKeys::kCells;
  std::filesystem::path folder;  // of the database, not created yet
  std::unique_ptr<rocksdb::DB> db;
  PolicyResult result;
};

class Comparison {
 public:
  // `config` and `workload` must outlive this.
  Comparison(const IoCompareConfig& config, Workload* workload,
             std::vector<Contestant> contestants);

  // Builds all databases, then looks up keys in rounds, each of which goes
  // through all policies, so that other load on the machine affects them all
  // alike. With a single round, it handles one database after another, which
  // takes less disk space. Removes each database after its last use, unless
  // `keep` is set.
  absl::Status Run();

  // After Run(), once.
  std::vector<PolicyResult> TakeResults();

 private:
  absl::Status RunSome(size_t begin, size_t end);
  absl::Status Build(Contestant* contestant);
  PredictedRates Predict(rocksdb::DB* db) const;
  absl::Status MeasureOne(uint64_t round, size_t i);
  absl::Status Measure(const Contestant& contestant, const LookupList& lookups,
                       Measurement* measured);
  void BeginStep(const std::string& step, size_t i, uint64_t total,
                 const std::optional<LaterWork>& later);
  LookupList PartOf(const KeyList& keys, uint64_t round) const;
  double SecondsAfter(uint64_t round, size_t i) const;
  Filtering FilteringOf(const Contestant& contestant) const;
  bool direct_io() const { return workload_.facts.direct_io; }

  const IoCompareConfig& config_;
  Workload& workload_;
  std::vector<Contestant> contestants_;
  std::vector<double> round_seconds_;  // of the first round
  Progress progress_;
};

}  // namespace linebloom::tools
