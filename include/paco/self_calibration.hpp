// Thresholds from a support set alone, for a method that is not part of this library.
//
// A host is any code that scores a sample with a number that is larger the better the sample fits
// its memory: a cosine, a density, a negative distance. calibrate_threshold() finds the threshold
// between scores that should pass and scores that should not. calibrate_by_replay() produces these
// scores itself: it streams the support set to the host in random order with the true classes, and
// the host scores every sample just before it is added. Scores of samples whose class is already in
// the memory are the positives (joining). Scores at the first sample of a class are the negatives
// (something new).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "paco/thresholds.hpp"

namespace paco {

// The threshold with the best balanced accuracy, 0.5 * (share of positives >= it + share of
// negatives < it), with the interval of equally good thresholds. Both sets need at least one
// number, and all must be finite.
Result<ThresholdEvidence> calibrate_threshold(std::span<const double> positives,
                                              std::span<const double> negatives,
                                              Tie tie = Tie::mid);

// The method that is calibrated. An Error from any of the three functions ends the replay and is
// its result.
struct ReplayHost {
  std::function<Result<void>()> forget;  // clears the memory; called before each pass
  // The best score of a sample against the memory. It changes nothing, and the memory is not empty.
  std::function<Result<double>(std::size_t sample)> score;
  // Adds the sample to its class.
  std::function<Result<void>(std::size_t sample, std::int64_t label)> add;
};

struct ReplayOptions {
  int passes = 3;
  std::uint32_t seed = 0;  // of the order, as in a calibration of 'paco'
  Tie tie = Tie::mid;
};

// `labels` are those of the support set, with at least two classes. All calls of the host come from
// the calling thread.
Result<ThresholdEvidence> calibrate_by_replay(std::span<const std::int64_t> labels,
                                              const ReplayHost& host,
                                              const ReplayOptions& options = {},
                                              std::stop_token stop = {});

}  // namespace paco
