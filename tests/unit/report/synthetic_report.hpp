// A synthetic stream for the tests of the report: known classes, categories and all four branches,
// with a seed.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <random>

#include "evaluate/evaluation.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "report/report.hpp"
#include "report/sections.hpp"
#include "synthetic_data.hpp"

namespace paco::testing {

inline constexpr std::uint32_t kSeed = 7;

inline PacoParameters made_parameters() {
  PacoParameters p;
  p.log_p0 = 3.5;
  p.tau_lo = 0.2;
  p.tau_birth_sup = 0.4 - p.log_p0;
  p.base_median = 16;
  const auto evidence = [](double value) {
    ThresholdEvidence result;
    result.value = value;
    result.balanced_accuracy = 0.9;
    result.interval_low = value - 0.01;
    result.interval_high = value + 0.01;
    for (int i = 0; i < 50; ++i) {
      result.positives.push_back(static_cast<float>(value + 0.01 * i));
      result.negatives.push_back(static_cast<float>(value - 0.01 * i));
    }
    return result;
  };
  p.hi = evidence(0.3);
  p.birth = evidence(0.45 - p.log_p0);
  p.create = evidence(5.0 - p.log_p0);
  return p;
}

// A model with a method that explains, as long as the report is made.
struct MadeModel {
  std::shared_ptr<const Model> model;
  std::unique_ptr<Method> method;

  void put_into(report::ReportInput& input) const {
    input.model = model.get();
    input.method = method.get();
  }
};

inline MadeModel made_model(std::size_t classes) {
  Model model;
  model.dimension = 2;
  for (std::size_t k = 0; k < classes; ++k) {
    model.class_names.push_back(fmt::format("class {}", k));
    model.class_sizes.push_back(16);
  }
  model.mean.assign(2, 0);
  model.deviation.assign(2, 1);
  model.references.assign(2 * classes, 0.5f);
  model.prototype_quality = {true, 0.97, 0.4};
  model.sections["paco"] = section_with(made_parameters());
  MadeModel made{std::make_shared<const Model>(std::move(model)), nullptr};
  made.method = method_for("paco", made.model);
  return made;
}

inline std::vector<report::ReportField> fields_of(const std::string& method) {
  std::vector<report::ReportField> fields;
  for (const EvidenceField& f : method_info(method).value()->evidence) {
    fields.push_back({std::string(f.name),
                      std::string(f.unit),
                      std::string(f.meaning),
                      {f.choices.begin(), f.choices.end()}});
  }
  return fields;
}

// An input whose samples can be changed; fold() makes the rest of them.
struct MadeInput : report::ReportInput {
  std::vector<report::ReportSample> made;

  const report::ReportInput& fold() {
    stream = report::StreamTotals(fields, report::fields_with_threshold(*this));
    for (const report::ReportSample& sample : made) stream.see(sample);
    kept_ = std::make_shared<report::KeptSamples>(made);
    samples = kept_.get();
    return *this;
  }

 private:
  std::shared_ptr<const report::ReportSamples> kept_;
};

// The first two of every hundred samples are created, then attached, explained and known-only ones
// take turns.
inline MadeInput synthetic_input(std::size_t samples, std::size_t classes) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  MadeInput input;
  input.title = "made";
  input.fields = fields_of("paco");
  input.has_trace = true;
  input.known_classes = classes;
  CategoryId next = static_cast<CategoryId>(classes);
  for (std::size_t i = 0; i < samples; ++i) {
    report::ReportSample sample;
    Decision& d = sample;
    auto& e = d.evidence;
    methods::set_route(d, methods::Route::all);
    d.sequence = i;
    e[methods::kTopCosine] = unit(random);
    e[methods::kMargin] = unit(random) * e[methods::kTopCosine];
    e[methods::kTauBirth] = -3.1;
    if (i % 100 < 2) {
      methods::set_branch(d, methods::Branch::create);
      d.verdict = Verdict::created;
      d.category = next++;
      e[methods::kBirthScore] = -3.3;
      e[methods::kAttachScore] = -1.0;
    } else if (i % 3 == 0) {
      methods::set_branch(d, methods::Branch::attach);
      d.verdict = Verdict::existing;
      d.category = static_cast<CategoryId>(classes) + (next - static_cast<CategoryId>(classes)) / 2;
      e[methods::kBirthScore] = -3.2;
      e[methods::kAttachScore] = 2.0;
    } else {
      methods::set_branch(d, i % 3 == 1 ? methods::Branch::explained : methods::Branch::known_only);
      methods::set_route(d, i % 3 == 1 ? methods::Route::all : methods::Route::known_only);
      d.category = static_cast<CategoryId>(i % classes);
      if (methods::branch_of(d) == methods::Branch::explained) e[methods::kBirthScore] = -2.9;
    }
    sample.sample = fmt::format("{}", i);
    sample.name =
        d.category < static_cast<CategoryId>(classes)
            ? fmt::format("class {}", d.category)
            : fmt::format("category {}", d.category - static_cast<CategoryId>(classes) + 1);
    e[methods::kTauBirthAfter] = -3.1;
    e[methods::kEtaAfter] = 0.25;
    d.categories_after = static_cast<std::uint64_t>(next) - classes;
    sample.microseconds = 10 + 5 * unit(random);
    input.made.push_back(std::move(sample));
    input.truth.push_back(static_cast<std::int64_t>(i % (2 * classes)));
  }
  return input;
}

}  // namespace paco::testing
