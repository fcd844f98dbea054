#include "insight/sample_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "insight/directions.hpp"
#include "math/kernels.hpp"

namespace paco::insight {
namespace {

constexpr std::size_t kNeighbours = 12;
constexpr int kEpochs = 200;
constexpr int kPushes = 4;         // pushes away from others per pull
constexpr double kSpread = 10;     // of the layout while it moves
constexpr double kCurve = 1.6;     // how fast nearness falls with the distance
constexpr double kLongest = 4;     // of one step, as a gradient
constexpr double kNotZero = 1e-3;  // added to squared distances

struct Edge {
  std::size_t from = 0, to = 0;
};

// From each row to those of the largest cosine.
std::vector<Edge> neighbour_edges(const math::Matrix<float>& units) {
  const std::size_t n = units.rows(), k = std::min(kNeighbours, n - 1);
  std::vector<Edge> out;
  std::vector<double> cosines(n);
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      cosines[j] = math::dot(units[i].data(), units[j].data(), units[i].size());
    cosines[i] = -2;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return cosines[a] != cosines[b] ? cosines[a] > cosines[b] : a < b;
                      });
    for (std::size_t j = 0; j < k; ++j) out.push_back({i, order[j]});
  }
  return out;
}

// Along the two principal axes.
std::vector<Place> start_of(const math::Matrix<float>& units) {
  Directions all;
  all.dimension = units[0].size();
  for (std::size_t i = 0; i < units.rows(); ++i) {
    all.prototypes.push_back(static_cast<PrototypeId>(i));
    all.sizes.push_back(1);
    all.rows.insert(all.rows.end(), units[i].begin(), units[i].end());
  }
  std::vector<Place> out(units.rows());
  for (const MapPoint& point : principal_map(all, units.rows()).points)
    out[point.prototype] = {kSpread * point.x, kSpread * point.y};
  return out;
}

double bounded(double step) { return std::clamp(step, -kLongest, kLongest); }

void pull(Place& a, Place& b, double rate) {
  const double dx = a.x - b.x, dy = a.y - b.y, squared = dx * dx + dy * dy;
  const double force = -2 * kCurve / (1 + kCurve * squared);
  const double x = rate * bounded(force * dx), y = rate * bounded(force * dy);
  a.x += x;
  a.y += y;
  b.x -= x;
  b.y -= y;
}

void push(Place& a, const Place& other, double rate) {
  const double dx = a.x - other.x, dy = a.y - other.y, squared = dx * dx + dy * dy;
  const double force = 2 / ((kNotZero + squared) * (1 + kCurve * squared));
  a.x += rate * bounded(force * dx);
  a.y += rate * bounded(force * dy);
}

// Centres the places at 0 and scales the largest coordinate to 1.
void fit(std::vector<Place>& places) {
  const auto n = static_cast<double>(places.size());
  Place middle;
  for (const Place& p : places) {
    middle.x += p.x / n;
    middle.y += p.y / n;
  }
  double largest = 1e-9;
  for (Place& p : places) {
    p.x -= middle.x;
    p.y -= middle.y;
    largest = std::max({largest, std::abs(p.x), std::abs(p.y)});
  }
  for (Place& p : places) {
    p.x /= largest;
    p.y /= largest;
  }
}

}  // namespace

std::vector<Place> neighbour_layout(const math::Matrix<float>& units) {
  const std::size_t n = units.rows();
  if (n == 0) return {};
  std::vector<Place> places = start_of(units);
  if (n > 2) {
    const std::vector<Edge> edges = neighbour_edges(units);
    core::Random random(1, 29);
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      const double rate = 1 - static_cast<double>(epoch) / kEpochs;
      for (const Edge& edge : edges) {
        pull(places[edge.from], places[edge.to], rate);
        for (int i = 0; i < kPushes; ++i) {
          const std::size_t other = random.below(n);
          if (other != edge.from) push(places[edge.from], places[other], rate);
        }
      }
    }
  }
  fit(places);
  return places;
}

}  // namespace paco::insight
