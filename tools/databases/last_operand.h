// A stand-in for merge operators that this program lacks.
#pragma once

#include <string>

#include "rocksdb/merge_operator.h"

namespace linebloom::tools {

// Keeps the newest operand. Rows remain rows and files remain files, which is
// enough for counting reads; values are not those of the application.
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
