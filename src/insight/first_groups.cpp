#include "insight/first_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "math/matrix.hpp"
#include "methods/common/standardise.hpp"

namespace paco::insight {
namespace {

// The smallest average number of samples per group. Silhouettes alone favour hundreds of pairs if
// kinds overlap, as in texts. If there are few samples, groups can be smaller.
constexpr std::size_t kUsualGroup = 10, kFewGroups = 20, kSmallGroup = 3;
constexpr double kEpsilon = 1e-5;  // of the variance, as methods standardise
constexpr double kFar = std::numeric_limits<double>::infinity();

// Rows on the unit sphere, standardised by their own statistics, as a support set is.
math::Matrix<double> on_sphere(Rows<const double> rows) {
  const methods::SupportStatistics statistics = methods::support_statistics(rows, kEpsilon);
  math::Matrix<double> out(rows.rows, rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double length = 0;
    for (std::size_t j = 0; j < rows.columns; ++j) {
      out[i][j] = (rows[i][j] - statistics.mean[j]) / statistics.deviation[j];
      length += out[i][j] * out[i][j];
    }
    for (double& value : out[i]) value /= std::max(std::sqrt(length), 1e-300);
  }
  return out;
}

math::Matrix<double> distances_of(const math::Matrix<double>& points) {
  math::Matrix<double> out(points.rows(), points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    out[i][i] = 0;
    for (std::size_t j = 0; j < i; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < points.columns(); ++k) product += points[i][k] * points[j][k];
      out[i][j] = out[j][i] = std::max(0.0, 1 - product);
    }
  }
  return out;
}

// Groups that are merged step by step: in each step the two whose members have the smallest mean
// distance.
class Linkage {
 public:
  explicit Linkage(const math::Matrix<double>& distances)
      : sums_(distances),
        between_(distances),
        size_(distances.rows(), 1),
        group_(distances.rows()) {
    live_.resize(distances.rows());
    std::iota(live_.begin(), live_.end(), std::size_t{0});
    std::iota(group_.begin(), group_.end(), std::size_t{0});
  }

  std::size_t groups() const { return live_.size(); }
  const std::vector<std::size_t>& group() const { return group_; }

  void join_nearest() {
    std::size_t a = 0, b = 1;
    double nearest = kFar;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      for (std::size_t j = i + 1; j < live_.size(); ++j) {
        const std::size_t x = live_[i], y = live_[j];
        const double distance = between_[x][y] / static_cast<double>(size_[x] * size_[y]);
        if (distance >= nearest) continue;
        nearest = distance;
        a = i;
        b = j;
      }
    }
    join(live_[a], live_[b]);
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(b));
  }

  // How much closer samples are to their own group than to the next one; the mean over all samples.
  double silhouette() const {
    double total = 0;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      const std::size_t own = group_[i];
      if (size_[own] == 1) continue;
      const double within = sums_[i][own] / static_cast<double>(size_[own] - 1);
      double next = kFar;
      for (const std::size_t other : live_)
        if (other != own)
          next = std::min(next, sums_[i][other] / static_cast<double>(size_[other]));
      const double larger = std::max(within, next);
      if (larger > 0) total += (next - within) / larger;
    }
    return total / static_cast<double>(group_.size());
  }

 private:
  // b becomes part of a.
  void join(std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < group_.size(); ++i) {
      sums_[i][a] += sums_[i][b];
      if (group_[i] == b) group_[i] = a;
    }
    for (const std::size_t other : live_) {
      between_[a][other] += between_[b][other];
      between_[other][a] = between_[a][other];
    }
    size_[a] += size_[b];
  }

  math::Matrix<double> sums_;     // (n, n) of a sample's distances to the members of a group
  math::Matrix<double> between_;  // (n, n) of all distances between two groups
  std::vector<std::size_t> size_, group_, live_;
};

// Numbers the groups of two or more samples by size.
FirstGroups numbered(const std::vector<std::size_t>& group, double silhouette) {
  std::vector<std::size_t> size(group.size()), order;
  for (const std::size_t g : group) ++size[g];
  for (std::size_t g = 0; g < size.size(); ++g)
    if (size[g] > 1) order.push_back(g);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  std::vector<std::int64_t> number(group.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::int64_t>(i);
  FirstGroups out{{}, order.size(), silhouette};
  for (const std::size_t g : group) out.group.push_back(number[g]);
  return out;
}

}  // namespace

FirstGroups first_groups(Rows<const double> embeddings) {
  FirstGroups best{std::vector<std::int64_t>(embeddings.rows, -1), 0, 0};
  if (embeddings.rows < 2 * kSmallGroup) return best;
  Linkage linkage(distances_of(on_sphere(embeddings)));
  const std::size_t most =
      std::max(embeddings.rows / kUsualGroup, std::min(embeddings.rows / kSmallGroup, kFewGroups));
  std::vector<std::size_t> chosen = linkage.group();
  double highest = -kFar;
  while (linkage.groups() > 2) {
    linkage.join_nearest();
    if (linkage.groups() > most) continue;
    const double silhouette = linkage.silhouette();
    if (silhouette < highest) continue;
    highest = silhouette;
    chosen = linkage.group();
  }
  return numbered(chosen, highest);
}

}  // namespace paco::insight
