// PACO's own part of a calibration: its options, and from the support set to its section of the
// model. Reading it back is paco_parameters() in paco/thresholds.hpp.
#pragma once

#include <vector>

#include "methods/common/support_view.hpp"
#include "paco/settings.hpp"
#include "paco/thresholds.hpp"

namespace paco::methods {

const std::vector<MethodOption>& paco_options();

Result<Section> calibrate_paco(SupportView& support, const Settings& settings);

// A section with these parameters, as calibrate_paco writes it.
Section paco_section(const Settings& settings, PacoParameters parameters);

// Sequential leader clustering: options, and a section with the one threshold "leader", chosen from
// the same replay as PACO's create boundary, on the cosine instead of the attach score.
const std::vector<MethodOption>& leader_options();
Result<Section> calibrate_leader(SupportView& support, const Settings& settings);

}  // namespace paco::methods
