// Percentile intervals by the bootstrap: how far each share would move had other samples of the
// same kind come by.
//
// Samples are drawn with replacement and every share is counted anew. What the samples carry is
// whether they were right under each protocol; the matching that says so is held fixed. So the
// intervals show the spread of samples, not of another run of the method or of another matching,
// and a million samples x 1,000 resamples take a fraction of a second.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "evaluate/evaluation.hpp"

namespace paco::evaluate {

// What one sample carries into the bootstrap, as bits.
inline constexpr std::uint8_t kOld = 1;  // its true class is a known one
inline constexpr std::uint8_t kStrictCorrect = 2;
inline constexpr std::uint8_t kGreedyCorrect = 4;
inline constexpr std::uint8_t kKnownCorrect = 8;  // put into exactly its known class

// Counts all accuracies of `scores` from the marks of the samples with truth.
void count_accuracies(std::span<const std::uint8_t> marks, Scores& scores);

// Adds the interval of each accuracy of `scores` that is defined. Resamples in which a share has no
// sample are left out of its interval. Where the token is set there are fewer resamples.
void add_intervals(std::span<const std::uint8_t> marks, const EvaluationOptions& options,
                   Scores& scores, const std::stop_token& stop = {});

}  // namespace paco::evaluate
