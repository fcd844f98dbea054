#include "methods/peers/losses.hpp"

#include <algorithm>
#include <cmath>

#include "math/exponentials.hpp"
#include "math/logarithm.hpp"

namespace paco::methods {

UnitRows unit_rows(Rows<const float> x) {
  UnitRows out{math::Matrix<float>(x.rows, x.columns), std::vector<double>(x.rows)};
  for (std::size_t i = 0; i < x.rows; ++i) {
    double squared = 0;
    for (const float value : x[i])
      squared += static_cast<double>(value) * static_cast<double>(value);
    out.lengths[i] = std::sqrt(squared) + 1e-12;  // a row of zeros remains a row of zeros
    for (std::size_t j = 0; j < x.columns; ++j)
      out.units[i][j] = static_cast<float>(static_cast<double>(x[i][j]) / out.lengths[i]);
  }
  return out;
}

math::Matrix<float> through_unit_rows(const UnitRows& made, math::Matrix<float> gradient) {
  for (std::size_t i = 0; i < gradient.rows(); ++i) {
    double along = 0;
    for (std::size_t j = 0; j < gradient.columns(); ++j)
      along += static_cast<double>(gradient[i][j]) * static_cast<double>(made.units[i][j]);
    for (std::size_t j = 0; j < gradient.columns(); ++j) {
      gradient[i][j] = static_cast<float>(
          (static_cast<double>(gradient[i][j]) - along * static_cast<double>(made.units[i][j])) /
          made.lengths[i]);
    }
  }
  return gradient;
}

double supervised_contrastive(Rows<const float> units, std::span<const std::int64_t> labels,
                              double temperature, core::ThreadPool& pool,
                              math::Matrix<float>& gradient) {
  const std::size_t n = units.rows;
  const math::Matrix<float> products = multiply_rows(units, units, pool);
  std::vector<std::int64_t> others(n, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) others[i] += labels[i] == labels[j];
  const auto anchors = static_cast<double>(
      n - static_cast<std::size_t>(std::count(others.begin(), others.end(), 0)));
  math::Matrix<float> slopes(n, n);  // of the loss by each product
  std::vector<double> losses(n);
  pool.parallel_for(n, 16, [&](std::size_t begin, std::size_t end) {
    std::vector<double> powers(n);
    for (std::size_t i = begin; i < end; ++i) {
      if (others[i] == 0) continue;
      // Products of unit vectors are at most about 1, so that nothing overflows.
      math::scaled_exponentials(products[i].data(), n, 1, 1 / temperature, powers.data());
      double total = 0, positives = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        total += powers[j];
        if (labels[j] == labels[i]) positives += static_cast<double>(products[i][j]);
      }
      const auto same = static_cast<double>(others[i]);
      losses[i] = math::exact_log(total) + (1 - positives / same) / temperature;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        const double pull = labels[j] == labels[i] ? 1 / same : 0;
        slopes[i][j] = static_cast<float>((powers[j] / total - pull) / (temperature * anchors));
      }
    }
  });
  // Each product has two factors.
  math::Matrix<float> both = transposed(slopes);
  for (std::size_t i = 0; i < n * n; ++i) both.data()[i] += slopes.data()[i];
  gradient = multiply(both, units, pool);
  double loss = 0;
  for (const double own : losses) loss += own;
  return anchors > 0 ? loss / anchors : 0;
}

double cross_entropy(Rows<const float> logits, std::span<const std::int64_t> labels,
                     math::Matrix<float>& gradient) {
  const std::size_t n = logits.rows, k = logits.columns;
  gradient = math::Matrix<float>(n, k);
  std::vector<double> powers(k);
  double loss = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float top = *std::max_element(logits[i].begin(), logits[i].end());
    math::scaled_exponentials(logits[i].data(), k, top, 1, powers.data());
    double total = 0;
    for (const double power : powers) total += power;
    const auto label = static_cast<std::size_t>(labels[i]);
    loss +=
        math::exact_log(total) + static_cast<double>(top) - static_cast<double>(logits[i][label]);
    for (std::size_t c = 0; c < k; ++c)
      gradient[i][c] =
          static_cast<float>((powers[c] / total - (c == label ? 1 : 0)) / static_cast<double>(n));
  }
  return loss / static_cast<double>(n);
}

double separation(Rows<const float> centres, double apart, math::Matrix<float>& gradient) {
  constexpr float kSteep = 3;
  const std::size_t k = centres.rows, bits = centres.columns;
  math::Matrix<float> c(k, bits);
  for (std::size_t i = 0; i < k * bits; ++i) c.data()[i] = kSteep * centres.data[i];
  hyperbolic_tangent({c.data(), k * bits}, {c.data(), k * bits});
  gradient = math::Matrix<float>(k, bits);
  double loss = 0;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      double product = 0;
      for (std::size_t j = 0; j < bits; ++j)
        product += static_cast<double>(c[a][j]) * static_cast<double>(c[b][j]);
      const double short_by = apart - 0.5 * (0.95 * static_cast<double>(bits) - product);
      if (short_by <= 0) continue;
      loss += 2 * short_by;  // counted once for each of the two classes
      for (std::size_t j = 0; j < bits; ++j) {
        gradient[a][j] += c[b][j];
        gradient[b][j] += c[a][j];
      }
    }
  }
  const auto classes = static_cast<float>(k);
  for (std::size_t i = 0; i < k * bits; ++i)
    gradient.data()[i] *= kSteep * (1 - c.data()[i] * c.data()[i]) / classes;
  return loss / static_cast<double>(k);
}

double quantisation(Rows<const float> x, float steepness, math::Matrix<float>& gradient) {
  const std::size_t count = x.rows * x.columns;
  gradient = math::Matrix<float>(x.rows, x.columns);
  std::vector<float> h(count);
  for (std::size_t i = 0; i < count; ++i) h[i] = steepness * x.data[i];
  hyperbolic_tangent(h, h);
  double loss = 0;
  for (std::size_t i = 0; i < count; ++i) {
    loss += 1 - std::abs(static_cast<double>(h[i]));
    const float sign = h[i] > 0 ? 1.0f : h[i] < 0 ? -1.0f : 0.0f;
    gradient.data()[i] = -sign * steepness * (1 - h[i] * h[i]) / static_cast<float>(count);
  }
  return count > 0 ? loss / static_cast<double>(count) : 0;
}

}  // namespace paco::methods
