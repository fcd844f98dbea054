// Can most prototypes be ruled out without looking at all of their coordinates, and without losing
// exactness? Three bounds, and a search for the two nearest that uses the best of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "math/kernels.hpp"
#include "math/matrix.hpp"

namespace paco::bench {

// Unit directions and the samples that are to be compared with them; real ones, or made like them.
struct Bank {
  std::string name;
  math::Matrix<float> prototypes;  // (K, d)
  math::Matrix<float> queries;     // (Q, d)
};

// Categories at the end of a recorded stream, and its last samples that were not settled among
// known classes; nothing where the folder is absent.
std::optional<Bank> real_bank(const std::string& folder);
// `count` prototypes with the covariance of the given ones, and samples around them with the
// covariance that the given queries have around theirs: like the real bank, at any size.
Bank enlarged(const Bank& real, std::size_t count, std::size_t queries);
// The same, but the prototypes are of a mixture fitted to the given ones: `kComponents` groups of
// them, each with its centre and share, and the covariance around the centres. As when there are
// many kinds of a few sorts of things.
inline constexpr std::size_t kComponents = 20;
Bank mixture(const Bank& real, std::size_t count, std::size_t queries);
// Directions without any structure, noise as long as the direction.
Bank isotropic(std::size_t dimension, std::size_t count, std::size_t queries);

// The m directions (m, d) that hold most of the rows' length, orthonormal: orthogonal iteration.
math::Matrix<float> principal_directions(Rows<const float> rows, std::size_t m);

// Mean share of the prototypes that a bound cannot rule out from being among the `places` nearest,
// when the places-th largest cosine is known already.
struct Survivors {
  double pivots = 0;        // triangle inequality on angles, 64 prototypes as pivots
  double plain_head = 0;    // Cauchy-Schwarz on the last 3/4 of the coordinates as they are
  double head_eighth = 0;   // the same after the first d / 8 principal directions ...
  double head_quarter = 0;  // ... and d / 4
  double int8 = 0;          // coordinates rounded to 8 bits
};
Survivors survivors(const Bank& bank, int places);

// Prototypes in groups, with a centre and a radius each: what cannot be passed over.
struct GroupBound {
  std::size_t groups = 0;
  double left = 0;  // mean share of the prototypes, in groups that may hold one of the best
  double radius_degrees = 0;  // of the group of a prototype, on average
  double bar_degrees = 0;     // between a query and what it has to be nearer than
};
GroupBound group_bound(const Bank& bank, int places, std::size_t groups);

using Pair = std::array<std::int64_t, 2>;

// The two nearest of every query by all coordinates, in blocks or one by one.
void full_search(const Bank& bank, std::size_t block, std::span<Pair> found);

// The same by principal directions first: a product with m instead of d coordinates for everyone,
// the exact cosine for those that the bound cannot rule out.
class HeadSearch {
 public:
  HeadSearch(const Bank& bank, std::size_t m);
  // Returns how many exact cosines were needed in all.
  std::size_t search(std::size_t block, std::span<Pair> found);
  std::size_t bytes_per_prototype() const { return (heads_.columns() + 1) * sizeof(float); }

 private:
  Pair settle(std::size_t query, const float* values, float tail, std::size_t& exact);

  const Bank& bank_;
  math::Matrix<float> basis_, heads_;  // (m, d), (K, m)
  std::vector<float> tails_;           // (K) length of what the head leaves out
  std::vector<math::Candidate> best_heads_;
  std::vector<std::uint32_t> candidates_;
};

}  // namespace paco::bench
