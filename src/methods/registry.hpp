// The list of methods. To add one, write a folder or file with its code and add one line to
// all_methods.cpp.
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
  // From the support set and complete settings to the method's section of the model. Null if the
  // method uses the section of another method.
  Result<Section> (*calibrate)(SupportView& support, const Settings& settings);
  Result<std::unique_ptr<Method>> (*make)(const MethodInfo& info,
                                          std::shared_ptr<const Model> model,
                                          const MethodOptions& options);
  // Summary of the method's section; null: the section's numbers by name.
  Result<SectionSummary> (*summarise)(const Model& model);
  bool always_calibrated = false;  // so cheap that every calibration includes it
  // Thresholds with their evidence, for reports and studies; null: the method has none.
  Result<MethodDetails> (*details)(const Model& model, const Settings& changed) = nullptr;
  // True if its memory starts without known classes: an empty list of codes or leaders.
  bool starts_empty = false;
  bool takes_head = false;  // its network was trained from images, together with a head
};

inline constexpr std::string_view kNeedsSupport = "labelled embeddings of at least 3 classes";
inline constexpr std::string_view kNeedsHead =
    "the same, by a backbone that was trained from images with this method's losses, and its head";

// All operations, for methods whose prototypes have directions.
std::vector<OperationKind> all_operations();

// All methods, in all_methods.cpp.
std::span<const Registration> registered_methods();
// Adds a method from outside the library. Call it before any other code uses the list.
void add_method(Registration method);
Result<const Registration*> find_method(std::string_view name);

}  // namespace paco::methods
