// Besides the covariance W itself, the shrinkage needs the sum over classes of |S_k - (n_k / N)
// W|^2. S_k is the scatter of class k divided by N - K. Expanded, the sum is
//   sum |S_k|^2 - 2 <sum (n_k / N) S_k, W> + sum (n_k / N)^2 |W|^2,
// so one pass that adds up W, P = sum (n_k / N) S_k and the squares is enough. Classes of equal
// size have the same weight and are added together. The squares of small classes are computed from
// their Gram matrices, which are smaller than S_k.
#include "methods/mirror/scatter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "math/cholesky.hpp"
#include "math/gemm_deterministic.hpp"
#include "math/kernels.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kTile = 256;
constexpr std::size_t kRowsAtOnce = 4096;

// Returns `room` with this shape, filled with zeros.
math::Matrix<double>& cleared(math::Matrix<double>& room, std::size_t rows, std::size_t columns) {
  if (room.rows() == rows && room.columns() == columns) {
    std::fill_n(room.data(), rows * columns, 0.0);
  } else {
    room = math::Matrix<double>(rows, columns);
  }
  return room;
}

Rows<double> deviations(FitRoom& room, std::size_t rows, std::size_t columns) {
  room.deviations.resize(std::max(room.deviations.size(), rows * columns));
  return {room.deviations.data(), rows, columns};
}

// Samples in order of the size of their class, then class, then index.
struct Arrangement {
  std::vector<std::size_t> samples;  // (N)
  std::vector<std::size_t> classes;  // (K)
  std::vector<std::size_t> starts;   // (K + 1) in samples, by place in `classes`
};

Arrangement arrange(std::span<const std::uint32_t> labels, std::size_t classes) {
  std::vector<std::size_t> sizes(classes, 0), place(classes);
  for (const std::uint32_t k : labels) ++sizes[k];
  Arrangement out;
  out.classes.resize(classes);
  std::iota(out.classes.begin(), out.classes.end(), std::size_t{0});
  std::stable_sort(out.classes.begin(), out.classes.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  out.starts.push_back(0);
  for (const std::size_t k : out.classes) {
    place[k] = out.starts.back();
    out.starts.push_back(out.starts.back() + sizes[k]);
  }
  out.samples.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) out.samples[place[labels[i]]++] = i;
  return out;
}

double squared_sum(const math::Matrix<double>& a, bool upper) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double row = 0;
    for (std::size_t j = upper ? i + 1 : 0; j < a.columns(); ++j) row += a[i][j] * a[i][j];
    sum += upper ? 2 * row + a[i][i] * a[i][i] : row;
  }
  return sum;
}

class Sums {
 public:
  Sums(std::size_t d, double samples, FitRoom& room)
      : d_(d),
        samples_(samples),
        within_(cleared(room.within, d, d)),
        weighted_(cleared(room.weighted, d, d)),
        tile_(kTile * kTile) {}

  // Rows first .. last of the deviations e (rows, d) belong to classes of `size` samples. If they
  // are one large class, its squares are computed here.
  void add(Rows<const double> e, std::size_t first, std::size_t last, std::size_t size,
           bool one_large_class) {
    const double weight = static_cast<double>(size) / samples_;
    for (std::size_t i = 0; i < d_; i += kTile) {
      const std::size_t rows = std::min(kTile, d_ - i);
      for (std::size_t j = i; j < d_; j += kTile) {
        const std::size_t columns = std::min(kTile, d_ - j);
        std::fill(tile_.begin(), tile_.end(), 0.0);
        math::add_products({e.data + first * d_ + i, d_, true}, rows,
                           {e.data + first * d_ + j, d_, true}, columns, last - first, tile_.data(),
                           kTile, nullptr, i == j && !one_large_class);
        double squares = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          const double* from = tile_.data() + r * kTile;
          double* within = within_[i + r].data() + j;
          double* weighted = weighted_[i + r].data() + j;
          for (std::size_t c = 0; c < columns; ++c) {
            within[c] += from[c];
            weighted[c] += weight * from[c];
          }
          if (!one_large_class) continue;
          for (std::size_t c = 0; c < columns; ++c) squares += from[c] * from[c];
        }
        squares_ += i == j ? squares : 2 * squares;
      }
    }
  }

  // Adds the squares of a class whose Gram matrix is smaller than its scatter.
  void add_squares(Rows<const double> e, std::size_t first, std::size_t last) {
    const std::size_t n = last - first;
    constexpr std::size_t kFew = 32;  // below this, arranging the samples for products does not pay
    if (n <= kFew) {
      for (std::size_t i = first; i < last; ++i) {
        const double own = math::dot(e[i].data(), e[i].data(), d_);
        double row = 0;
        for (std::size_t j = i + 1; j < last; ++j) {
          const double product = math::dot(e[i].data(), e[j].data(), d_);
          row += product * product;
        }
        squares_ += 2 * row + own * own;
      }
      return;
    }
    math::Matrix<double> gram(n, n);
    const math::Factor rows{e.data + first * d_, d_, false};
    math::add_products(rows, n, rows, n, d_, gram.data(), n, nullptr, true);
    squares_ += squared_sum(gram, true);
  }

  math::Matrix<double>& within() { return within_; }
  double squares() const { return squares_; }
  // <P, W>
  double weighted_product() const {
    double sum = 0;
    for (std::size_t i = 0; i < d_; ++i) {
      double row = 0;
      for (std::size_t j = i + 1; j < d_; ++j) row += weighted_[i][j] * within_[i][j];
      sum += 2 * row + weighted_[i][i] * within_[i][i];
    }
    return sum;
  }

 private:
  std::size_t d_;
  double samples_;
  math::Matrix<double>&within_, &weighted_;  // sums of e e^T, not yet divided; upper triangle
  std::vector<double> tile_;
  double squares_ = 0;
};

// Eigenvalues of the centred Gram matrix, C^T C or C C^T, whichever is smaller.
std::size_t rank_of(Rows<const float> units, FitRoom& room, const math::Matrix<double>& class_means,
                    std::span<const double> mean, std::span<const std::size_t> sizes) {
  const std::size_t n = units.rows, d = units.columns, smaller = std::min(n, d);
  math::Matrix<double>& gram = cleared(room.gram, smaller, smaller);
  if (n <= d) {
    const Rows<double> centred = deviations(room, n, d);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j)
        centred[i][j] = static_cast<double>(units[i][j]) - mean[j];
    }
    const math::Factor rows{centred.data, d, false};
    math::add_products(rows, n, rows, n, d, gram.data(), n, nullptr, true);
  } else {
    // Scatter within classes plus scatter of the class means.
    math::Matrix<double> between(class_means.rows(), d);
    for (std::size_t k = 0; k < between.rows(); ++k) {
      const double root = std::sqrt(static_cast<double>(sizes[k]));
      for (std::size_t j = 0; j < d; ++j) between[k][j] = root * (class_means[k][j] - mean[j]);
    }
    std::copy_n(room.within.data(), d * d, gram.data());
    const math::Factor by_depth{between.data(), d, true};
    math::add_products(by_depth, d, by_depth, d, between.rows(), gram.data(), d, nullptr, true);
  }
  math::mirror_upper(gram);
  constexpr double kUsed = 1e-6;
  const double largest = math::largest_eigenvalue(gram);
  return largest > 0 ? math::eigenvalues_above(gram, kUsed * largest) : 0;
}

}  // namespace

Scatter scatter_of(Rows<const float> units, std::span<const std::uint32_t> labels,
                   std::size_t classes, FitRoom& room, const std::stop_token& stop) {
  const std::size_t n = units.rows, d = units.columns;
  Scatter out;
  if (n <= classes) return out;
  const auto freedom = static_cast<double>(n - classes), samples = static_cast<double>(n);
  const Arrangement arrangement = arrange(labels, classes);
  std::vector<std::size_t> sizes(classes, 0);
  math::Matrix<double> means(classes, d);
  std::vector<double> mean(d, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    double* to = means[labels[i]].data();
    for (std::size_t j = 0; j < d; ++j) to[j] += static_cast<double>(units[i][j]);
    ++sizes[labels[i]];
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t j = 0; j < d; ++j) {
      mean[j] += means[k][j];
      means[k][j] /= static_cast<double>(sizes[k]);
    }
  }
  for (double& x : mean) x /= samples;

  Sums sums(d, samples, room);
  double weights_squared = 0;
  // Processes whole classes, a few thousand samples at a time.
  for (std::size_t from = 0; from < classes && !stop.stop_requested();) {
    std::size_t to = from + 1;
    const auto rows = [&] { return arrangement.starts[to] - arrangement.starts[from]; };
    while (to < classes && rows() + sizes[arrangement.classes[to]] <= kRowsAtOnce) ++to;
    const Rows<double> e = deviations(room, rows(), d);
    const std::size_t base = arrangement.starts[from];
    for (std::size_t r = 0; r < e.rows; ++r) {
      const std::size_t i = arrangement.samples[base + r];
      const double* centre = means[labels[i]].data();
      for (std::size_t j = 0; j < d; ++j) e[r][j] = static_cast<double>(units[i][j]) - centre[j];
    }
    for (std::size_t c = from; c < to;) {
      const std::size_t size = sizes[arrangement.classes[c]];
      const bool large = 2 * size > d;
      std::size_t end = c + 1;
      if (!large) {
        while (end < to && sizes[arrangement.classes[end]] == size) ++end;
      }
      const std::size_t first = arrangement.starts[c] - base;
      for (std::size_t k = c; k < end; ++k) {
        const double weight = static_cast<double>(size) / samples;
        weights_squared += weight * weight;
        if (!large) sums.add_squares(e, first + (k - c) * size, first + (k - c + 1) * size);
      }
      sums.add(e, first, first + (end - c) * size, size, large);
      c = end;
    }
    from = to;
  }
  if (stop.stop_requested()) return out;
  for (std::size_t j = 0; j < d; ++j) out.trace += sums.within()[j][j];
  out.trace /= freedom;
  if (!(out.trace > 0)) {
    out.trace = 0;
    return out;
  }
  out.rank = rank_of(units, room, means, mean, sizes);
  const double mu = out.trace / static_cast<double>(out.rank);
  const double per = 1 / (freedom * freedom);
  const double within_squared = squared_sum(sums.within(), true) * per;
  const double error =
      sums.squares() * per - 2 * sums.weighted_product() * per + weights_squared * within_squared;
  const double spare = std::max(within_squared - mu * out.trace, 1e-300);
  const auto k = static_cast<double>(classes);
  out.shrinkage = classes < 2 ? 1.0 : std::clamp(error * k / (k - 1) / spare, 0.0, 1.0);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) room.within[i][j] /= freedom;
  }
  return out;
}

}  // namespace paco::methods
