#include "methods/mirror/held_out.hpp"

#include <algorithm>
#include <cassert>

#include "core/threads.hpp"
#include "math/exponentials.hpp"
#include "math/gemm_deterministic.hpp"
#include "math/kernels.hpp"
#include "math/logarithm.hpp"
#include "math/median.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kGrid = 70;
constexpr double kSteepest = 1000;

double beta(std::size_t i) {
  return math::exact_exp(math::exact_log(kSteepest) * static_cast<double>(i) /
                         static_cast<double>(kGrid - 1));
}

// Adds in numpy's order: recursive halves down to 128 terms, and those in 8 partial sums. If the
// classes are perfectly separated, the likelihood stops growing at the slope at which a sum first
// rounds to 1, so the result depends on the order of summation.
double pairwise_sum(const double* x, std::size_t n) {
  constexpr std::size_t kPartial = 8, kWhole = 128;
  if (n < kPartial) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i];
    return sum;
  }
  if (n <= kWhole) {
    double r[kPartial];
    std::copy_n(x, kPartial, r);
    std::size_t i = kPartial;
    for (; i + kPartial <= n; i += kPartial) {
      for (std::size_t k = 0; k < kPartial; ++k) r[k] += x[i + k];
    }
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += x[i];
    return sum;
  }
  const std::size_t half = n / 2 / kPartial * kPartial;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
}

// log of the sum of exp(slope (cosine - own)).
double log_sum(std::span<const float> cosines, float own, double slope,
               std::vector<double>& terms) {
  terms.resize(cosines.size());
  math::scaled_exponentials(cosines.data(), cosines.size(), own, slope, terms.data());
  return math::exact_log(pairwise_sum(terms.data(), terms.size()));
}

}  // namespace

HeldOut held_out_cosines(Rows<const float> embedded, std::span<const std::uint32_t> labels,
                         Rows<const float> references) {
  HeldOut out;
  out.cosines = math::Matrix<float>(embedded.rows, references.rows);
  math::multiply_packed(embedded, math::PackedRows(references), out.cosines.data(), references.rows,
                        0, math::Terms::fused);
  out.labels.assign(labels.begin(), labels.end());
  for (std::size_t i = 0; i < embedded.rows; ++i) {
    const auto cosine = [&](std::size_t k) {
      return math::dot(references[k].data(), embedded[i].data(), references.columns);
    };
    const auto cosines = out.cosines[i];
    std::size_t other = labels[i] == 0 ? 1 : 0;
    for (std::size_t k = other + 1; k < cosines.size(); ++k) {
      if (k != labels[i] && cosines[k] > cosines[other]) other = k;
    }
    out.own.push_back(cosine(labels[i]));
    out.other.push_back(cosine(other));
  }
  return out;
}

LongStreamFit fit_long_stream(std::span<const HeldOut> parts) {
  constexpr double kLowest = 0.1, kFloor = 0.25;
  std::vector<double> own, other;
  for (const HeldOut& part : parts) {
    own.insert(own.end(), part.own.begin(), part.own.end());
    other.insert(other.end(), part.other.begin(), part.other.end());
  }
  const double bar = math::quantile(own, kLowest);
  double excess = 0;
  std::size_t below = 0;
  for (const double cosine : own) {
    if (!(cosine < bar)) continue;
    excess += bar - cosine;
    ++below;
  }
  return {below > 0 ? excess / static_cast<double>(below) : 0.0,
          math::quantile(std::move(other), kFloor)};
}

HeldOutFit fit_held_out(std::span<const HeldOut> parts, core::ThreadPool& pool) {
  std::vector<double> losses(kGrid, 0.0), own;
  for (const HeldOut& part : parts) own.insert(own.end(), part.own.begin(), part.own.end());
  assert(!own.empty());
  pool.parallel_for(kGrid, 1, [&](std::size_t first, std::size_t last) {
    std::vector<double> terms;
    for (std::size_t b = first; b < last; ++b) {
      const double slope = beta(b);
      for (const HeldOut& part : parts) {
        for (std::size_t i = 0; i < part.own.size(); ++i) {
          const auto cosines = part.cosines[i];
          losses[b] += log_sum(cosines, cosines[part.labels[i]], slope, terms);
        }
      }
    }
  });
  const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  return {1 / beta(static_cast<std::size_t>(best)), math::median(std::move(own))};
}

}  // namespace paco::methods
