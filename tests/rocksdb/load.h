// Threads that use a database while a test does something else with it.
#pragma once

#include <atomic>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/rocksdb/db_fixture.h"

namespace linebloom {

// The even numbers, each once: the step and kLoadRows have no common factor. So
// every thousand consecutive rows are spread over the whole range.
inline constexpr uint64_t kLoadRows = 20000;
inline uint64_t Number(uint64_t i) { return i * 7919 % kLoadRows * 2; }

// A thread that writes rows up to a limit, and two that read rows that are
// written and rows that never are.
class Load {
 public:
  explicit Load(rocksdb::DB* db) : db_(db) {
    threads_.emplace_back([this] { Write(); });
    for (unsigned seed = 1; seed <= 2; ++seed) {
      threads_.emplace_back([this, seed] { Read(seed); });
    }
  }
  ~Load() { Stop(); }

  // Calls `action` while `rows` rows are being written, and waits until they
  // are.
  void WhileWriting(uint64_t rows, const std::function<void()>& action) {
    const uint64_t before = written_;
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
    allowed_ = kLoadRows;
    allowed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void AwaitWritten(uint64_t rows) {
    while (written_ < rows) std::this_thread::yield();
  }

  void Write() {
    for (uint64_t i = 0; i < kLoadRows; ++i) {
      for (uint64_t allowed = allowed_; i >= allowed; allowed = allowed_) {
        allowed_.wait(allowed);
      }
      if (done_) return;
      EXPECT_OK(db_->Put({}, RowKey(Number(i)), RowValue(Number(i))));
      ++written_;
    }
  }

  void Read(unsigned seed) {
    std::mt19937_64 random(seed);
    while (!done_) {
      const uint64_t written = written_;
      if (written == 0) continue;
      const uint64_t row = Number(random() % written);
      EXPECT_EQ(GetText(db_, RowKey(row)), RowValue(row));
      EXPECT_EQ(GetText(db_, RowKey(row + 1)), "NotFound: ");
      ReadBatch(written, &random);
      ++reads_;
    }
  }

  void ReadBatch(uint64_t written, std::mt19937_64* random) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < 40; ++i) {
      const uint64_t row = Number((*random)() % written);
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
  std::atomic<uint64_t> written_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace linebloom
