// Normal distributions in few dimensions, estimated from few samples, which AGE uses as scores. In
// double, in a fixed order and without the C library's logarithm, so that scores have the same bits
// on every machine.
#pragma once

#include <span>
#include <vector>

#include "math/matrix.hpp"

namespace paco::methods {

// Covariance of rows around their mean, shrunk towards a multiple of the identity by the optimal
// share of Ledoit and Wolf. Not defined for a single row.
math::Matrix<double> shrunk_covariance(Rows<const double> rows);
// Plain covariance about the mean.
math::Matrix<double> covariance(Rows<const double> rows);
std::vector<double> mean_of(Rows<const double> rows);

class Gaussian {
 public:
  Gaussian() = default;
  // The covariance must be positive definite; `floor` is added to its diagonal.
  Gaussian(std::vector<double> mean, const math::Matrix<double>& covariance, double floor);

  double log_density(std::span<const double> x) const;
  // The same shape with another mean.
  Gaussian moved_to(std::span<const double> mean) const;

 private:
  std::vector<double> mean_;
  math::Matrix<double> inverse_;  // of the lower triangular factor
  double peak_ = 0;               // log of the density at the mean
};

// The directions (count, d) of largest variance of the rows, as an orthonormal basis of their span.
// The choice of the basis is arbitrary but fixed.
math::Matrix<float> principal_directions(Rows<const float> rows, std::span<const double> mean,
                                         std::size_t count);

}  // namespace paco::methods
