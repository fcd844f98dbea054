// See paco/self_calibration.hpp. The threshold rule itself is in threshold.hpp.
#include "paco/self_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/random.hpp"
#include "core/try.hpp"
#include "methods/common/threshold.hpp"

namespace paco {
namespace {

Result<void> check_scores(std::span<const double> scores, const char* what) {
  if (scores.empty()) {
    return Error{ErrorCode::bad_shape, fmt::format("there are no {} scores", what),
                 "a threshold needs scores that should pass and scores that should not"};
  }
  const auto bad = std::find_if_not(scores.begin(), scores.end(),
                                    [](double score) { return std::isfinite(score); });
  if (bad == scores.end()) return {};
  return Error{ErrorCode::bad_value,
               fmt::format("{} score {} is {}", what, bad - scores.begin(), *bad),
               "score every sample with a finite number"};
}

}  // namespace

Result<ThresholdEvidence> calibrate_threshold(std::span<const double> positives,
                                              std::span<const double> negatives, Tie tie) {
  PACO_TRY(check_scores(positives, "positive"));
  PACO_TRY(check_scores(negatives, "negative"));
  return methods::choose_threshold(positives, negatives, tie);
}

Result<ThresholdEvidence> calibrate_by_replay(std::span<const std::int64_t> labels,
                                              const ReplayHost& host, const ReplayOptions& options,
                                              std::stop_token stop) {
  if (options.passes < 1) {
    return Error{ErrorCode::bad_argument, fmt::format("{} passes of a replay", options.passes),
                 "1 at least"};
  }
  const std::unordered_set<std::int64_t> classes(labels.begin(), labels.end());
  if (classes.size() < 2) {
    return Error{ErrorCode::bad_value,
                 fmt::format("{} labels of {} class(es)", labels.size(), classes.size()),
                 "a replay needs two classes at least"};
  }
  core::NumpyLegacyRandom random(options.seed);
  std::vector<double> positives, negatives;
  for (int pass = 0; pass < options.passes; ++pass) {
    PACO_TRY(host.forget());
    std::unordered_set<std::int64_t> there;
    for (const std::size_t sample : random.permutation(labels.size())) {
      if (stop.stop_requested()) return Error{ErrorCode::interrupted, "stopped", ""};
      const std::int64_t label = labels[sample];
      // The first sample of a pass is compared with an empty memory and has no score.
      if (!there.empty()) {
        PACO_ASSIGN(const double score, host.score(sample));
        if (!std::isfinite(score)) {
          return Error{ErrorCode::bad_value, fmt::format("sample {} is scored {}", sample, score),
                       "score every sample with a finite number"};
        }
        (there.contains(label) ? positives : negatives).push_back(score);
      }
      PACO_TRY(host.add(sample, label));
      there.insert(label);
    }
  }
  return calibrate_threshold(positives, negatives, options.tie);
}

}  // namespace paco
