// A support set with very many classes is calibrated on a part of its samples: a bounded number of
// comparisons, and thresholds close to those of all samples.
#include "methods/common/support_view.hpp"

#include <gtest/gtest.h>

#include "methods/common/section_evidence.hpp"
#include "methods/paco/paco_section.hpp"
#include "synthetic_data.hpp"

namespace paco::methods {
namespace {

struct Calibrated {
  std::size_t scored = 0, replayed = 0;
  std::uint64_t done = 0, total = 0;
  ThresholdEvidence birth, create;
};

Calibrated calibrate_with(const testing::SyntheticData& data, std::uint64_t most_pairs) {
  Calibrated result;
  CalibrationOptions options;
  options.threads = 1;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    result.done = done;
    result.total = total;
  };
  const SupportSet support = data.support_set();
  auto view = SupportView::make(support, options, {}, most_pairs);
  EXPECT_TRUE(view.ok());
  const auto settings =
      complete_settings(paco_options(), {}, MethodOption::Stage::calibrating, "paco");
  const auto section = calibrate_paco(**view, *settings);
  EXPECT_TRUE(section.ok());
  const ReplayScores& scores = **(*view)->replay(3, 0);
  result.scored = (*view)->scored();
  result.replayed = scores.attach_positives.size() + scores.attach_negatives.size();
  EXPECT_EQ((*view)->views().size(), result.scored);
  EXPECT_EQ(section->numbers.contains("scored_samples"), result.scored < data.labels.size());
  result.birth = *get_threshold(*section, "tau_birth");
  result.create = *get_threshold(*section, "tau_create");
  return result;
}

// Of a threshold on the scores that another was chosen from.
double accuracy(double threshold, const ThresholdEvidence& scores) {
  const auto share_above = [&](const std::vector<float>& values) {
    const auto above =
        std::count_if(values.begin(), values.end(), [&](float v) { return v >= threshold; });
    return static_cast<double>(above) / static_cast<double>(values.size());
  };
  return 0.5 * (share_above(scores.positives) + 1 - share_above(scores.negatives));
}

TEST(SupportView, BoundsTheComparisonsAndItsThresholdsSeparateAllSamplesNearlyAsWell) {
  testing::MadePlan shape;
  shape.known = 1500;
  shape.per_class = 12;
  shape.noise = 0.25;
  const auto data = testing::make_data(shape, 5);
  const std::size_t samples = data.labels.size();
  const Calibrated whole = calibrate_with(data, samples * shape.known);
  EXPECT_EQ(whole.scored, samples);
  EXPECT_EQ(whole.replayed, 3 * (samples - 1));
  const Calibrated part = calibrate_with(data, samples * shape.known / 3);
  EXPECT_LE(part.scored, samples / 3);
  EXPECT_LE(part.replayed, 3 * (samples / 3 + ReplayPlan::kRun));
  for (const Calibrated& result : {whole, part}) EXPECT_EQ(result.done, result.total);
  EXPECT_GT(accuracy(part.birth.value, whole.birth), whole.birth.balanced_accuracy - 0.03);
  EXPECT_GT(accuracy(part.create.value, whole.create), whole.create.balanced_accuracy - 0.03);
}

}  // namespace
}  // namespace paco::methods
