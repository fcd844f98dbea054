#include "methods/common/von_mises_fisher.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/logarithm.hpp"

namespace paco::methods {
namespace {

// (n - 1) / (n + 1): the factor that shrinks a statistic of n samples.
double shrinkage(std::int64_t size) {
  return static_cast<double>(size - 1) / static_cast<double>(size + 1);
}

}  // namespace

double log_uniform_density(std::size_t dimension) {
  const double half = static_cast<double>(dimension) / 2;
  return math::exact_lgamma(half) - math::exact_log(2.0) - half * math::exact_log(std::numbers::pi);
}

double concentration(double resultant, std::int64_t size, std::size_t dimension) {
  if (size <= 1) return 0;
  constexpr double kLargestSquare = 1 - 1e-6;
  const double length = resultant / static_cast<double>(size);
  const double square = std::min(length * length, kLargestSquare);
  const double r = std::sqrt(square);
  return r * (static_cast<double>(dimension) - square) / (1 - square) * shrinkage(size);
}

double attach_score(double cosine, std::int64_t size, double kappa, double log_p0) {
  return math::exact_log(static_cast<double>(size)) + kappa * cosine - log_p0;
}

double birth_level(double resultant, std::int64_t size, double temperature, double log_p0) {
  return shrinkage(size) * (resultant / static_cast<double>(size)) / temperature - log_p0;
}

}  // namespace paco::methods
