// The directions of a stream's prototypes at one moment, and results from them: which categories
// are near a sample or near each other, and a map in two dimensions. Empty for methods without
// directions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "paco/method.hpp"

namespace paco::insight {

struct Directions {
  std::uint64_t events = 0;  // of the stream, before this moment
  std::size_t dimension = 0;
  std::shared_ptr<const SpaceTransform> transform;  // null: a method without directions
  std::vector<PrototypeId> prototypes;              // those that compete and have an owner
  std::vector<CategoryId> owners;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> members;  // in its sum
  std::vector<double> lengths;        // of the sum; 0 for references
  std::vector<char> known;
  std::vector<float> rows;  // (prototypes, dimension), unit

  std::size_t size() const { return prototypes.size(); }
  const float* row(std::size_t i) const { return rows.data() + i * dimension; }
  double cosine(std::size_t i, std::span<const float> unit) const;
};

// A copy. The method must not decide while it is made.
Directions directions_of(const Method& method, std::uint64_t events);

// The unit direction of each category, by ascending id: the mean of its prototypes, weighted by
// size.
struct Centroids {
  std::vector<CategoryId> categories;
  std::vector<float> rows;  // (categories, dimension)
};
Centroids centroids_of(const Directions& all);

struct NearCategory {
  CategoryId category = 0;
  double cosine = 0;
};
// The categories with the nearest prototypes, nearest first; `except` is left out.
std::vector<NearCategory> nearest_categories(const Directions& all, std::span<const float> unit,
                                             std::size_t count, CategoryId except = kNoId);

// The known class with the reference that is nearest to the largest prototype of a discovered
// category.
std::optional<NearCategory> nearest_known(const Directions& all, CategoryId discovered);

struct MapPoint {
  std::size_t prototype = 0;  // its index in Directions
  double x = 0, y = 0;        // within -1 .. 1
};
struct PrototypeMap {
  std::vector<MapPoint> points;
  double explained[2] = {0, 0};  // shares of the variance
};
// A map along the two principal axes of the largest prototypes (at most 2,000 of them).
PrototypeMap principal_map(const Directions& all, std::size_t most);

}  // namespace paco::insight
