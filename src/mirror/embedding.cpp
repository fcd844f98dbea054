#include "mirror/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/factor.hpp"
#include "linalg/kernels.hpp"
#include "mirror/rule.hpp"
#include "sphere/standardise.hpp"

namespace paco {
namespace {

constexpr double kEpsilon = 1e-5;        // of the standard deviations
constexpr std::size_t kRowsAtOnce = 64;  // that are whitened in one go

// The square root's inverse of ((1 - alpha) W + alpha mu I) / mu, lower triangular.
Matrix<float> whitening_of(const Scatter& scatter, FitRoom& room) {
  const std::size_t d = room.within.rows();
  const double mu = scatter.trace / static_cast<double>(scatter.rank), a = scatter.shrinkage;
  // Without shrinkage a covariance that is not of full rank has no inverse: the smallest
  // eigenvalues are kept apart from zero.
  double least = 0;
  std::vector<double> signs;
  Matrix<double>&shrunk = room.weighted, &inverse = room.inverse;  // the weighted one has served
  if (inverse.rows() != d) inverse = Matrix<double>(d, d);
  for (;;) {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j) shrunk[i][j] = (1 - a) * room.within[i][j] / mu;
      shrunk[i][i] += a + least;
    }
    if (factor_signed(shrunk, 0, signs) &&
        std::all_of(signs.begin(), signs.end(), [](double sign) { return sign > 0; })) {
      inverse_transposed(shrunk, inverse);
      Matrix<float> out(d, d);
      to_float32(inverse.data(), out.data(), d * d);
      return out;
    }
    least = least == 0 ? 1e-12 * scatter.trace / mu : 100 * least;
  }
}

// To unit length in double, stored as float32; what has no length becomes zero.
void normalise(const float* from, std::span<float> to) {
  const double length = std::sqrt(dot(from, from, to.size()));
  const double inverse = length > 0 ? 1 / length : 0.0;
  for (std::size_t j = 0; j < to.size(); ++j)
    to[j] = on_grid(static_cast<double>(from[j]) * inverse);
}

Matrix<float> standardised(const MirrorEmbedding& embedding, Rows<const double> all,
                           std::span<const std::size_t> chosen) {
  Matrix<float> units(chosen.size(), all.columns);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const RowFault fault =
        standardise_row(all[chosen[i]], embedding.mean, embedding.deviation, units[i]);
    // A row of zeros may well have a direction here; one that equals the mean has none.
    if (fault == RowFault::no_direction || std::isnan(units[i][0]))
      std::fill(units[i].begin(), units[i].end(), 0.0f);
  }
  return units;
}

}  // namespace

MirrorEmbedding fit_embedding(const LabelledRows& rows, FitRoom& room,
                              const std::stop_token& stop) {
  MirrorEmbedding out;
  SupportStatistics statistics = support_statistics(rows.all, rows.chosen, kEpsilon);
  out.mean = std::move(statistics.mean);
  out.deviation = std::move(statistics.deviation);
  const Matrix<float> units = standardised(out, rows.all, rows.chosen);
  const Scatter scatter = scatter_of(units, rows.labels, rows.classes, room, stop);
  if (stop.stop_requested() || !(scatter.trace > 0)) return out;
  out.alpha = scatter.shrinkage;
  out.rank = scatter.rank;
  out.whitening = whitening_of(scatter, room);
  return out;
}

Embedder::Embedder(const MirrorEmbedding& embedding)
    : embedding_(embedding), packed_(embedding.whitening, true) {}

Matrix<float> Embedder::embed(Rows<const double> all, std::span<const std::size_t> chosen,
                              const std::stop_token& stop) const {
  Matrix<float> out = standardised(embedding_, all, chosen);
  for (std::size_t first = 0; first < out.rows() && !stop.stop_requested(); first += kRowsAtOnce)
    whiten(out.view().slice(first, std::min(kRowsAtOnce, out.rows() - first)));
  return out;
}

void Embedder::whiten(Rows<float> units) const {
  if (packed_.rows() == 0) {
    for (std::size_t i = 0; i < units.rows; ++i) {
      for (float& x : units[i]) x = on_grid(static_cast<double>(x));
    }
    return;
  }
  thread_local std::vector<float> products;
  products.resize(std::max(products.size(), kRowsAtOnce * units.columns));
  for (std::size_t first = 0; first < units.rows; first += kRowsAtOnce) {
    const Rows<float> part = units.slice(first, std::min(kRowsAtOnce, units.rows - first));
    multiply_packed(part, packed_, products.data(), units.columns, 0, Terms::fused);
    for (std::size_t i = 0; i < part.rows; ++i)
      normalise(products.data() + i * part.columns, part[i]);
  }
}

MirrorReferences references_of(Rows<const float> embedded, std::span<const std::uint32_t> labels,
                               std::size_t classes) {
  const std::size_t d = embedded.columns;
  Matrix<double> sums(classes, d);
  std::vector<double> squared(classes, 0.0), sizes(classes, 0.0);
  for (std::size_t i = 0; i < embedded.rows; ++i) {
    squared[labels[i]] = accumulate(sums[labels[i]].data(), embedded[i].data(), d);
    sizes[labels[i]] += 1;
  }
  MirrorReferences out;
  out.rows = Matrix<float>(classes, d);
  double cosines = 0, counted = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    const double length = std::sqrt(squared[k]);
    for (std::size_t j = 0; j < d && length > 0; ++j)
      out.rows[k][j] = static_cast<float>(sums[k][j] / length);
    if (sizes[k] < 2) continue;
    cosines += (squared[k] - sizes[k]) / (sizes[k] * (sizes[k] - 1));
    counted += 1;
  }
  constexpr double kLeast = 1e-4;
  out.rho = counted > 0 ? std::sqrt(std::max(cosines / counted, kLeast))
                        : std::numeric_limits<double>::quiet_NaN();
  return out;
}

}  // namespace paco
