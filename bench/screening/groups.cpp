// Groups of prototypes, each with a centre and the angle of its farthest member, as a tree or an
// inverted index would have: how many of them can be passed over without looking inside? This is
// the most that such a structure can save: the groups are made for these prototypes at leisure,
// none of which moves, and the bar is known beforehand.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/gemm.hpp"
#include "screening.hpp"

namespace paco::bench {
namespace {

constexpr std::size_t kRowsAtOnce = 4096;

void normalise(std::span<float> row) {
  double squared = 0;
  for (const float x : row) squared += static_cast<double>(x) * static_cast<double>(x);
  if (squared == 0) return;
  for (float& x : row) x = static_cast<float>(static_cast<double>(x) / std::sqrt(squared));
}

// Calls body(row, cosines with all of `others`) for every row.
template <class Body>
void for_cosines(Rows<const float> rows, const math::Matrix<float>& others, Body body) {
  core::ThreadPool here;
  math::Matrix<float> table(std::min(rows.rows, kRowsAtOnce), others.rows());
  for (std::size_t start = 0; start < rows.rows; start += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows.rows - start);
    math::multiply_transposed(rows[start].data(), count, others.data(), others.rows(), rows.columns,
                              table.data(), others.rows(), here);
    for (std::size_t i = 0; i < count; ++i)
      body(start + i, std::span<const float>(table[i].data(), others.rows()));
  }
}

std::size_t largest(std::span<const float> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

float angle(float cosine) { return std::acos(std::clamp(cosine, -1.0f, 1.0f)); }

// Spherical k-means over some of the prototypes.
math::Matrix<float> group_centres(const math::Matrix<float>& prototypes, std::size_t groups) {
  constexpr std::size_t kMost = 65'536;
  constexpr int kRounds = 5;
  const std::size_t d = prototypes.columns();
  const Rows<const float> some =
      prototypes.view().slice(0, std::min(prototypes.rows(), std::max(kMost, 4 * groups)));
  math::Matrix<float> centres(groups, d);
  core::Random random(5);
  for (std::size_t g = 0; g < groups; ++g)
    std::copy_n(some[random.below(some.rows)].data(), d, centres[g].data());
  for (int round = 0; round < kRounds; ++round) {
    math::Matrix<float> sums(groups, d);
    for_cosines(some, centres, [&](std::size_t row, std::span<const float> cosines) {
      const auto sum = sums[largest(cosines)];
      for (std::size_t j = 0; j < d; ++j) sum[j] += some[row][j];
    });
    for (std::size_t g = 0; g < groups; ++g) {
      normalise(sums[g]);
      const bool empty =
          std::all_of(sums[g].begin(), sums[g].end(), [](float x) { return x == 0; });
      if (!empty) std::copy_n(sums[g].data(), d, centres[g].data());
    }
  }
  return centres;
}

}  // namespace

GroupBound group_bound(const Bank& bank, int places, std::size_t groups) {
  const math::Matrix<float> centres = group_centres(bank.prototypes, groups);
  std::vector<float> radius(groups, 0);
  std::vector<std::size_t> members(groups, 0);
  for_cosines(bank.prototypes, centres, [&](std::size_t, std::span<const float> cosines) {
    const std::size_t g = largest(cosines);
    radius[g] = std::max(radius[g], angle(cosines[g]));
    ++members[g];
  });
  std::vector<float> bars;
  {
    std::vector<float> row;
    for_cosines(
        bank.queries.view(), bank.prototypes, [&](std::size_t, std::span<const float> cosines) {
          row.assign(cosines.begin(), cosines.end());
          std::nth_element(row.begin(), row.begin() + (places - 1), row.end(), std::greater<>());
          bars.push_back(row[static_cast<std::size_t>(places - 1)]);
        });
  }
  GroupBound out;
  out.groups = groups;
  std::size_t left = 0;
  for_cosines(bank.queries.view(), centres, [&](std::size_t query, std::span<const float> cosines) {
    for (std::size_t g = 0; g < groups; ++g) {
      const float nearest = std::max(0.0f, angle(cosines[g]) - radius[g]);
      if (members[g] > 0 && std::cos(nearest) + 1e-5f >= bars[query]) left += members[g];
    }
  });
  out.left =
      static_cast<double>(left) / static_cast<double>(bank.queries.rows() * bank.prototypes.rows());
  double degrees = 0, bar = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    degrees += static_cast<double>(radius[g]) * static_cast<double>(members[g]) * 180 /
               (std::numbers::pi * static_cast<double>(bank.prototypes.rows()));
  }
  for (const float b : bars) bar += static_cast<double>(b) / static_cast<double>(bars.size());
  out.radius_degrees = degrees;
  out.bar_degrees = std::acos(bar) * 180 / std::numbers::pi;
  return out;
}

}  // namespace paco::bench
