// From a support set to a MirrorModel. Only the support set is used: half of its classes are hidden
// and streamed past the other half, and the threshold with the best result is chosen.
//
// The same input gives the same bits on every machine and for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/progress.hpp"
#include "core/threads.hpp"
#include "methods/mirror/model.hpp"
#include "paco/result.hpp"

namespace paco::methods {

// support is (N, d). labels (N) are those of `classes` classes without gaps, as checked by
// SupportView::make. Fails if it is stopped or if there is too little memory.
Result<MirrorModel> calibrate_mirror(Rows<const double> support,
                                     std::span<const std::int64_t> labels, std::size_t classes,
                                     const MirrorOptions& options, core::ThreadPool& pool,
                                     core::Progress& progress, std::stop_token stop);

// The number of fits to run at a time, from 1 to `threads`, so that they use at most `free` bytes:
// each fit has several square matrices of the dimension. Fails if there is not enough memory for
// one fit.
Result<unsigned> fits_at_a_time(std::size_t samples, std::size_t dimension, std::uint64_t free,
                                unsigned threads);

// Computes all fields of `evidence` that follow from its taus and scores. Returns the middle of the
// range of thresholds around the best one whose scores are within one standard error of it.
double choose_tau(MirrorEvidence& evidence);

// With so few classes or fewer, a pseudo-stream hides one to three classes, and which threshold has
// the best result is mostly chance. So the threshold is shifted towards a value that works well on
// sets of every kind. It is at most 1: a member's cosine with its own class is about rho, and a
// higher threshold refuses half of the members. The general value 0.85 has the weight 3 / (number
// of hidden classes)^3. With more classes the threshold is not changed. bench/notes/mirror.md has
// the measured gain.
inline constexpr std::size_t kFewClasses = 5;
double drawn_to_prior(double tau, std::size_t classes);

}  // namespace paco::methods
