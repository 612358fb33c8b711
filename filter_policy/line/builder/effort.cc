#include "filter_policy/line/builder/effort.h"

namespace linebloom {

SearchPlan SearchPlanOf(BuildEffort effort) {
  switch (effort) {
    case BuildEffort::kNone:
    case BuildEffort::kFast:
      return {.rotation_bits = 4, .beam = 1, .rounds = 0};
    case BuildEffort::kBalanced:
      return {.rotation_bits = 2, .beam = 1, .rounds = 2};
    case BuildEffort::kMax:
      return {.rotation_bits = 0, .beam = 8, .rounds = 2};
  }
  return {};
}

}  // namespace linebloom
