// A merge operator for databases whose own is not at hand.
#pragma once

#include <string>

#include "rocksdb/merge_operator.h"

namespace linebloom::tools {

// Keeps the newest operand. Rows stay rows and files stay files, which is all
// that counting reads needs; the values are not the application's.
class LastOperand : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "linebloom.LastOperand"; }
  bool Merge(const rocksdb::Slice& /*key*/,
             const rocksdb::Slice* /*existing_value*/,
             const rocksdb::Slice& value, std::string* new_value,
             rocksdb::Logger* /*logger*/) const override {
    new_value->assign(value.data(), value.size());
    return true;
  }
};

}  // namespace linebloom::tools
