// The list of methods. A new one is a folder or file with its code and one line in all_methods.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "methods/common/method_details.hpp"
#include "methods/common/section_summary.hpp"
#include "methods/common/support_view.hpp"
#include "paco/method.hpp"

namespace paco::methods {

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
  bool always_calibrated = false;  // so cheap that every calibration brings it along
  // Thresholds with their evidence, for reports and studies; null: it has none.
  Result<MethodDetails> (*details)(const Model& model, const Settings& changed) = nullptr;
  // Its memory holds no known classes at the start: a list of codes, or leaders, that begins empty.
  bool starts_empty = false;
  bool takes_head = false;  // its network was trained from images, together with a head
};

inline constexpr std::string_view kNeedsSupport = "labelled embeddings of at least 3 classes";
inline constexpr std::string_view kNeedsHead =
    "the same, by a backbone that was trained from images with this method's losses, and its head";

// Of a method whose prototypes have directions.
std::vector<OperationKind> all_operations();

// All methods, in all_methods.cpp.
std::span<const Registration> registered_methods();
// One more, from outside the library: before anything else asks for the list.
void add_method(Registration method);
Result<const Registration*> find_method(std::string_view name);

}  // namespace paco::methods
