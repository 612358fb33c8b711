#include "filter_policy/rebuild/room.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rocksdb/io_status.h"

namespace linebloom {
namespace {

// A new filter may be larger than the old one.
constexpr double kGrowth = 1.1;

// More than any disk holds, and far from overflowing.
constexpr double kMaxBytes = 1e18;

double WriteBuffersOf(const std::vector<Family>& families) {
  double bytes = 0;
  double limit = kMaxBytes;
  for (const Family& family : families) {
    const rocksdb::Options& options = family.options;
    bytes += static_cast<double>(options.write_buffer_size) *
             std::max(options.max_write_buffer_number, 1);
    if (options.db_write_buffer_size > 0) {
      limit = static_cast<double>(options.db_write_buffer_size);
    }
  }
  return std::min(bytes, limit);
}

}  // namespace

uint64_t ReserveForWrites(const std::vector<Family>& families,
                          uint64_t in_memory) {
  const double buffers =
      std::max(WriteBuffersOf(families), static_cast<double>(in_memory));
  return static_cast<uint64_t>(std::min(2 * buffers, kMaxBytes));
}

rocksdb::Status CheckRoom(rocksdb::FileSystem* file_system,
                          const std::string& file, uint64_t bytes,
                          uint64_t reserve) {
  const std::string folder = file.substr(0, file.rfind('/'));
  uint64_t free = 0;
  const rocksdb::IOStatus asked = file_system->GetFreeSpace(
      folder, rocksdb::IOOptions(), &free, /*dbg=*/nullptr);
  if (!asked.ok()) return rocksdb::Status::OK();
  const auto for_file =
      static_cast<uint64_t>(std::ceil(kGrowth * static_cast<double>(bytes)));
  if (free >= for_file + reserve) return rocksdb::Status::OK();
  return rocksdb::Status::NoSpace(
      absl::StrCat("linebloom: '", folder, "' has ", free,
                   " bytes free, less than ", for_file,
                   " for the new file and "),
      absl::StrCat(reserve, " for write buffers and logs"));
}

}  // namespace linebloom
