// The list of methods. A new one is a folder or file with its code and one line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "calibrate/support_view.hpp"
#include "discover/section_summary.hpp"
#include "paco/method.hpp"

namespace paco {

struct Registration {
  MethodInfo info;
  // From the support set and complete settings to the method's section of the model. Null where it
  // shares the section of another method.
  Result<Section> (*calibrate)(SupportView& support, const Settings& settings);
  Result<std::unique_ptr<Method>> (*make)(const MethodInfo& info,
                                          std::shared_ptr<const Model> model,
                                          const MethodOptions& options);
  // Of the method's section; null: its numbers by name.
  Result<SectionSummary> (*summarise)(const Model& model);
  bool companion = false;  // so cheap that every calibration brings it along
};

std::span<const Registration> registered_methods();
Result<const Registration*> find_method(std::string_view name);

}  // namespace paco
