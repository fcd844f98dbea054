// The data along the stream that a run keeps for the paper's figures.
#pragma once

#include <span>

#include "paco/decision.hpp"
#include "paco/method.hpp"
#include "study/run.hpp"

namespace paco::study {

// Mean and 99th percentile of the microseconds of a decision in steps of 4 % of the stream.
Track latency_track(std::span<const double> seconds);

// birth: categories, the birth boundary, its mixing weight and the mature categories after every
// percent of the stream. regions: for samples evenly drawn from the stream, the values that PACO's
// thresholds are compared with, and the kind of the sample (0 known class, 1 first of a novel
// class, 2 later of one). Fails if the method has no such evidence.
Result<Track> decision_track(TrackKind kind, const MethodInfo& info,
                             std::span<const Decision> decisions,
                             std::span<const std::int64_t> truth, std::int64_t known_classes);

}  // namespace paco::study
