// What `mirror` learns from a support set: the embedding in which it compares samples, a reference
// for each known class, a starting threshold with its slope, and the evidence for them. Plain data.
// calibrate.hpp makes it, mirror_reference_method.cpp and mirror_method.cpp decide with it, and
// mirror_section.cpp stores it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/matrix.hpp"

namespace paco::methods {

struct MirrorOptions {
  int rehearse = 2;        // stored samples that are rehearsed with every sample; 0: none
  int buffer = 2000;       // number of latest samples that are stored for it
  int splits = 16;         // pseudo-streams of calibration
  std::uint32_t seed = 0;  // of their random order
  double odds = 1;         // what the slope is multiplied with
  int candidates = 2000;   // the most candidates that are kept
  bool prior = false;      // is the chosen threshold shifted to what works on other sets?
};

// From so many dimensions on, samples of a stream are whitened in 16-bit whole numbers.
inline constexpr std::size_t kWhitenedInShorts = 512;

// Transforms a raw embedding h into the point v on the unit sphere that is compared:
//   u = unit((h - mean) / deviation) in float32,   v = unit(whitening u) in float32.
// The product is computed in float32 (plain::fused_dot). For the samples of a stream it is computed
// in integers (math/trmv_int16.hpp) if it is so large that it takes most of the time.
struct MirrorEmbedding {
  std::vector<double> mean;       // (d)
  std::vector<double> deviation;  // (d) sqrt(population variance + 1e-5)
  // (d, d) lower triangular: the inverse of a factor of the shrunk covariance within classes. Every
  // such factor gives the same cosines. Empty if v = u, because nothing varies within classes.
  math::Matrix<float> whitening;
  double alpha = 1;      // how far that covariance was shrunk to a multiple of the identity
  std::size_t rank = 0;  // dimensions that the support set really uses
};

// How the starting threshold was chosen: Strict All of each pseudo-stream for each threshold.
struct MirrorEvidence {
  std::vector<double> taus;     // (T) thresholds, in units of rho
  math::Matrix<double> scores;  // (splits, T) Strict All, 0 to 1
  std::vector<double> means;    // (T) over the splits, smoothed
  std::vector<double> errors;   // (T) standard error of the difference from the best
  std::size_t best = 0;         // index of the largest mean
  std::size_t low = 0;          // first ...
  std::size_t high = 0;         // ... and last of those within one standard error around it
};

struct MirrorModel {
  MirrorOptions options;
  MirrorEmbedding embedding;
  math::Matrix<float> references;  // (K, d) unit rows
  double rho = 0;                  // root of the mean cosine of two samples of a class
  double sure = 0;                 // median cosine of a held-out sample with its own class
  double slope = 0;                // how far the threshold falls when the stream grows e-fold
  double tail =
      0;  // the same in a long stream, if it is larger: mean excess of the lowest own cosines
  double floor = 0;  // lower limit: lower quartile of the best cosine with a class not their own
  double tau = 0;    // the chosen threshold in units of rho
  double start = 0;  // tau rho: the threshold at the start of a stream
  MirrorEvidence evidence;
  // For a false-new promise: held-out samples with their best cosines with a known class. If the
  // bonus keeps the promise (live_bonus.hpp), they are stored.
  std::vector<std::size_t> held_out_samples;  // rows of the support set; not stored
  std::vector<double> held_out_known;
  math::Matrix<float> held_out_rows;  // (n, d) embedded; empty if the gate keeps the promise
  double false_new = 0;               // the rate
  double bonus_from = 0;              // best known cosine from which a sample gets the bonus

  std::size_t known() const { return references.rows(); }
  std::size_t dimension() const { return embedding.mean.size(); }
};

}  // namespace paco::methods
