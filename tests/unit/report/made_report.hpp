// A made stream for the tests of the report: known classes, categories and all four branches, with
// a seed.
#pragma once

#include <fmt/format.h>

#include <random>

#include "evaluate/evaluation.hpp"
#include "paco/model.hpp"
#include "report/report.hpp"

namespace paco::testing {

inline constexpr std::uint32_t kSeed = 7;

inline Model made_model(std::size_t classes) {
  Model model;
  model.dimension = 16;
  model.log_p0 = 3.5;
  model.tau_lo = 0.2;
  model.tau_birth_sup = 0.4 - model.log_p0;
  model.base_median = 16;
  for (std::size_t k = 0; k < classes; ++k) {
    model.class_names.push_back(fmt::format("class {}", k));
    model.class_sizes.push_back(16);
  }
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
  model.hi = evidence(0.3);
  model.birth = evidence(0.45 - model.log_p0);
  model.create = evidence(5.0 - model.log_p0);
  model.prototype_quality = {true, 0.97, 0.4};
  return model;
}

// The first two of every hundred samples are created, then attached, explained and known-only ones
// take turns.
inline ReportInput made_input(std::size_t samples, std::size_t classes) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  ReportInput input;
  input.title = "made";
  input.has_trace = true;
  input.known_classes = classes;
  CategoryId next = static_cast<CategoryId>(classes);
  for (std::size_t i = 0; i < samples; ++i) {
    ReportSample sample;
    Decision& d = sample.decision;
    d.sequence = i;
    d.top_cosine = unit(random);
    d.margin = unit(random) * d.top_cosine;
    d.tau_birth = -3.1;
    if (i % 100 < 2) {
      d.branch = Branch::create;
      d.verdict = Verdict::created;
      d.category = next++;
      d.birth_score = -3.3;
      d.attach_score = -1.0;
    } else if (i % 3 == 0) {
      d.branch = Branch::attach;
      d.verdict = Verdict::existing;
      d.category = static_cast<CategoryId>(classes) + (next - static_cast<CategoryId>(classes)) / 2;
      d.birth_score = -3.2;
      d.attach_score = 2.0;
    } else {
      d.branch = i % 3 == 1 ? Branch::explained : Branch::known_only;
      d.route = i % 3 == 1 ? Route::all : Route::known_only;
      d.category = static_cast<CategoryId>(i % classes);
      if (d.branch == Branch::explained) d.birth_score = -2.9;
    }
    sample.id = fmt::format("{}", i);
    sample.name =
        d.category < static_cast<CategoryId>(classes)
            ? fmt::format("class {}", d.category)
            : fmt::format("category {}", d.category - static_cast<CategoryId>(classes) + 1);
    d.tau_birth_after = -3.1;
    d.eta_after = 0.25;
    d.categories_after = static_cast<std::uint64_t>(next) - classes;
    sample.microseconds = 10 + 5 * unit(random);
    input.samples.push_back(std::move(sample));
    input.truth.push_back(static_cast<std::int64_t>(i % (2 * classes)));
  }
  return input;
}

}  // namespace paco::testing
