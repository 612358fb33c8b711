// The RocksDB that this runs in, as opposed to the one it was compiled with.
#pragma once

namespace linebloom {

// Whether both have the same major and minor number. Where they differ, the
// first call says so on stderr.
bool RunsInTheRocksDbItWasBuiltFor();

}  // namespace linebloom
