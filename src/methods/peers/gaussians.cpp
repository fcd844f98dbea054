#include "methods/peers/gaussians.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "math/gemm_deterministic.hpp"
#include "math/kernels.hpp"
#include "math/logarithm.hpp"

namespace paco::methods {

std::vector<double> mean_of(Rows<const double> rows) {
  std::vector<double> mean(rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) mean[j] += rows[i][j];
  for (double& x : mean) x /= static_cast<double>(rows.rows);
  return mean;
}

namespace {

math::Matrix<double> centred(Rows<const double> rows) {
  const std::vector<double> mean = mean_of(rows);
  math::Matrix<double> out(rows.rows, rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) out[i][j] = rows[i][j] - mean[j];
  return out;
}

math::Matrix<double> second_moment(const math::Matrix<double>& x) {
  const std::size_t p = x.columns();
  math::Matrix<double> s(p, p);
  const math::Factor factor{x.data(), p, true};
  math::add_products(factor, p, factor, p, x.rows(), s.data(), p);
  for (std::size_t i = 0; i < p * p; ++i) s.data()[i] /= static_cast<double>(x.rows());
  return s;
}

double squares(const math::Matrix<double>& a) {
  return math::dot(a.data(), a.data(), a.rows() * a.columns());
}

}  // namespace

math::Matrix<double> covariance(Rows<const double> rows) { return second_moment(centred(rows)); }

math::Matrix<double> shrunk_covariance(Rows<const double> rows) {
  const std::size_t p = rows.columns;
  const math::Matrix<double> x = centred(rows);
  math::Matrix<double> s = second_moment(x);
  const auto n = static_cast<double>(rows.rows), dims = static_cast<double>(p);
  double trace = 0, fourth = 0;
  for (std::size_t j = 0; j < p; ++j) trace += s[j][j];
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double squared = math::dot(x[i].data(), x[i].data(), p);
    fourth += squared * squared;
  }
  const double scale = trace / dims, all = squares(s);
  const double off = (all - dims * scale * scale) / dims;  // from the identity
  const double noise = (fourth / n - all) / (n * dims);    // of the estimate
  const double share = off > 0 ? std::clamp(noise / off, 0.0, 1.0) : 1.0;
  for (std::size_t i = 0; i < p * p; ++i) s.data()[i] *= 1 - share;
  for (std::size_t j = 0; j < p; ++j) s[j][j] += share * scale;
  return s;
}

Gaussian::Gaussian(std::vector<double> mean, const math::Matrix<double>& covariance, double floor)
    : mean_(std::move(mean)), inverse_(mean_.size(), mean_.size()) {
  const std::size_t p = mean_.size();
  math::Matrix<double> lower(p, p);
  double logs = 0;
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = covariance[i][j] + (i == j ? floor : 0);
      rest -= math::dot(lower[i].data(), lower[j].data(), j);
      // Rounding can make the rest of a direction without variance too small, so it is at least the
      // floor.
      lower[i][j] = i == j ? std::sqrt(std::max(rest, floor)) : rest / lower[j][j];
    }
    logs += math::exact_log(lower[i][i]);
  }
  for (std::size_t j = 0; j < p; ++j) {
    inverse_[j][j] = 1 / lower[j][j];
    for (std::size_t i = j + 1; i < p; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum += lower[i][k] * inverse_[k][j];
      inverse_[i][j] = -sum / lower[i][i];
    }
  }
  constexpr double kLogTwoPi = 1.8378770664093453;
  peak_ = -logs - 0.5 * static_cast<double>(p) * kLogTwoPi;
}

double Gaussian::log_density(std::span<const double> x) const {
  const std::size_t p = mean_.size();
  thread_local std::vector<double> off;
  off.resize(p);
  for (std::size_t j = 0; j < p; ++j) off[j] = x[j] - mean_[j];
  double squared = 0;
  for (std::size_t i = 0; i < p; ++i) {
    const double along = math::dot(inverse_[i].data(), off.data(), i + 1);
    squared += along * along;
  }
  return peak_ - 0.5 * squared;
}

Gaussian Gaussian::moved_to(std::span<const double> mean) const {
  Gaussian out = *this;
  out.mean_.assign(mean.begin(), mean.end());
  return out;
}

// Orthogonal iteration on the second moment around the mean. The moment matrix is not computed if
// there are fewer rows than columns.
math::Matrix<float> principal_directions(Rows<const float> rows, std::span<const double> mean,
                                         std::size_t count) {
  constexpr int kIterations = 60;
  const std::size_t n = rows.rows, d = rows.columns;
  math::Matrix<double> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x[i][j] = static_cast<double>(rows[i][j]) - mean[j];
  const math::Matrix<double> moment = n < d ? math::Matrix<double>() : second_moment(x);
  core::Random random(0, 7);
  math::Matrix<double> basis(count, d);
  for (std::size_t i = 0; i < count * d; ++i) basis.data()[i] = random.normal();
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    if (iteration > 0) {
      math::Matrix<double> next(count, d);
      if (n < d) {
        math::Matrix<double> along(count, n);
        math::add_products({basis.data(), d, false}, count, {x.data(), d, false}, n, d,
                           along.data(), n);
        math::add_products({along.data(), n, false}, count, {x.data(), d, true}, d, n, next.data(),
                           d);
      } else {
        math::add_products({basis.data(), d, false}, count, {moment.data(), d, false}, d, d,
                           next.data(), d);
      }
      basis = std::move(next);
    }
    for (std::size_t i = 0; i < count; ++i) {
      // Done twice, because the first subtraction leaves rounding errors.
      for (int again = 0; again < 2; ++again) {
        for (std::size_t k = 0; k < i; ++k) {
          const double along = math::dot(basis[i].data(), basis[k].data(), d);
          for (std::size_t j = 0; j < d; ++j) basis[i][j] -= along * basis[k][j];
        }
      }
      const double length = std::sqrt(math::dot(basis[i].data(), basis[i].data(), d));
      for (double& v : basis[i]) v = length > 0 ? v / length : 0;
    }
  }
  math::Matrix<float> out(count, d);
  for (std::size_t i = 0; i < count * d; ++i) out.data()[i] = static_cast<float>(basis.data()[i]);
  return out;
}

}  // namespace paco::methods
