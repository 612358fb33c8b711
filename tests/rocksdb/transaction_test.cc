// Reads inside of transactions and of batches not yet written.

#include "rocksdb/utilities/transaction.h"

#include <memory>
#include <string>

#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/utilities/write_batch_with_index.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

constexpr Rows kRows{0, 2000};

class TransactionTest : public PolicyTest {
 protected:
  // Reads every number as `get` does it: half are rows of the file, of the
  // others each tenth was written in the transaction.
  template <typename Get>
  void ExpectReads(const Get& get) {
    TakeCounts();
    uint64_t not_found = 0;
    for (uint64_t i = kRows.begin; i + 1 < kRows.end; ++i) {
      std::string value;
      const rocksdb::Status status = get(RowKey(i), &value);
      if (i % 2 == 0) {
        EXPECT_EQ(value, RowValue(i));
      } else if (i % 20 == 1) {
        EXPECT_EQ(value, "of the transaction");
      } else {
        EXPECT_TRUE(status.IsNotFound());
        ++not_found;
      }
    }
    const FilterCounts counts = TakeCounts();
    EXPECT_EQ(counts.true_positive, kRows.present());
    EXPECT_EQ(counts.no + counts.maybe, kRows.present() + not_found);
    EXPECT_GE(counts.no, not_found * 95 / 100);
  }

  // Writes each tenth of the missing rows.
  template <typename Writer>
  static void WriteTenths(Writer* writer) {
    for (uint64_t i = kRows.begin + 1; i < kRows.end; i += 20) {
      ASSERT_OK(writer->Put(RowKey(i), "of the transaction"));
    }
  }

  // Takes the database, which is empty, and reads in a transaction and after
  // it.
  template <typename TransactionDb>
  void ExpectTransactionReads(TransactionDb* db) {
    db_.reset(db);
    WriteFile(kRows);
    const std::unique_ptr<rocksdb::Transaction> transaction(
        db->BeginTransaction({}));
    WriteTenths(transaction.get());
    ExpectReads([&](const std::string& key, std::string* value) {
      return transaction->Get({}, key, value);
    });
    ExpectReads([&](const std::string& key, std::string* value) {
      return transaction->GetForUpdate({}, key, value);
    });
    ASSERT_OK(transaction->Commit());
    Flush();
    EXPECT_EQ(GetText(db_.get(), RowKey(21)), "of the transaction");
  }
};
INSTANTIATE_POLICY_TEST(TransactionTest);

TEST_P(TransactionTest, Optimistic) {
  rocksdb::OptimisticTransactionDB* db = nullptr;
  ASSERT_OK(rocksdb::OptimisticTransactionDB::Open(OptionsWithTable(),
                                                   Path("db"), &db));
  ExpectTransactionReads(db);
}

TEST_P(TransactionTest, Pessimistic) {
  rocksdb::TransactionDB* db = nullptr;
  ASSERT_OK(rocksdb::TransactionDB::Open(
      OptionsWithTable(), rocksdb::TransactionDBOptions(), Path("db"), &db));
  ExpectTransactionReads(db);
}

TEST_P(TransactionTest, WriteBatchWithIndex) {
  Reopen();
  WriteFile(kRows);
  rocksdb::WriteBatchWithIndex batch;
  WriteTenths(&batch);
  ExpectReads([&](const std::string& key, std::string* value) {
    return batch.GetFromBatchAndDB(db_.get(), {}, key, value);
  });
  ASSERT_OK(db_->Write({}, batch.GetWriteBatch()));
  Flush();
  EXPECT_EQ(GetText(db_.get(), RowKey(21)), "of the transaction");
}

}  // namespace
}  // namespace linebloom
