// Thresholds out of a support set alone, for a method that is not this library's.
//
// A host is whatever answers samples with a number that is larger the better a sample fits what is
// there: a cosine, a density, minus a distance. calibrate_threshold() cuts between answers that
// should pass and answers that should not. calibrate_by_replay() makes those answers itself: the
// support set is streamed past the host in random order with its true classes given, and every
// sample is scored just before it is added. Scores of samples whose class is already there are what
// joining looks like, the score at the first sample of a class is what something new looks like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "paco/thresholds.hpp"

namespace paco {

// The threshold of best balanced accuracy, 0.5 * (share of positives >= it + share of negatives <
// it), with the interval of equally good ones. Both sets need a number, and all must be finite.
Result<ThresholdEvidence> calibrate_threshold(std::span<const double> positives,
                                              std::span<const double> negatives,
                                              Tie tie = Tie::mid);

// What is calibrated. An Error of any of the three ends the replay and is its result.
struct ReplayHost {
  std::function<Result<void>()> forget;  // everything; before each pass
  // The best answer of what is there to a sample, which changes nothing. Something is there.
  std::function<Result<double>(std::size_t sample)> score;
  // The sample becomes part of its class.
  std::function<Result<void>(std::size_t sample, std::int64_t label)> add;
};

struct ReplayOptions {
  int passes = 3;
  std::uint32_t seed = 0;  // of the order, as in a calibration of 'paco'
  Tie tie = Tie::mid;
};

// The labels of the support set, two classes at least. The host is called from this thread alone.
Result<ThresholdEvidence> calibrate_by_replay(std::span<const std::int64_t> labels,
                                              const ReplayHost& host,
                                              const ReplayOptions& options = {},
                                              std::stop_token stop = {});

}  // namespace paco
