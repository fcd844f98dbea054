// The layout of samples: neighbours stay together, everything is in sight, nothing is left to luck.
#include "insight/sample_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace paco::insight {
namespace {

math::Matrix<float> groups(std::size_t count, std::size_t of_each, std::uint64_t seed) {
  constexpr std::size_t d = 16;
  core::Random random(seed, 3);
  math::Matrix<float> units(count * of_each, d);
  std::vector<float> middle(d);
  for (std::size_t i = 0; i < units.rows(); ++i) {
    if (i % of_each == 0) {
      for (float& x : middle) x = static_cast<float>(random.normal());
    }
    double length = 0;
    for (std::size_t j = 0; j < d; ++j) {
      units[i][j] = middle[j] + static_cast<float>(0.5 * random.normal());
      length += static_cast<double>(units[i][j]) * units[i][j];
    }
    for (float& x : units[i]) x = static_cast<float>(x / std::sqrt(length));
  }
  return units;
}

TEST(SampleMap, TheNearestOnTheMapIsOfTheSameGroup) {
  constexpr std::size_t kEach = 25;
  const math::Matrix<float> units = groups(8, kEach, 6);
  const std::vector<Place> places = neighbour_layout(units);
  ASSERT_EQ(places.size(), units.rows());
  std::size_t same = 0;
  double widest = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    widest = std::max({widest, std::abs(places[i].x), std::abs(places[i].y)});
    std::size_t nearest = i == 0 ? 1 : 0;
    const auto distance = [&](std::size_t j) {
      return std::hypot(places[i].x - places[j].x, places[i].y - places[j].y);
    };
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (j != i && distance(j) < distance(nearest)) nearest = j;
    }
    same += nearest / kEach == i / kEach;
  }
  EXPECT_DOUBLE_EQ(widest, 1);
  EXPECT_GT(same, places.size() * 95 / 100);
}

TEST(SampleMap, TheSameSamplesGiveTheSamePlaces) {
  const math::Matrix<float> units = groups(3, 10, 2);
  const std::vector<Place> one = neighbour_layout(units), other = neighbour_layout(units);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].x, other[i].x);
    EXPECT_EQ(one[i].y, other[i].y);
  }
}

TEST(SampleMap, FewSamplesHaveAPlaceToo) {
  EXPECT_TRUE(neighbour_layout({}).empty());
  for (const std::size_t n : {1, 2, 3}) {
    const std::vector<Place> places = neighbour_layout(groups(1, n, 1));
    ASSERT_EQ(places.size(), n);
    for (const Place& p : places) EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y));
  }
}

}  // namespace
}  // namespace paco::insight
