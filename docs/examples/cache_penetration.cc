// A cache in front of RocksDB, under a flood of keys that don't exist: each of
// them penetrates the cache, which only holds what exists.
//
// Usage: cache_penetration [USERS]

#include <cstdio>
#include <string>
#include <unordered_set>

#include "example.h"

namespace examples {
namespace {

// The users 0, 1, 2... exist; those of the flood are numbers far above.
constexpr uint64_t kFlood = uint64_t{1} << 40;
constexpr uint64_t kValueBytes = 100;
constexpr uint64_t kGrowth = 4;

std::string UserKey(uint64_t user) {
  return "user/" + std::to_string(Scatter(user));
}

// Writes a file for every `per_file` users and compacts all but the last three,
// so that all policies are compared on the same sorted runs.
void AddUsers(const Database& db, uint64_t begin, uint64_t end,
              uint64_t per_file) {
  for (uint64_t user = begin; user < end; ++user) {
    db.Put(UserKey(user), std::string(kValueBytes, 'v'));
    const uint64_t left = end - user - 1;
    if (left % per_file == 0) Require(db->Flush({}), "flushing");
    if (left == 3 * per_file) db.CompactAll();
  }
}

// Nine of ten requests come from the flood, the tenth from a user, mostly for a
// few hot keys. Returns the blocks read per 1000 requests of the flood.
double Serve(const Database& db, uint64_t users) {
  std::unordered_set<std::string> cache;
  uint64_t flood_blocks = 0;
  uint64_t user_blocks = 0;
  for (uint64_t i = 0; i < users; ++i) {
    if (i % 10 != 0) {
      Require(!db.Has(UserKey(kFlood + i), &flood_blocks), "found a stranger");
      continue;
    }
    const std::string key =
        UserKey(Scatter(i) % (i % 100 == 0 ? users : users / 200));
    if (cache.count(key) > 0) continue;
    Require(db.Has(key, &user_blocks), "a user was not found");
    if (cache.size() > users / 100) cache.clear();
    cache.insert(key);
  }
  return static_cast<double>(flood_blocks) /
         (0.0009 * static_cast<double>(users));
}

void Run(const char* policy, uint64_t users) {
  const Database db(policy, kGrowth * users * (kValueBytes + 30),
                    [](rocksdb::Options* options) {
                      options->level0_file_num_compaction_trigger = 1000;
                      options->level0_slowdown_writes_trigger = 1000;
                      options->level0_stop_writes_trigger = 1000;
                    });
  AddUsers(db, 0, users, users / 20);
  const double at_first = Serve(db, users);
  AddUsers(db, users, kGrowth * users, users / 20);
  const double grown = Serve(db, users);
  const uint64_t bytes = db.LiveFilters().bytes;
  for (uint64_t user = 0; user < 2 * users; ++user) db.Delete(UserKey(user));
  db.CompactAll();
  uint64_t blocks = 0;
  for (uint64_t user = 0; user < 2 * users; ++user) {
    Require(!db.Has(UserKey(user), &blocks), "not deleted");
  }
  std::printf("%-48s%9.1f%9.1f%9.1f%12lu\n", policy, at_first, grown,
              500.0 * static_cast<double>(blocks) / static_cast<double>(users),
              static_cast<unsigned long>(bytes));
  std::fflush(stdout);
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) {
  const uint64_t users = argc > 1 ? std::stoull(argv[1]) : 200'000;
  std::printf("%-48s%9s%9s%9s%12s\n", "blocks per 1000 requests of the flood",
              "at first", "grown", "deleted", "bytes");
  for (const char* policy : examples::kPolicies) examples::Run(policy, users);
}
