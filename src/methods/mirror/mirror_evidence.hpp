// The evidence of a decision of mirror: the index of each number, and a sentence made from them.
#pragma once

#include <string>
#include <vector>

#include "paco/method.hpp"

namespace paco::methods {

enum MirrorField : std::size_t {
  kKnownCosine,
  kVisibleCosine,
  kRunnerUpCosine,
  kLength,
  kConfident,
  kAtOnce,
  kThresholdBy,
  kCandidates,
};

// Values of kThresholdBy: the rule by which the threshold fell, or that it has reached its floor.
enum class ThresholdBy : std::uint8_t { slope, tail, floor };

const std::vector<EvidenceField>& mirror_fields();

std::string explain_mirror(const Decision& decision, const Categories& categories);

}  // namespace paco::methods
