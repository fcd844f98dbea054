// Models and streams for tests of mirror: made data with hard corners (repeated samples, opposite
// ones, samples of the support set), options and thresholds that differ from seed to seed.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "methods/mirror/calibrate.hpp"
#include "methods/mirror/engine.hpp"
#include "methods/mirror/plain.hpp"
#include "synthetic_data.hpp"

namespace paco::testing {

inline std::shared_ptr<const methods::MirrorModel> mirror_model(
    Rows<const double> support, std::span<const std::int64_t> labels,
    const methods::MirrorOptions& options) {
  core::ThreadPool pool(1);
  core::NoProgress progress;
  auto model = methods::calibrate_mirror(support, labels, options, pool, progress, {});
  if (!model.ok()) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  return std::make_shared<const methods::MirrorModel>(std::move(model).value());
}

struct MirrorCase {
  std::shared_ptr<const methods::MirrorModel> model;
  math::Matrix<double> stream;
};

inline MirrorCase mirror_case(std::uint64_t seed) {
  core::Random random(seed, 7);
  MadePlan plan = varied_plan(seed);
  plan.stream = 60 + random.below(200);
  const SyntheticData data = make_data(plan, seed);
  methods::MirrorOptions options;
  options.splits = 2;
  options.rehearse = static_cast<int>(random.below(4));
  options.buffer = static_cast<int>(1 + random.below(80));
  options.candidates = static_cast<int>(1 + random.below(30));
  options.odds = random.below(3) == 0 ? 0.0 : 1.0;
  methods::MirrorModel model = *mirror_model(data.support, data.labels, options);
  // Thresholds from all over, so that every branch is taken.
  if (random.below(2) == 0) model.start = random.uniform(-0.2, 1.0);
  if (random.below(3) == 0) model.sure = random.uniform(-0.5, 1.0);
  MirrorCase out{std::make_shared<const methods::MirrorModel>(std::move(model)), data.stream};
  for (std::size_t i = 1; i < out.stream.rows(); ++i) {
    const auto row = out.stream[i];
    const auto corner = random.below(10);
    const std::size_t other = random.below(i);
    if (corner == 0) std::copy_n(out.stream[other].data(), row.size(), row.data());
    if (corner == 1) {
      const auto& mean = out.model->embedding.mean;
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = 2 * mean[j] - out.stream[other][j];
    }
    if (corner == 2)
      std::copy_n(data.support[random.below(data.support.rows())].data(), row.size(), row.data());
  }
  return out;
}

struct MirrorRun {
  std::vector<methods::MirrorDecision> decisions;
  std::vector<methods::MirrorBirth> births;
};

// All rows in blocks of `block`.
template <class Rule>
MirrorRun run_mirror(Rule& rule, Rows<const double> rows, std::size_t block) {
  MirrorRun run;
  run.decisions.resize(rows.rows);
  for (std::size_t start = 0; start < rows.rows; start += block) {
    const std::size_t count = std::min(block, rows.rows - start);
    const auto done = rule.decide_block(rows.slice(start, count),
                                        std::span(run.decisions).subspan(start, count), run.births);
    if (!done.ok()) ADD_FAILURE() << done.error().message;
  }
  return run;
}

inline ::testing::AssertionResult same_runs(const MirrorRun& a, const MirrorRun& b) {
  if (a.decisions.size() != b.decisions.size())
    return ::testing::AssertionFailure() << "different lengths";
  for (std::size_t i = 0; i < a.decisions.size(); ++i) {
    const methods::MirrorDecision &x = a.decisions[i], &y = b.decisions[i];
    if (x == y) continue;
    return ::testing::AssertionFailure()
           << "sample " << i << ": category " << x.category << " against " << y.category
           << ", prototype " << x.prototype << " against " << y.prototype << ", cosine "
           << ::testing::PrintToString(x.cosine) << " against "
           << ::testing::PrintToString(y.cosine) << ", runner-up " << x.runner_up << " against "
           << y.runner_up << ", candidates " << x.candidates << " against " << y.candidates;
  }
  if (a.births != b.births) return ::testing::AssertionFailure() << "different births";
  return ::testing::AssertionSuccess();
}

}  // namespace paco::testing
