// From a support set to a MirrorModel. Nothing but the support set is looked at: half of its
// classes are hidden and streamed past the other half, and the threshold that served best is taken.
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

// support is (N, d), labels (N) are those of `classes` classes without gaps, as SupportView::make
// checks them. Fails if it is stopped, or if there is too
// little memory.
Result<MirrorModel> calibrate_mirror(Rows<const double> support,
                                     std::span<const std::int64_t> labels, std::size_t classes,
                                     const MirrorOptions& options, core::ThreadPool& pool,
                                     core::Progress& progress, std::stop_token stop);

// Fits that go on at a time, from 1 to `threads`, so that they stay within `free` bytes: each has
// several square matrices of the dimension. Refuses where there is no room for one.
Result<unsigned> fits_at_a_time(std::size_t samples, std::size_t dimension, std::uint64_t free,
                                unsigned threads);

// Fills in everything of `evidence` that follows from its taus and scores, and returns the middle
// of the thresholds around the best that are as good as it, up to one standard error.
double choose_tau(MirrorEvidence& evidence);

// With so few classes or fewer, pseudo-streams hide one to three, and which threshold serves best
// is mostly luck. So it is drawn to what serves on sets of every kind: it is at most 1 (a member's
// cosine with its own class is about rho, and a threshold above that refuses half of them), and
// 0.85 has the weight of 3 over the cube of the classes that are hidden. With more classes it stays
// as it is. bench/notes/mirror.md has what that gains.
inline constexpr std::size_t kFewClasses = 5;
double drawn_to_prior(double tau, std::size_t classes);

}  // namespace paco::methods
