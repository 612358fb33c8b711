// Threads that use a database while a test does something else with it.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/rocksdb/db_fixture.h"

namespace linebloom {

// The even numbers, each once: the step and kRows have no common factor. So
// every thousand consecutive rows are spread over the whole range.
inline constexpr uint64_t kRows = 20000;
inline uint64_t Number(uint64_t i) { return i * 7919 % kRows * 2; }

// Threads that write rows up to a limit, and read rows that are written and
// rows that never are.
class Load {
 public:
  explicit Load(rocksdb::DB* db) : db_(db) {
    for (size_t i = 0; i < kWriters; ++i) {
      threads_.emplace_back([this, i] { Write(i); });
    }
    for (unsigned seed = 1; seed <= 2; ++seed) {
      threads_.emplace_back([this, seed] { Read(seed); });
    }
  }
  ~Load() { Stop(); }

  // Calls `action` while `rows` rows are being written, and waits until they
  // are.
  void WhileWriting(uint64_t rows, const std::function<void()>& action) {
    const uint64_t before = Written();
    const uint64_t reads_before = reads_;
    allowed_ += rows;
    allowed_.notify_all();
    AwaitWritten(before + rows / 4);
    action();
    AwaitWritten(before + rows);
    while (reads_ < reads_before + rows / 4) std::this_thread::yield();
  }

  void Stop() {
    done_ = true;
    allowed_ = kRows;
    allowed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  // Rows written so far: after WhileWriting() and Stop(), the first ones by
  // Number().
  uint64_t Written() const {
    uint64_t sum = 0;
    for (const auto& count : written_) sum += count;
    return sum;
  }

 private:
  static constexpr size_t kWriters = 2;

  void AwaitWritten(uint64_t rows) {
    while (Written() < rows) std::this_thread::yield();
  }

  // Writer `w` writes the rows w, w + kWriters, w + 2 * kWriters and so on.
  void Write(size_t w) {
    for (uint64_t i = w; i < kRows; i += kWriters) {
      for (uint64_t allowed = allowed_; i >= allowed; allowed = allowed_) {
        allowed_.wait(allowed);
      }
      if (done_) return;
      EXPECT_OK(db_->Put({}, RowKey(Number(i)), RowValue(Number(i))));
      ++written_[w];
    }
  }

  void Read(unsigned seed) {
    std::mt19937_64 random(seed);
    while (!done_) {
      const size_t w = random() % kWriters;
      const uint64_t written = written_[w];
      if (written == 0) continue;
      const uint64_t row = Number(w + random() % written * kWriters);
      EXPECT_EQ(GetText(db_, RowKey(row)), RowValue(row));
      EXPECT_EQ(GetText(db_, RowKey(row + 1)), "NotFound: ");
      ReadBatch(w, written, &random);
      ++reads_;
    }
  }

  void ReadBatch(size_t w, uint64_t written, std::mt19937_64* random) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < 40; ++i) {
      const uint64_t row = Number(w + (*random)() % written * kWriters);
      keys.push_back(RowKey(row + i % 2));
    }
    const std::vector<std::string> found = MultiGetTexts(db_, keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(found[i] == "NotFound: ", i % 2 != 0) << keys[i] << found[i];
    }
  }

  rocksdb::DB* const db_;
  std::atomic<bool> done_ = false;
  std::atomic<uint64_t> allowed_ = 0;
  std::atomic<uint64_t> reads_ = 0;
  std::array<std::atomic<uint64_t>, kWriters> written_ = {};
  std::vector<std::thread> threads_;
};

}  // namespace linebloom
