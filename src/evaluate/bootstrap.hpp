// Percentile intervals by the bootstrap: how much each share would change with other samples of the
// same kind.
//
// Samples are drawn with replacement and every share is counted anew. A sample carries only whether
// it is right under each protocol; the matching that determines this is fixed. So the intervals
// show the variation of samples, not of another run of the method or of another matching, and a
// million samples x 1,000 resamples take a fraction of a second.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "evaluate/evaluation.hpp"

namespace paco::evaluate {

// The bits that a sample carries into the bootstrap.
inline constexpr std::uint8_t kOld = 1;  // its true class is a known one
inline constexpr std::uint8_t kStrictCorrect = 2;
inline constexpr std::uint8_t kGreedyCorrect = 4;
inline constexpr std::uint8_t kKnownCorrect = 8;  // put into exactly its known class

// Counts all accuracies of `scores` from the marks of the samples with truth.
void count_accuracies(std::span<const std::uint8_t> marks, Scores& scores);

// Adds an interval to each accuracy of `scores` that is defined. A resample in which a share has no
// sample is left out of its interval. If the token is set, there are fewer resamples.
void add_intervals(std::span<const std::uint8_t> marks, const EvaluationOptions& options,
                   Scores& scores, const std::stop_token& stop = {});

}  // namespace paco::evaluate
