#include "filter_policy/line/line.h"

#include "filter_policy/line/line_probes.h"

namespace linebloom {

bool IsReadable(const LineShape& shape) {
  switch (shape.kind) {
    case LineKind::kPlain:
      return shape.probes >= 1 && shape.probes <= kMaxPlainProbes &&
             shape.rotation_bits == 0;
    case LineKind::kSearched:
      return shape.probes >= 1 && shape.probes <= kMaxSearchedProbes &&
             shape.rotation_bits <= kSeedBits;
  }
  return false;
}

}  // namespace linebloom
