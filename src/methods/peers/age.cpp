#include "methods/peers/age.hpp"

#include "math/kernels.hpp"
#include "math/logarithm.hpp"

namespace paco::methods {

Confidence confidence(std::span<const float> cosines, std::span<const std::uint8_t> takes_part) {
  Confidence out;
  bool any = false;
  for (std::size_t k = 0; k < cosines.size(); ++k) {
    if (takes_part[k] == 0 || (any && cosines[k] <= cosines[out.best])) continue;
    out.best = k;
    any = true;
  }
  double total = 0;
  for (std::size_t k = 0; k < cosines.size(); ++k) {
    if (takes_part[k] == 0) continue;
    const double below = static_cast<double>(cosines[k]) - static_cast<double>(cosines[out.best]);
    total += math::exact_exp(kAgeScale * below);
  }
  out.value = 1 / total;
  return out;
}

math::Matrix<double> AgeSpace::project(Rows<const float> units) const {
  const std::size_t p = basis.rows(), d = basis.columns();
  math::Matrix<double> out(units.rows, p);
  for (std::size_t c = 0; c < p; ++c) {
    const double offset = math::dot(mean.data(), basis[c].data(), d);
    for (std::size_t i = 0; i < units.rows; ++i)
      out[i][c] = math::dot(basis[c].data(), units[i].data(), d) - offset;
  }
  return out;
}

math::Matrix<double> blended_covariance(Rows<const double> rows, const math::Matrix<double>& all) {
  if (rows.rows < 2) return all;
  const double share = 2 / (static_cast<double>(rows.rows) + 2);
  math::Matrix<double> out = shrunk_covariance(rows);
  for (std::size_t i = 0; i < out.rows() * out.columns(); ++i)
    out.data()[i] = (1 - share) * out.data()[i] + share * all.data()[i];
  return out;
}

}  // namespace paco::methods
