#include "filter_policy/levels/auto_bits.h"

namespace linebloom {

AutoBits ChooseBits(const NewFile& /*file*/,
                    const rocksdb::BlockBasedTableOptions& /*table*/) {
  return {};
}

}  // namespace linebloom
