// How the methods of this folder are made. The list of all methods is methods/all_methods.cpp.
#pragma once

#include <memory>
#include <vector>

#include "paco/method.hpp"

namespace paco::methods {

Result<std::unique_ptr<Method>> make_paco_method(const MethodInfo& info,
                                                 std::shared_ptr<const Model> model,
                                                 const MethodOptions& options);
Result<std::unique_ptr<Method>> make_reference_method(const MethodInfo& info,
                                                      std::shared_ptr<const Model> model,
                                                      const MethodOptions& options);

// The closed set and sequential leader clustering, which starts from the known references
// ("leader") or from nothing ("slc").
const std::vector<EvidenceField>& baseline_fields();
Result<std::unique_ptr<Method>> make_closed_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options);
Result<std::unique_ptr<Method>> make_leader_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options);
Result<std::unique_ptr<Method>> make_slc_method(const MethodInfo& info,
                                                std::shared_ptr<const Model> model,
                                                const MethodOptions& options);

}  // namespace paco::methods
