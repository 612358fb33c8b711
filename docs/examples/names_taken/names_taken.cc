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
#include <vector>

#include "common/example.h"
#include "common/standalone_bloom.h"
#include "linebloom/filter_policy.h"

namespace examples {
namespace {

// The accounts by name.
class Accounts {
 public:
  explicit Accounts(rocksdb::DB* db) : db_(db) {}

  // A 'no' of the filters is certain and reads nothing from the disk. A 'maybe'
  // makes RocksDB read the row, so this answer is always right.
  bool IsTaken(const std::string& name) {
    const uint64_t before = BlocksRead();
    std::string account;
    const rocksdb::Status status = db_->Get({}, name, &account);
    if (!status.IsNotFound()) Require(status, "reading " + name);
    ++(status.ok() ? taken_ : free_);
    (status.ok() ? blocks_of_taken_ : blocks_of_free_) += BlocksRead() - before;
    return status.ok();
  }

  void Create(const std::string& name) {
    Require(db_->Put({}, name, "account of " + name), "writing");
  }

  void Close(const std::string& name) {
    Require(db_->Delete({}, name), "deleting");
  }

  // Sums up the checks since the last report.
  void Report(const char* when) {
    const Filters filters = FiltersOf(db_);
    std::printf(
        "%-26s %9s %9s %9s %9s %9s %10s\n", when, WithThousands(taken_).c_str(),
        WithThousands(blocks_of_taken_).c_str(), WithThousands(free_).c_str(),
        WithThousands(blocks_of_free_).c_str(),
        WithThousands(filters.keys).c_str(),
        WithThousands(filters.bytes).c_str());
    taken_ = free_ = blocks_of_taken_ = blocks_of_free_ = 0;
  }

  uint64_t blocks_of_free() const { return blocks_of_free_; }

 private:
  rocksdb::DB* db_;
  uint64_t taken_ = 0;
  uint64_t free_ = 0;
  uint64_t blocks_of_taken_ = 0;
  uint64_t blocks_of_free_ = 0;
};

void PrintHeader() {
  std::printf(
      "%-26s %9s %9s %9s %9s %9s %10s\n%-26s %9s %9s %9s %9s %9s %10s\n", "",
      "taken", "blocks", "free", "blocks", "keys in", "bytes of", "", "names",
      "read", "names", "read", "filters", "filters");
}

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

// Everybody signs up with the name they wish or the next that is free. Adds the
// new names to `taken`, the truth.
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
  const ScratchFolder folder;
  const auto db =
      Open(SmallTree(wishes.size() * 60, linebloom::NewFilterPolicy(10)),
           folder.path());
  Accounts accounts(db.get());
  std::set<std::string> taken;

  PrintHeader();
  SignUp(first, &accounts, &taken);
  Settle(db.get());
  accounts.Report("a quarter signs up");
  StandaloneBloom bloom(taken.size(), 0.01);
  for (const std::string& name : taken) bloom.Add(name);
  std::vector<std::string> free_names;
  for (const std::string& wish : wishes) free_names.push_back(wish + "_");
  const double says_at_first = SaysTaken(free_names, &bloom);

  SignUp(wishes, &accounts, &taken);
  Settle(db.get());
  accounts.Report("everybody signs up");
  for (const std::string& name : taken) bloom.Add(name);
  const double says_grown = SaysTaken(free_names, &bloom);

  // Those of the first quarter leave, and somebody else wants their names.
  for (const std::string& name : first) accounts.Close(name);
  CompactEverything(db.get());
  for (const std::string& name : first) {
    Require(!accounts.IsTaken(name), name + " is free and can't be had");
  }
  Require(accounts.blocks_of_free() < first.size() / 20,
          "filters still let closed names through");
  accounts.Report("a quarter left, wanted");
  std::printf(
      "\nA stand-alone Bloom filter of %s bytes, sized for the first quarter "
      "at 1 %%,\nreports %.2f %% of free names as taken, %.1f %% once "
      "everybody "
      "has signed up, and\n%.0f %% of the names of those who left.\n",
      WithThousands(bloom.bytes()).c_str(), says_at_first, says_grown,
      SaysTaken(first, &bloom));
  return 0;
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) { return examples::Main(argc, argv); }
