#include "methods/registry.hpp"

#include <fmt/format.h>

#include "core/memory_guard.hpp"
#include "core/try.hpp"
#include "methods/common/false_new.hpp"
#include "methods/price.hpp"

namespace paco {
namespace {

// The method whose calibration writes the section that this method reads.
const methods::Registration& calibrator(const methods::Registration& method) {
  for (const methods::Registration& other : methods::registered_methods()) {
    if (other.info.name == method.info.section) return other;
  }
  return method;
}

}  // namespace

}  // namespace paco

namespace paco::methods {

Result<const Registration*> find_method(std::string_view name) {
  for (const Registration& method : registered_methods()) {
    if (method.info.name == name) return &method;
  }
  return Error{ErrorCode::bad_argument, fmt::format("no method is called '{}'", name),
               fmt::format("choose one of: {}", fmt::join(method_names(), ", "))};
}

}  // namespace paco::methods

namespace paco {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const methods::Registration& method : methods::registered_methods())
    names.emplace_back(method.info.name);
  return names;
}

Result<const MethodInfo*> method_info(std::string_view name) {
  PACO_ASSIGN(const methods::Registration* method, methods::find_method(name));
  return &method->info;
}

Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            std::shared_ptr<const Model> model,
                                            const MethodOptions& options) {
  return core::guard_memory("start a method", [&]() -> Result<std::unique_ptr<Method>> {
    PACO_ASSIGN(const methods::Registration* method,
                methods::find_method(name.empty() ? model->method : name));
    if (options.threads < 0) {
      return Error{ErrorCode::bad_argument, fmt::format("threads is {}", options.threads),
                   "it must be at least 1, or 0 for all cores"};
    }
    PACO_TRY(model->section(method->info.section));
    MethodOptions checked = options;
    PACO_ASSIGN(checked.settings,
                complete_settings(method->info.options, options.settings,
                                  MethodOption::Stage::deciding, method->info.name));
    return method->make(method->info, std::move(model), checked);
  });
}

namespace {

// Every section gets the promise, in the space that its method compares samples in.
Result<void> promise(methods::SupportView& view, double rate,
                     std::map<std::string, Section, std::less<>>& sections) {
  const bool kept_apart = view.held_out().rows > 0;
  PACO_ASSIGN(const std::vector<double> shared, methods::known_cosines(view));
  for (auto& [name, section] : sections) {
    const auto own = section.tensors.find(methods::kHeldOutKnown);
    PACO_TRY(methods::put_false_new(
        section, rate,
        own == section.tensors.end() ? shared : std::get<std::vector<double>>(own->second.values),
        kept_apart));
  }
  return {};
}

}  // namespace

Result<Model> methods::calibrated(const SupportSet& support, const CalibrationOptions& options,
                                  std::stop_token stop, const GivenHead& head) {
  PACO_ASSIGN(const methods::Registration* wanted, methods::find_method(options.method));
  PACO_ASSIGN(const Settings settings,
              complete_settings(wanted->info.options, options.settings,
                                MethodOption::Stage::calibrating, wanted->info.name));
  const MethodInfo& info = wanted->info;
  if (wanted->takes_head && head.empty()) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("method '{}' needs a head that was trained from images", info.name),
                 fmt::format("give it (paco calibrate --head FILE; 'paco train --objective {}' "
                             "makes one), or take '{}-head', which trains one on embeddings",
                             info.name, info.name)};
  }
  if (!wanted->takes_head && !head.empty()) {
    return Error{ErrorCode::bad_argument, fmt::format("method '{}' takes no head", info.name),
                 "smile, phe, ltc and talon take one"};
  }
  PACO_ASSIGN(const std::unique_ptr<methods::SupportView> view,
              methods::SupportView::make(support, options, std::move(stop)));
  view->give_head(head);
  std::map<std::string, Section, std::less<>> sections;
  const methods::Registration& main = calibrator(*wanted);
  PACO_ASSIGN(sections[std::string(main.info.name)], main.calibrate(*view, settings));
  for (const methods::Registration& other : methods::registered_methods()) {
    if (!other.always_calibrated || sections.contains(other.info.name)) continue;
    // Such a method takes the given options that have the same name as its own.
    Settings shared;
    for (const MethodOption& option : other.info.options) {
      const auto given = settings.find(option.name);
      if (given != settings.end()) shared.insert(*given);
    }
    PACO_ASSIGN(const Settings its,
                complete_settings(other.info.options, shared, MethodOption::Stage::calibrating,
                                  other.info.name));
    PACO_ASSIGN(sections[std::string(other.info.name)], other.calibrate(*view, its));
  }
  if (options.false_new > 0) PACO_TRY(promise(*view, options.false_new, sections));
  Model model = std::move(view->model());
  model.method = options.method;
  model.sections = std::move(sections);
  return model;
}

Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options,
                        std::stop_token stop) {
  return calibrate(support, options, GivenHead(), std::move(stop));
}

bool takes_head(std::string_view method) {
  const auto found = methods::find_method(method);
  return found.ok() && (*found)->takes_head;
}

Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options,
                        const GivenHead& head, std::stop_token stop) {
  return core::guard_memory("calibrate", [&]() -> Result<Model> {
    PACO_ASSIGN(Model model, methods::calibrated(support, options, stop, head));
    // The price is measured on parts of the classes, for which there is no trained head.
    if (options.false_new > 0 && options.false_new_price && head.empty())
      PACO_TRY(methods::measure_price(support, options, stop, model));
    return model;
  });
}

}  // namespace paco
