// Method `mirror` in the registry: the rule of src/mirror behind the interface of all methods.
#pragma once

#include "methods/common/section_summary.hpp"
#include "methods/common/support_view.hpp"
#include "methods/mirror/model.hpp"
#include "paco/method.hpp"

namespace paco::methods {

const std::vector<MethodOption>& mirror_options();
const std::vector<EvidenceField>& mirror_fields();
Result<Section> calibrate_mirror_section(SupportView& support, const Settings& settings);
Result<std::unique_ptr<Method>> make_mirror_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options);
Result<SectionSummary> summarise_mirror(const Model& model);

// What a model learned for mirror.
Result<std::shared_ptr<const MirrorModel>> mirror_model(const Model& model);

}  // namespace paco::methods
