// Every header that a line_kernel_NAME.cc needs. It is included before the
// target pragma, so that no header is compiled under it.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernels.h"
#include "filter_policy/line/kernel/plain_round_words.h"
#include "filter_policy/line/kernel/solve/solve_space.h"
#include "filter_policy/line/line_rate.h"
#include "filter_policy/line/little_endian.h"
#include "filter_policy/line/plain_probes.h"
#include "filter_policy/line/solved_probes.h"
