// The directions of a stream's prototypes at one moment, and what can be told from them: which
// categories are near a sample or each other, which members are in the middle, and a map in two
// dimensions. Empty for methods that keep no directions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "paco/session.hpp"

namespace paco::server {

class Stream;

struct Directions {
  std::uint64_t events = 0;  // the moment
  std::size_t dimension = 0;
  std::vector<PrototypeId> prototypes;  // those in force
  std::vector<CategoryId> owners;
  std::vector<std::int64_t> sizes;
  std::vector<char> known;
  std::vector<float> rows;  // (prototypes, dimension), unit

  std::size_t size() const { return prototypes.size(); }
  const float* row(std::size_t i) const { return rows.data() + i * dimension; }
  double cosine(std::size_t i, std::span<const float> unit) const;
};

// Made between two groups of the lane.
Directions directions_of(Stream& stream);

struct NearCategory {
  CategoryId category = 0;
  double cosine = 0;
};
// The categories whose nearest prototype is nearest, best first; `except` is left out.
std::vector<NearCategory> nearest_categories(const Directions& all, std::span<const float> unit,
                                             std::size_t count, CategoryId except = -1);

struct MapPoint {
  std::size_t prototype = 0;  // its place in Directions
  double x = 0, y = 0;        // within -1 .. 1
};
struct PrototypeMap {
  std::vector<MapPoint> points;
  double explained[2] = {0, 0};  // shares of the variance
};
// Along the two principal axes of (at most 2,000 of) the largest prototypes.
PrototypeMap principal_map(const Directions& all, std::size_t most);

// A sample's embedding on the sphere; empty where it is not kept.
std::vector<float> unit_of(Stream& stream, std::uint64_t sequence);

}  // namespace paco::server
