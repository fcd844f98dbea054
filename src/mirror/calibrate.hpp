// From a support set to a MirrorModel. Nothing but the support set is looked at: half of its
// classes are hidden and streamed past the other half, and the threshold that served best is taken.
//
// The same input gives the same bits on every machine and for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "base/progress.hpp"
#include "base/threads.hpp"
#include "mirror/model.hpp"
#include "paco/result.hpp"

namespace paco {

// support is (N, d), labels (N) are 0 .. K - 1 without gaps. At least 3 classes and 2 samples in
// some class.
Result<MirrorModel> calibrate_mirror(Rows<const double> support,
                                     std::span<const std::int64_t> labels,
                                     const MirrorOptions& options, ThreadPool& pool,
                                     Progress& progress, std::stop_token stop);

// Fills in everything of `evidence` that follows from its taus and scores, and returns the middle
// of the thresholds around the best that are as good as it, up to one standard error.
double choose_tau(MirrorEvidence& evidence);

}  // namespace paco
