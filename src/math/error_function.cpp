#include "math/error_function.hpp"

#include <cmath>

#include "math/logarithm.hpp"

namespace paco::math {

// 2 / sqrt(pi) exp(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...): all terms have one sign, so nothing
// cancels.
double exact_erf(double x) {
  constexpr double kTwoOverRootPi = 1.1283791670955126, kBeyond = 6, kSmallest = 1e-17;
  const double size = std::abs(x);
  if (!(size < kBeyond)) return std::isnan(x) ? x : x > 0 ? 1 : -1;
  double term = size, sum = size;
  for (double odd = 3; term > kSmallest * sum; odd += 2) {
    term *= 2 * size * size / odd;
    sum += term;
  }
  const double value = kTwoOverRootPi * exact_exp(-size * size) * sum;
  return x < 0 ? -value : value;
}

}  // namespace paco::math
