#include "math/cholesky.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/random.hpp"
#include "math/gemm_deterministic.hpp"
#include "math/kernels.hpp"

namespace paco::math {
namespace {

constexpr std::size_t kSmall = 16;  // fewer rows are not split further

// Factors the rows first .. last; the contributions of the rows above are already subtracted from
// their elements.
class SignedFactor {
 public:
  SignedFactor(Matrix<double>& a, double smallest, std::vector<double>& signs)
      : a_(a), n_(a.rows()), smallest_(smallest), signs_(signs) {
    signs_.assign(n_, 0);
    minus_signs_.assign(n_, 0);
  }

  bool factor(std::size_t first, std::size_t last) {
    if (last - first <= kSmall) return factor_small(first, last);
    const std::size_t middle = (first + last) / 2;
    if (!factor(first, middle)) return false;
    const Factor above{a_.data() + first * n_ + middle, n_, true};
    add_products(above, last - middle, above, n_ - middle, middle - first,
                 a_.data() + middle * n_ + middle, n_, minus_signs_.data() + first, true);
    return factor(middle, last);
  }

 private:
  bool factor_small(std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      double* row = a_[k].data();
      const double pivot = row[k];
      if (!(std::abs(pivot) > smallest_)) return false;
      const double sign = pivot > 0 ? 1.0 : -1.0, root = std::sqrt(std::abs(pivot));
      signs_[k] = sign;
      minus_signs_[k] = -sign;
      row[k] = root;
      for (std::size_t j = k + 1; j < n_; ++j) row[j] = sign * row[j] / root;
      for (std::size_t i = k + 1; i < last; ++i) {
        const double factor = -sign * row[i];
        double* other = a_[i].data();
        for (std::size_t j = i; j < n_; ++j) other[j] += factor * row[j];
      }
    }
    return true;
  }

  Matrix<double>& a_;
  std::size_t n_;
  double smallest_;
  std::vector<double>& signs_;
  std::vector<double> minus_signs_;
};

// With R = [R1 R12; 0 R2], the transposed inverse is [B1 0; -B2 R12^T B1 B2].
void invert(const Matrix<double>& r, std::size_t first, std::size_t last, Matrix<double>& b,
            std::vector<double>& scratch) {
  const std::size_t n = r.rows();
  if (last - first <= kSmall) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t j = first; j < i; ++j) {
        double sum = 0;
        for (std::size_t k = j; k < i; ++k) sum += r[k][i] * b[k][j];
        b[i][j] = -sum / r[i][i];
      }
      b[i][i] = 1 / r[i][i];
    }
    return;
  }
  const std::size_t middle = (first + last) / 2, above = middle - first, below = last - middle;
  invert(r, first, middle, b, scratch);
  invert(r, middle, last, b, scratch);
  scratch.assign(below * above, 0.0);
  const std::vector<double> minus(below, -1.0);
  // B1 and B2 are triangular: a block of columns of B1 starts at its diagonal, and a block of rows
  // of B2 ends at its diagonal.
  constexpr std::size_t kBlock = 64;
  for (std::size_t j = 0; j < above; j += kBlock) {
    add_products({r.data() + (first + j) * n + middle, n, true}, below,
                 {b.data() + (first + j) * n + first + j, n, true}, std::min(kBlock, above - j),
                 above - j, scratch.data() + j, above);
  }
  for (std::size_t i = 0; i < below; i += kBlock) {
    const std::size_t rows = std::min(kBlock, below - i);
    add_products({b.data() + (middle + i) * n + middle, n, false}, rows,
                 {scratch.data(), above, true}, above, i + rows,
                 b.data() + (middle + i) * n + first, n, minus.data());
  }
}

// The largest eigenvalue of a tridiagonal matrix T, by bisection: if x is above all eigenvalues,
// every pivot of T - x is negative.
double largest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& off) {
  const std::size_t n = diagonal.size();
  double low = diagonal[0], high = diagonal[0];
  for (std::size_t i = 0; i < n; ++i) {
    const double radius = (i > 0 ? std::abs(off[i - 1]) : 0) + (i + 1 < n ? std::abs(off[i]) : 0);
    low = std::max(low, diagonal[i]);
    high = std::max(high, diagonal[i] + radius);
  }
  const auto above_all = [&](double x) {
    double pivot = diagonal[0] - x;
    for (std::size_t i = 1; i < n && pivot < 0; ++i)
      pivot = diagonal[i] - x - off[i - 1] * off[i - 1] / pivot;
    return pivot < 0;
  };
  for (int step = 0; step < 100; ++step) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (above_all(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

bool cholesky_signed(Matrix<double>& a, double smallest, std::vector<double>& signs) {
  assert(a.rows() == a.columns());
  return SignedFactor(a, smallest, signs).factor(0, a.rows());
}

void inverse_transposed(const Matrix<double>& upper, Matrix<double>& out) {
  const std::size_t n = upper.rows();
  assert(out.rows() == n && out.columns() == n);
  std::fill_n(out.data(), n * n, 0.0);
  std::vector<double> scratch;
  if (n > 0) invert(upper, 0, n, out, scratch);
}

void mirror_upper(Matrix<double>& a) {
  constexpr std::size_t kBlock = 32;  // so that the columns stay in cache
  const std::size_t n = a.rows();
  for (std::size_t i = 0; i < n; i += kBlock) {
    for (std::size_t j = i; j < n; ++j) {
      for (std::size_t k = i; k < std::min({i + kBlock, j, n}); ++k) a[j][k] = a[k][j];
    }
  }
}

void mirror_lower(Matrix<double>& a) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) a[j][i] = a[i][j];
  }
}

double largest_eigenvalue(Rows<const double> a) {
  const std::size_t n = a.rows;
  constexpr std::size_t kMostSteps = 300, kBetweenChecks = 6;
  constexpr double kSettled = 1e-13;
  core::Random random(1);
  std::vector<std::vector<double>> basis;
  std::vector<double> diagonal, off, next(n);
  for (double& x : next) x = random.normal();
  double length = std::sqrt(dot(next.data(), next.data(), n));
  double value = 0;
  while (basis.size() < std::min(n, kMostSteps)) {
    for (double& x : next) x /= length;
    basis.push_back(next);
    const std::vector<double>& q = basis.back();
    for (std::size_t i = 0; i < n; ++i) next[i] = dot(a[i].data(), q.data(), n);
    diagonal.push_back(dot(next.data(), q.data(), n));
    // Orthogonalises against all earlier vectors, twice: otherwise rounding errors bring back
    // directions that were already found.
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& earlier : basis) {
        const double share = dot(next.data(), earlier.data(), n);
        for (std::size_t i = 0; i < n; ++i) next[i] -= share * earlier[i];
      }
    }
    length = std::sqrt(dot(next.data(), next.data(), n));
    const bool exhausted = !(length > kSettled * std::abs(diagonal[0]));
    if (exhausted || basis.size() % kBetweenChecks == 0 || basis.size() == n) {
      const double better = largest_of_tridiagonal(diagonal, off);
      if (exhausted || better - value <= kSettled * better) return better;
      value = better;
    }
    off.push_back(length);
  }
  return value;
}

std::size_t eigenvalues_above(Matrix<double>& a, double threshold) {
  // The number equals the number of positive eigenvalues of a - threshold, which is the number of
  // positive signs of its factors. A pivot near zero would make rounding errors dominate the rest;
  // then a slightly larger threshold is tried.
  constexpr double kStep = 1e-10, kSmallestPivot = 1e-6;
  std::vector<double> signs, diagonal;
  for (std::size_t i = 0; i < a.rows(); ++i) diagonal.push_back(a[i][i]);
  for (int attempt = 0;; ++attempt) {
    if (attempt > 0) mirror_lower(a);  // restores the triangle that the last attempt overwrote
    const double moved = threshold * (1 + kStep * attempt);
    for (std::size_t i = 0; i < a.rows(); ++i) a[i][i] = diagonal[i] - moved;
    if (cholesky_signed(a, attempt < 8 ? kSmallestPivot * threshold : 0.0, signs)) break;
    if (attempt == 9) return a.rows();
  }
  return static_cast<std::size_t>(std::count(signs.begin(), signs.end(), 1.0));
}

}  // namespace paco::math
