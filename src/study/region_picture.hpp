// The picture of study figure-regions: samples of the stream among PACO's thresholds, as SVG.
#pragma once

#include <string>
#include <vector>

#include "study/plans.hpp"

namespace paco::study {

// Two panels for each data set (its first seed): cosine and margin with the known-class evidence
// zones, birth and attach score with the regions of the decision. Empty for other studies.
std::string region_pictures(const Plan& plan, const std::vector<Run>& runs,
                            const std::vector<RunResult>& results,
                            const std::vector<DataSet>& data);

}  // namespace paco::study
