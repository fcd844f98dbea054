#include "insight/directions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "math/kernels.hpp"

namespace paco::insight {
namespace {

constexpr std::size_t kAxesRows = 2000;
constexpr int kRounds = 24;

// Scales to length 1; false if the length is zero.
bool normalise(std::vector<double>& v) {
  double length = 0;
  for (const double x : v) length += x * x;
  length = std::sqrt(length);
  if (!(length > 1e-12)) return false;
  for (double& x : v) x /= length;
  return true;
}

double along(const float* row, const std::vector<double>& mean, const std::vector<double>& axis) {
  double sum = 0;
  for (std::size_t j = 0; j < axis.size(); ++j) sum += (row[j] - mean[j]) * axis[j];
  return sum;
}

// The strongest axis of the rows that is orthogonal to the axes before it, by repeated
// multiplication.
std::vector<double> principal_axis(const Directions& all, std::span<const std::size_t> rows,
                                   const std::vector<double>& mean,
                                   const std::vector<std::vector<double>>& before) {
  const std::size_t d = all.dimension;
  std::vector<double> axis(d), next(d);
  for (std::size_t j = 0; j < d; ++j) axis[j] = std::cos(static_cast<double>(j * j + 1));
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& other : before) {
      const double share = std::inner_product(axis.begin(), axis.end(), other.begin(), 0.0);
      for (std::size_t j = 0; j < d; ++j) axis[j] -= share * other[j];
    }
    if (!normalise(axis)) return std::vector<double>(d, 0.0);
    std::fill(next.begin(), next.end(), 0.0);
    for (const std::size_t i : rows) {
      const double share = along(all.row(i), mean, axis);
      for (std::size_t j = 0; j < d; ++j) next[j] += share * (all.row(i)[j] - mean[j]);
    }
    axis.swap(next);
  }
  for (const auto& other : before) {
    const double share = std::inner_product(axis.begin(), axis.end(), other.begin(), 0.0);
    for (std::size_t j = 0; j < d; ++j) axis[j] -= share * other[j];
  }
  if (!normalise(axis)) return std::vector<double>(d, 0.0);
  // The sign of an axis is arbitrary; this makes it the same every time.
  const auto largest = std::max_element(
      axis.begin(), axis.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (*largest < 0) {
    for (double& x : axis) x = -x;
  }
  return axis;
}

}  // namespace

double Directions::cosine(std::size_t i, std::span<const float> unit) const {
  return math::dot(row(i), unit.data(), dimension);
}

Directions directions_of(const Method& method, std::uint64_t events) {
  Directions out;
  out.events = events;
  const PrototypeDirections* directions = method.directions();
  if (directions == nullptr) return out;
  out.transform = directions->transform();
  out.dimension = out.transform->dimension();
  for (PrototypeId id = 0; id < method.next_prototype(); ++id) {
    const Prototype prototype = method.prototype(id);
    if (!prototype.competing || prototype.owner == kNoId) continue;
    const std::vector<float> row = directions->direction(id);
    if (row.empty()) continue;
    out.prototypes.push_back(id);
    out.owners.push_back(prototype.owner);
    out.sizes.push_back(prototype.size());
    const bool has_sum = !prototype.reference && std::isfinite(prototype.resultant_length);
    out.members.push_back(has_sum ? prototype.members : 0);
    out.lengths.push_back(
        has_sum ? prototype.resultant_length * static_cast<double>(prototype.members) : 0);
    out.known.push_back(prototype.reference);
    out.rows.insert(out.rows.end(), row.begin(), row.end());
  }
  return out;
}

std::vector<NearCategory> nearest_categories(const Directions& all, std::span<const float> unit,
                                             std::size_t count, CategoryId except) {
  std::map<CategoryId, double> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.owners[i] == except) continue;
    const double cosine = all.cosine(i, unit);
    const auto [place, is_new] = best.emplace(all.owners[i], cosine);
    if (!is_new) place->second = std::max(place->second, cosine);
  }
  std::vector<NearCategory> out;
  for (const auto& [category, cosine] : best) out.push_back({category, cosine});
  const auto better = [](const NearCategory& a, const NearCategory& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.category < b.category;
  };
  const std::size_t kept = std::min(count, out.size());
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(kept), out.end(),
                    better);
  out.resize(kept);
  return out;
}

std::optional<NearCategory> nearest_known(const Directions& all, CategoryId discovered) {
  std::size_t largest = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.owners[i] != discovered) continue;
    if (all.known[i] != 0) return std::nullopt;
    if (largest == all.size() || all.sizes[i] > all.sizes[largest]) largest = i;
  }
  if (largest == all.size()) return std::nullopt;
  std::optional<NearCategory> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.known[i] == 0) continue;
    const double cosine = all.cosine(i, {all.row(largest), all.dimension});
    if (!best || cosine > best->cosine) best = NearCategory{all.owners[i], cosine};
  }
  return best;
}

Centroids centroids_of(const Directions& all) {
  std::map<CategoryId, std::vector<double>> sums;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<double>& sum = sums[all.owners[i]];
    sum.resize(all.dimension);
    const auto weight = static_cast<double>(std::max<std::int64_t>(all.sizes[i], 1));
    for (std::size_t j = 0; j < all.dimension; ++j) sum[j] += weight * all.row(i)[j];
  }
  Centroids out;
  for (auto& [category, sum] : sums) {
    normalise(sum);
    out.categories.push_back(category);
    for (const double x : sum) out.rows.push_back(static_cast<float>(x));
  }
  return out;
}

PrototypeMap principal_map(const Directions& all, std::size_t most) {
  PrototypeMap out;
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all.sizes[a] > all.sizes[b]; });
  if (order.size() > most) order.resize(most);
  if (order.empty()) return out;
  const std::span<const std::size_t> basis =
      std::span(order).first(std::min(order.size(), kAxesRows));
  std::vector<double> mean(all.dimension, 0.0);
  for (const std::size_t i : basis) {
    for (std::size_t j = 0; j < all.dimension; ++j) mean[j] += all.row(i)[j];
  }
  for (double& x : mean) x /= static_cast<double>(basis.size());
  double variance = 0;
  for (const std::size_t i : basis) {
    for (std::size_t j = 0; j < all.dimension; ++j)
      variance += (all.row(i)[j] - mean[j]) * (all.row(i)[j] - mean[j]);
  }
  std::vector<std::vector<double>> axes;
  for (int a = 0; a < 2; ++a) {
    axes.push_back(principal_axis(all, basis, mean, axes));
    double sum = 0;
    for (const std::size_t i : basis) sum += std::pow(along(all.row(i), mean, axes.back()), 2);
    out.explained[a] = variance > 0 ? sum / variance : 0;
  }
  double largest = 1e-9;
  for (const std::size_t i : order) {
    out.points.push_back({i, along(all.row(i), mean, axes[0]), along(all.row(i), mean, axes[1])});
    largest = std::max({largest, std::abs(out.points.back().x), std::abs(out.points.back().y)});
  }
  for (MapPoint& point : out.points) {
    point.x /= largest;
    point.y /= largest;
  }
  return out;
}

}  // namespace paco::insight
