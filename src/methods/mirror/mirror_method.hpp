// Method `mirror` and its plain form in the registry: options, calibration, their section of the
// model, and a summary of what they learned.
#pragma once

#include "methods/common/section_summary.hpp"
#include "methods/common/support_view.hpp"
#include "methods/mirror/mirror_evidence.hpp"
#include "methods/mirror/model.hpp"
#include "paco/method.hpp"

namespace paco::methods {

const std::vector<MethodOption>& mirror_options();
Result<Section> calibrate_mirror_section(SupportView& support, const Settings& settings);
Result<SectionSummary> summarise_mirror(const Model& model);

Result<std::unique_ptr<Method>> make_mirror_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options);
Result<std::unique_ptr<Method>> make_mirror_reference_method(const MethodInfo& info,
                                                             std::shared_ptr<const Model> model,
                                                             const MethodOptions& options);

// Converts what a model learned for mirror to a section of a model file, and back.
Section mirror_section(const MirrorModel& learned, const Settings& settings);
Result<std::shared_ptr<const MirrorModel>> mirror_model(const Model& model);

}  // namespace paco::methods
