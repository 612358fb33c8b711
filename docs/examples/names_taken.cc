// Sign-ups for a service in which every name is taken once.
//
// Usage: names_taken FILE, with a name on each line.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "example.h"

namespace examples {
namespace {

// What checks of free names cost.
struct Cost {
  uint64_t names = 0;
  uint64_t blocks = 0;
};

// A filter's 'no' is certain and reads nothing from the disk. After a 'maybe'
// RocksDB reads the row, so the result is always right.
bool IsTaken(const Database& db, const std::string& name, Cost* of_free) {
  uint64_t blocks = 0;
  if (db.Has(name, &blocks)) return true;
  ++of_free->names;
  of_free->blocks += blocks;
  return false;
}

// Signs everybody up with the name they want or, if it is taken, with a number
// after it. Adds the new names to `taken`, the truth.
Cost SignUp(const Database& db, const std::vector<std::string>& wishes,
            std::set<std::string>* taken) {
  Cost of_free;
  for (const std::string& wish : wishes) {
    std::string name = wish;
    for (int number = 1; IsTaken(db, name, &of_free); ++number) {
      name = wish + std::to_string(number);
    }
    Require(taken->insert(name).second, name + " was given away twice");
    db.Put(name, "account of " + name);
  }
  return of_free;
}

void Run(const char* policy, const std::vector<std::string>& names) {
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + names.size() / 4);
  const Database db(policy, names.size() * 60);
  std::set<std::string> taken;
  const Cost quarter = SignUp(db, first, &taken);
  const Cost all = SignUp(db, names, &taken);
  for (const std::string& name : first) db.Delete(name);
  db.CompactAll();
  Cost left;
  for (const std::string& name : first) {
    Require(!IsTaken(db, name, &left), name + " is free and can't be had");
  }
  std::printf("%-48s", policy);
  for (const Cost& cost : {quarter, all, left}) {
    std::printf("%9.2f", 100.0 * static_cast<double>(cost.blocks) /
                             static_cast<double>(cost.names));
  }
  std::printf("%12lu\n", static_cast<unsigned long>(db.LiveFilters().keys));
  std::fflush(stdout);
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  std::set<std::string> sorted;
  for (std::string line; std::getline(file, line);) sorted.insert(line);
  examples::Require(sorted.size() >= 4000,
                    "usage: names_taken FILE, with at "
                    "least 4000 names, one a line");
  // People sign up in no order.
  std::vector<std::pair<uint64_t, std::string>> order;
  for (const std::string& name : sorted) {
    order.emplace_back(examples::Scatter(order.size()), name);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (const auto& [place, name] : order) names.push_back(name);
  std::printf("%-48s%9s%9s%9s%12s\n", "blocks per 100 free names", "a quarter",
              "everybody", "left", "filter keys");
  for (const char* policy : examples::kPolicies) examples::Run(policy, names);
}
