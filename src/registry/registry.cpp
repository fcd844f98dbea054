#include "registry/registry.hpp"

#include <fmt/format.h>

#include "base/memory_guard.hpp"
#include "base/try.hpp"
#include "calibrate/paco_section.hpp"
#include "discover/methods.hpp"
#include "discover/mirror_method.hpp"
#include "discover/paco_evidence.hpp"
#include "discover/paco_summary.hpp"
#include "peers/peers.hpp"

namespace paco {
namespace {

// Of a method whose prototypes have directions.
std::vector<OperationKind> all_operations() {
  using enum OperationKind;
  return {rename, merge, separate, move, promote, demote, retire, revive, undo};
}

// Of a method whose prototypes have none, or others than sums of members.
std::vector<OperationKind> category_operations() {
  using enum OperationKind;
  return {rename, merge, separate, retire, revive, undo};
}

Result<Section> nothing_to_learn(SupportView&, const Settings&) { return Section{}; }

constexpr std::string_view kSupport = "labelled embeddings of at least 3 classes";

// A peer that keeps codes, under a section of its own.
Registration code_method(std::string_view name, std::string_view summary,
                         const std::vector<MethodOption>& options,
                         Result<Section> (*calibrate)(SupportView&, const Settings&)) {
  return {{name, summary, name, kSupport, options, code_fields(), category_operations()},
          calibrate,
          make_code_method,
          nullptr};
}

const std::vector<Registration>& all() {
  static const std::vector<Registration> list{
      {{"paco", "the paper's method: calibrated routing, birth test, attaching", "paco", kSupport,
        paco_options(), paco_fields(), all_operations()},
       calibrate_paco,
       make_paco_method,
       summarise_paco},
      {{"reference", "the same in plain loops: slow, and the judge of the fast engine", "paco",
        kSupport, paco_options(), paco_fields(), all_operations()},
       nullptr,
       make_reference_method,
       summarise_paco},
      {{"closed",
        "never discovers: every sample goes to the closest known class",
        "closed",
        kSupport,
        {},
        baseline_fields(),
        all_operations()},
       nothing_to_learn,
       make_closed_method,
       nullptr,
       true},
      {{"leader", "sequential leader clustering that starts from the known classes", "leader",
        kSupport, leader_options(), baseline_fields(), all_operations()},
       calibrate_leader,
       make_leader_method,
       nullptr,
       true},
      {{"slc", "sequential leader clustering that starts from nothing", "leader", kSupport,
        leader_options(), baseline_fields(), all_operations()},
       nullptr,
       make_slc_method,
       nullptr},
      {{"mirror", "threshold chosen by playing the task on the support set; for few known classes",
        "mirror", kSupport, mirror_options(), mirror_fields(), all_operations()},
       calibrate_mirror_section,
       make_mirror_method,
       summarise_mirror},
      code_method("smile", "SMILE: signs and magnitudes, a list of codes that starts empty",
                  hash_options(), calibrate_smile),
      code_method("hash", "SMILE's baseline: plain hashing, a list of codes that starts empty",
                  hash_options(), calibrate_hash),
      code_method("mldg", "the hash baseline trained by meta-learning over classes (our reading)",
                  hash_options(), calibrate_mldg),
      code_method("diffgre-s", "SMILE trained with virtual samples (DiffGRE without its generator)",
                  hash_options(), calibrate_diffgre_smile),
      code_method("phe", "PHE: hash centres of the known classes, and a radius around each code",
                  phe_options(), calibrate_phe),
      code_method("diffgre-p", "PHE trained with virtual samples (DiffGRE without its generator)",
                  phe_options(), calibrate_diffgre_phe),
      code_method("rankstat", "RankStat: the 3 largest of 32 numbers are the code",
                  descriptor_options(), calibrate_rankstat),
      code_method("wta", "winner takes all: the largest of each 16 of 48 numbers are the code",
                  descriptor_options(), calibrate_wta),
      {{"sync", "SynC: nearest class mean, a threshold for each class; with or without class names",
        "sync", kSupport, sync_options(), sync_fields(), category_operations()},
       calibrate_sync,
       make_sync_method,
       nullptr},
      {{"ltc", "LTC: nearest direction in a learned space, a threshold that training leaves behind",
        "ltc", kSupport, ltc_options(), space_fields(), category_operations()},
       calibrate_ltc,
       make_space_method,
       nullptr},
      {{"talon", "TALON: nearest direction in a learned space; prototypes follow their samples",
        "talon", kSupport, talon_options(), space_fields(), category_operations()},
       calibrate_talon,
       make_space_method,
       nullptr},
      {{"age", "AGE-like: a gate on the classifier's confidence, then densities", "age", kSupport,
        age_options(), age_fields(), category_operations()},
       calibrate_age,
       make_age_method,
       nullptr},
  };
  return list;
}

// Whoever writes the section that a method reads.
const Registration& calibrator(const Registration& method) {
  for (const Registration& other : all()) {
    if (other.info.name == method.info.section) return other;
  }
  return method;
}

}  // namespace

std::span<const Registration> registered_methods() { return all(); }

Result<const Registration*> find_method(std::string_view name) {
  for (const Registration& method : all()) {
    if (method.info.name == name) return &method;
  }
  return Error{ErrorCode::bad_argument, fmt::format("no method is called '{}'", name),
               fmt::format("choose one of: {}", fmt::join(method_names(), ", "))};
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Registration& method : all()) names.emplace_back(method.info.name);
  return names;
}

Result<const MethodInfo*> method_info(std::string_view name) {
  PACO_ASSIGN(const Registration* method, find_method(name));
  return &method->info;
}

Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            std::shared_ptr<const Model> model,
                                            const MethodOptions& options) {
  return guard_memory("start a method", [&]() -> Result<std::unique_ptr<Method>> {
    PACO_ASSIGN(const Registration* method, find_method(name.empty() ? model->method : name));
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

Result<Model> calibrated(const SupportSet& support, const CalibrationOptions& options,
                         std::stop_token stop) {
  PACO_ASSIGN(const Registration* wanted, find_method(options.method));
  PACO_ASSIGN(const Settings settings,
              complete_settings(wanted->info.options, options.settings,
                                MethodOption::Stage::calibrating, wanted->info.name));
  PACO_ASSIGN(const std::unique_ptr<SupportView> view,
              SupportView::make(support, options, std::move(stop)));
  std::map<std::string, Section, std::less<>> sections;
  const Registration& main = calibrator(*wanted);
  PACO_ASSIGN(sections[std::string(main.info.name)], main.calibrate(*view, settings));
  for (const Registration& other : all()) {
    if (!other.companion || sections.contains(other.info.name)) continue;
    // A companion takes options of the same name.
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
  Model model = std::move(view->model());
  model.method = options.method;
  model.sections = std::move(sections);
  return model;
}

}  // namespace

Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options,
                        std::stop_token stop) {
  return guard_memory("calibrate", [&] { return calibrated(support, options, std::move(stop)); });
}

}  // namespace paco
