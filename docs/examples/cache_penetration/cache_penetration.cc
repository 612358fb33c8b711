// A read-through store in front of RocksDB under a flood of keys that don't
// exist. The cache can't answer them, because it only holds what exists, so
// each of them penetrates it. README.md explains the output.
//
// Usage: cache_penetration [USERS]

#include <cstdio>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/example.h"
#include "common/standalone_bloom.h"

namespace examples {
namespace {

// Keeps the most recently used rows in memory and all rows in RocksDB.
class ReadThroughStore {
 public:
  ReadThroughStore(rocksdb::DB* db, size_t capacity)
      : db_(db), capacity_(capacity) {}

  std::optional<std::string> Get(const std::string& key) {
    const auto cached = rows_.find(key);
    if (cached != rows_.end()) {
      ++hits_;
      order_.splice(order_.begin(), order_, cached->second);
      return cached->second->second;
    }
    std::string value;
    const rocksdb::Status status = db_->Get({}, key, &value);
    if (status.IsNotFound()) return std::nullopt;
    Require(status, "reading " + key);
    order_.emplace_front(key, value);
    rows_[key] = order_.begin();
    if (rows_.size() > capacity_) {
      rows_.erase(order_.back().first);
      order_.pop_back();
    }
    return value;
  }

  uint64_t hits() const { return hits_; }

 private:
  using Row = std::pair<std::string, std::string>;

  rocksdb::DB* db_;
  const size_t capacity_;
  std::list<Row> order_;  // the most recently used row first
  std::unordered_map<std::string, std::list<Row>::iterator> rows_;
  uint64_t hits_ = 0;
};

// The users 0, 1, 2... exist; those of the flood are numbers far above.
constexpr uint64_t kFlood = uint64_t{1} << 40;

std::string UserKey(uint64_t user) {
  char key[32];
  std::snprintf(key, sizeof(key), "user/%016lx",
                static_cast<unsigned long>(Scatter(user)));
  return key;
}

constexpr uint64_t kValueBytes = 100;

// Writes a file for every `per_file` users and compacts all but the last three,
// so that all policies are compared on the same sorted runs.
void AddUsers(rocksdb::DB* db, uint64_t begin, uint64_t end,
              uint64_t per_file) {
  for (uint64_t user = begin; user < end; ++user) {
    Require(db->Put({}, UserKey(user), std::string(kValueBytes, 'v')),
            "writing");
    const uint64_t left = end - user - 1;
    if (left % per_file == 0) Require(db->Flush({}), "flushing");
    if (left == 3 * per_file) CompactEverything(db);
  }
}

// Nine of ten requests come from the flood, the tenth from a user, mostly for a
// few hot keys. Returns the blocks read per 1000 requests of the flood.
double Serve(rocksdb::DB* db, uint64_t users, uint64_t requests,
             uint64_t* hits) {
  ReadThroughStore store(db, users / 100);
  uint64_t blocks = 0;
  for (uint64_t i = 0; i < requests; ++i) {
    if (i % 10 == 0) {
      const uint64_t user = Scatter(i) % (i % 100 == 0 ? users : users / 200);
      Require(store.Get(UserKey(user)).has_value(), "a user was not found");
      continue;
    }
    const uint64_t before = BlocksRead();
    Require(!store.Get(UserKey(kFlood + i)).has_value(), "found a stranger");
    blocks += BlocksRead() - before;
  }
  *hits = store.hits();
  return static_cast<double>(blocks) / (0.0009 * static_cast<double>(requests));
}

// Returns the blocks read per 1000 lookups of the users below `deleted`, who
// are gone.
double LookUpDeleted(rocksdb::DB* db, uint64_t deleted) {
  const uint64_t before = BlocksRead();
  std::string value;
  for (uint64_t user = 0; user < deleted; ++user) {
    Require(db->Get({}, UserKey(user), &value).IsNotFound(), "not deleted");
  }
  return 1000.0 * static_cast<double>(BlocksRead() - before) /
         static_cast<double>(deleted);
}

struct Outcome {
  double reads[3];  // at first, grown, of deleted rows
  uint64_t bytes[3];
};

void Print(const char* name, const Outcome& outcome) {
  const auto& [reads, bytes] = outcome;
  PrintRow(name, {reads[0], reads[1], reads[2], bytes[0], bytes[1], bytes[2]});
}

constexpr uint64_t kGrowth = 4;

Outcome RunRocksDb(const std::string& filter_policy, uint64_t users,
                   uint64_t requests) {
  Say("users and the flood with filter_policy=" + filter_policy);
  const ScratchFolder folder;
  rocksdb::Options options =
      SmallTree(kGrowth * users * (kValueBytes + 30), filter_policy);
  options.level0_file_num_compaction_trigger = 1000;  // AddUsers() compacts
  options.level0_slowdown_writes_trigger = 1000;
  options.level0_stop_writes_trigger = 1000;
  const auto db = Open(options, folder.path());
  Outcome outcome = {};
  uint64_t hits = 0;
  AddUsers(db.get(), 0, users, users / 20);
  outcome.reads[0] = Serve(db.get(), users, requests, &hits);
  Require(hits > 0, "the cache never helped");
  outcome.bytes[0] = FiltersOf(db.get()).bytes;

  AddUsers(db.get(), users, kGrowth * users, users / 20);
  outcome.reads[1] = Serve(db.get(), users, requests, &hits);
  outcome.bytes[1] = FiltersOf(db.get()).bytes;

  for (uint64_t user = 0; user < 2 * users; ++user) {
    Require(db->Delete({}, UserKey(user)), "deleting");
  }
  CompactEverything(db.get());
  outcome.reads[2] = LookUpDeleted(db.get(), 2 * users);
  outcome.bytes[2] = FiltersOf(db.get()).bytes;
  return outcome;
}

// Counts how many of 1000 lookups the filter lets through to a database that
// has no filters of its own, and so reads a block or more for each.
Outcome RunStandalone(uint64_t users, uint64_t requests) {
  StandaloneBloom bloom(users, 0.01);
  const auto passed = [&](uint64_t begin, uint64_t count) {
    uint64_t passes = 0;
    for (uint64_t i = 0; i < count; ++i) {
      passes += bloom.MayContain(UserKey(begin + i)) ? 1 : 0;
    }
    return 1000.0 * static_cast<double>(passes) / static_cast<double>(count);
  };
  Outcome outcome = {};
  for (uint64_t user = 0; user < users; ++user) bloom.Add(UserKey(user));
  outcome.reads[0] = passed(kFlood, requests);
  for (uint64_t user = users; user < kGrowth * users; ++user) {
    bloom.Add(UserKey(user));
  }
  outcome.reads[1] = passed(kFlood, requests);
  outcome.reads[2] = passed(0, 2 * users);  // deleted, but not from the filter
  for (uint64_t& bytes : outcome.bytes) bytes = bloom.bytes();
  return outcome;
}

std::string Budget(uint64_t bytes) {
  return "{id=linebloom;memory_budget=" + std::to_string(bytes) + "}";
}

int Main(int argc, char** argv) {
  const uint64_t users = SizeFromArguments(argc, argv, 200'000);
  const uint64_t requests = users;
  PrintFilterChoices();
  std::printf(
      "%s users, then %s, of whom half are deleted. %s requests each time, 9 "
      "of 10\nfor users that don't exist.\n\n%64s%36s\n",
      WithThousands(users).c_str(), WithThousands(kGrowth * users).c_str(),
      WithThousands(requests).c_str(), "blocks read per 1000 requests",
      "bytes of filters");
  PrintRow("",
           {"at first", "grown", "deleted", "at first", "grown", "deleted"});
  const auto run = [&](const char* name, const std::string& filter_policy) {
    const Outcome outcome = RunRocksDb(filter_policy, users, requests);
    Print(name, outcome);
    return outcome;
  };
  run("no filter", kNoFilter);
  std::vector<Outcome> of_choices;
  for (const FilterChoice& choice : kFilterChoices) {
    of_choices.push_back(run(choice.name, choice.filter_policy));
  }
  const Outcome& bloom = of_choices[0];
  const uint64_t budget = bloom.bytes[1];
  run("linebloom, Bloom's memory", Budget(budget));
  run("linebloom, half of it", Budget(budget / 2));
  Print("stand-alone Bloom, 1 %", RunStandalone(users, requests));
  std::printf(
      "\nBloom's memory is a memory_budget of %s bytes, what Bloom takes when "
      "grown.\nFor the stand-alone filter: requests that it lets through, each "
      "of which reads blocks of a\ndatabase without filters.\n",
      WithThousands(budget).c_str());
  // The page claims this at every size.
  for (const Outcome& line : {of_choices[1], of_choices[2]}) {
    Require(line.reads[0] < bloom.reads[0] && line.reads[1] < bloom.reads[1],
            "linebloom read more than RocksDB's Bloom filter");
  }
  return 0;
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) { return examples::Main(argc, argv); }
