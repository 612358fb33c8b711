// The default environment without syncs. The tests open and flush thousands of
// times, and no machine fails in between; with syncs they would mostly wait for
// the disk.
#pragma once

#include "rocksdb/env.h"

namespace linebloom {

// Lives until the end of the program.
rocksdb::Env* UnsyncedEnv();

}  // namespace linebloom
