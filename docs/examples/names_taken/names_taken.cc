// Sign-ups for a service in which every name is taken once. README.md explains
// the output.
//
// Usage: names_taken FILE, with a name on each line.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/example.h"
#include "common/standalone_bloom.h"

namespace examples {
namespace {

// What checks of names cost.
struct Report {
  uint64_t taken = 0;
  uint64_t blocks_of_taken = 0;
  uint64_t free = 0;
  uint64_t blocks_of_free = 0;
  Filters filters;
};

// The accounts by name.
class Accounts {
 public:
  explicit Accounts(rocksdb::DB* db) : db_(db) {}

  // A filter's 'no' is certain and reads nothing from the disk. After a 'maybe'
  // RocksDB reads the row, so the result is always right.
  bool IsTaken(const std::string& name) {
    const uint64_t before = BlocksRead();
    std::string account;
    const rocksdb::Status status = db_->Get({}, name, &account);
    if (!status.IsNotFound()) Require(status, "reading " + name);
    ++(status.ok() ? report_.taken : report_.free);
    (status.ok() ? report_.blocks_of_taken : report_.blocks_of_free) +=
        BlocksRead() - before;
    return status.ok();
  }

  void Create(const std::string& name) {
    Require(db_->Put({}, name, "account of " + name), "writing");
  }

  void Close(const std::string& name) {
    Require(db_->Delete({}, name), "deleting");
  }

  // Sums up the checks since the last report.
  Report TakeReport() {
    report_.filters = FiltersOf(db_);
    return std::exchange(report_, {});
  }

 private:
  rocksdb::DB* db_;
  Report report_;
};

std::vector<std::string> ReadNames(const char* path) {
  std::ifstream file(path);
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) names.insert(line);
  }
  return {names.begin(), names.end()};
}

// Shuffles the names: people sign up in no order.
std::vector<std::string> Shuffled(const std::vector<std::string>& names) {
  std::vector<std::pair<uint64_t, std::string>> order;
  for (size_t i = 0; i < names.size(); ++i) {
    order.emplace_back(Scatter(i), names[i]);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> shuffled;
  for (auto& [place, name] : order) shuffled.push_back(std::move(name));
  return shuffled;
}

// NAME if it is free, else NAME1, NAME2 and so on.
std::string FreeName(Accounts* accounts, const std::string& wish) {
  std::string name = wish;
  for (int number = 1; accounts->IsTaken(name); ++number) {
    name = wish + std::to_string(number);
  }
  return name;
}

// Signs everybody up with the name they want or the next one that is free. Adds
// the new names to `taken`, the truth.
void SignUp(const std::vector<std::string>& wishes, Accounts* accounts,
            std::set<std::string>* taken) {
  for (const std::string& wish : wishes) {
    const std::string name = FreeName(accounts, wish);
    Require(taken->insert(name).second, name + " was given away twice");
    accounts->Create(name);
  }
}

// The share of free names that the filter calls taken, in percent.
double SaysTaken(const std::vector<std::string>& free_names,
                 StandaloneBloom* bloom) {
  const auto taken = std::count_if(
      free_names.begin(), free_names.end(),
      [&](const std::string& name) { return bloom->MayContain(name); });
  return 100.0 * static_cast<double>(taken) /
         static_cast<double>(free_names.size());
}

constexpr const char* kPhases[] = {"a quarter signs up", "everybody signs up",
                                   "a quarter left, wanted"};

// Checks that the names of those who left are free.
void WantNames(const std::vector<std::string>& names, Accounts* accounts) {
  for (const std::string& name : names) {
    Require(!accounts->IsTaken(name), name + " is free and can't be had");
  }
}

// Returns one report for each phase.
std::vector<Report> RunRocksDb(const FilterChoice& choice,
                               const std::vector<std::string>& wishes,
                               const std::vector<std::string>& first) {
  Say(std::string("sign-ups with ") + choice.name);
  const ScratchFolder folder;
  const auto db =
      Open(SmallTree(wishes.size() * 60, choice.filter_policy), folder.path());
  Accounts accounts(db.get());
  std::set<std::string> taken;
  std::vector<Report> reports;
  for (const auto* now : {&first, &wishes}) {
    SignUp(*now, &accounts, &taken);
    Settle(db.get());
    reports.push_back(accounts.TakeReport());
  }
  for (const std::string& name : first) accounts.Close(name);
  CompactEverything(db.get());
  WantNames(first, &accounts);
  reports.push_back(accounts.TakeReport());
  Require(reports.back().blocks_of_free < first.size() / 20,
          "filters still let closed names through");
  return reports;
}

void RunStandalone(const std::vector<std::string>& wishes,
                   const std::vector<std::string>& first) {
  StandaloneBloom bloom(first.size(), 0.01);
  for (const std::string& name : first) bloom.Add(name);
  std::vector<std::string> free_names;
  for (const std::string& wish : wishes) free_names.push_back(wish + "_");
  const double says_at_first = SaysTaken(free_names, &bloom);
  for (const std::string& wish : wishes) bloom.Add(wish);
  for (const std::string& name : first) bloom.Add(name + "1");
  std::printf(
      "\nA stand-alone Bloom filter of %s bytes, sized for the first quarter "
      "at 1 %%,\nreports %.2f %% of free names as taken, %.1f %% once "
      "everybody has signed up, and\n%.0f %% of the names of those who left.\n",
      WithThousands(bloom.bytes()).c_str(), says_at_first,
      SaysTaken(free_names, &bloom), SaysTaken(first, &bloom));
}

int Main(int argc, char** argv) {
  const std::vector<std::string> wishes =
      argc == 2 ? Shuffled(ReadNames(argv[1])) : std::vector<std::string>();
  if (wishes.size() < 4000) {
    std::cerr << "usage: " << argv[0]
              << " FILE, with at least 4000 names, one on each line\n";
    return 2;
  }
  const std::vector<std::string> first(wishes.begin(),
                                       wishes.begin() + wishes.size() / 4);
  PrintFilterChoices();
  std::vector<std::vector<Report>> reports;
  for (const FilterChoice& choice : kFilterChoices) {
    reports.push_back(RunRocksDb(choice, wishes, first));
  }
  PrintRow("", {"taken", "blocks", "free", "blocks", "keys in", "bytes of"});
  PrintRow("", {"names", "read", "names", "read", "filters", "filters"});
  for (size_t phase = 0; phase < std::size(kPhases); ++phase) {
    std::printf("%s\n", kPhases[phase]);
    for (size_t i = 0; i < reports.size(); ++i) {
      const Report& report = reports[i][phase];
      PrintRow(
          std::string("  ") + kFilterChoices[i].name,
          {report.taken, report.blocks_of_taken, report.free,
           report.blocks_of_free, report.filters.keys, report.filters.bytes});
    }
  }
  RunStandalone(wishes, first);
  return 0;
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) { return examples::Main(argc, argv); }
