// How much search each level of effort stands for.
#pragma once

#include "filter_policy/line/builder/line_search.h"
#include "linebloom/build_effort.h"

namespace linebloom {

// `effort` is not kNone, which searches nothing. The plans may change from one
// release to the next; the bytes' format does not depend on them.
SearchPlan SearchPlanOf(BuildEffort effort);

}  // namespace linebloom
