#include "methods/mirror/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/cholesky.hpp"
#include "math/kernels.hpp"
#include "math/unit_grid.hpp"
#include "methods/common/standardise.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {
namespace {

constexpr double kEpsilon = 1e-5;        // of the standard deviations
constexpr std::size_t kRowsAtOnce = 64;  // that are whitened in one go

// The inverse of the square root of ((1 - alpha) W + alpha mu I) / mu, lower triangular.
math::Matrix<float> whitening_of(const Scatter& scatter, FitRoom& room) {
  const std::size_t d = room.within.rows();
  const double mu = scatter.trace / static_cast<double>(scatter.rank), a = scatter.shrinkage;
  // Without shrinkage, a covariance without full rank has no inverse. So a small number is added to
  // its diagonal until it has one.
  double least = 0;
  std::vector<double> signs;
  math::Matrix<double>&shrunk = room.weighted,
  &inverse = room.inverse;  // the weighted matrix is not needed any more
  if (inverse.rows() != d) inverse = math::Matrix<double>(d, d);
  for (;;) {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j) shrunk[i][j] = (1 - a) * room.within[i][j] / mu;
      shrunk[i][i] += a + least;
    }
    if (math::cholesky_signed(shrunk, 0, signs) &&
        std::all_of(signs.begin(), signs.end(), [](double sign) { return sign > 0; })) {
      math::inverse_transposed(shrunk, inverse);
      math::Matrix<float> out(d, d);
      math::to_float32(inverse.data(), out.data(), d * d);
      return out;
    }
    least = least == 0 ? 1e-12 * scatter.trace / mu : 100 * least;
  }
}

// A row that equals the mean has no direction and becomes the zero vector. A row of zeros can have
// a direction here.
void standardise_or_zero(const MirrorEmbedding& embedding, std::span<const double> raw,
                         std::span<float> unit) {
  const RowFault fault = standardise_row(raw, embedding.mean, embedding.deviation, unit);
  if (fault == RowFault::no_direction || std::isnan(unit[0]))
    std::fill(unit.begin(), unit.end(), 0.0f);
}

math::Matrix<float> standardised(const MirrorEmbedding& embedding, Rows<const double> all,
                                 std::span<const std::size_t> chosen) {
  math::Matrix<float> units(chosen.size(), all.columns);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    standardise_or_zero(embedding, all[chosen[i]], units[i]);
  return units;
}

// Embeds up to kRowsAtOnce raw rows as v. `standardise` puts the row with a given index on the unit
// sphere and returns false if that is impossible. `whiten` multiplies all of them. A group of rows
// passes all steps before the next group starts, so that it stays in cache.
template <class Standardise, class Whiten>
bool embed_rows(Rows<float> v, Standardise standardise, bool whitened, Whiten whiten) {
  const std::size_t d = v.columns, apart = math::SpreadRows::apart(d);
  thread_local std::vector<float> units, products;
  units.resize(std::max(units.size(), kRowsAtOnce * apart));
  for (std::size_t i = 0; i < v.rows; ++i) {
    if (!standardise(i, std::span<float>(units.data() + i * apart, d))) return false;
  }
  if (!whitened) {
    for (std::size_t i = 0; i < v.rows; ++i)
      math::put_on_grid(units.data() + i * apart, kGridShift, v[i].data(), d);
    return true;
  }
  products.resize(std::max(products.size(), kRowsAtOnce * d));
  whiten(math::SpreadRows{units.data(), v.rows, d}, products.data());
  for (std::size_t i = 0; i < v.rows; ++i)
    math::normalise_on_grid(products.data() + i * d, kGridShift, v[i].data(), d);
  return true;
}

}  // namespace

MirrorEmbedding fit_embedding(const LabelledRows& rows, FitRoom& room,
                              const std::stop_token& stop) {
  MirrorEmbedding out;
  SupportStatistics statistics = support_statistics(rows.all, rows.chosen, kEpsilon);
  out.mean = std::move(statistics.mean);
  out.deviation = std::move(statistics.deviation);
  const math::Matrix<float> units = standardised(out, rows.all, rows.chosen);
  const Scatter scatter = scatter_of(units, rows.labels, rows.classes, room, stop);
  if (stop.stop_requested() || !(scatter.trace > 0)) return out;
  out.alpha = scatter.shrinkage;
  out.rank = scatter.rank;
  out.whitening = whitening_of(scatter, room);
  return out;
}

SupportEmbedder::SupportEmbedder(const MirrorEmbedding& embedding)
    : embedding_(embedding), whitening_(embedding.whitening, true) {}

math::Matrix<float> SupportEmbedder::embed(Rows<const double> all,
                                           std::span<const std::size_t> chosen,
                                           const std::stop_token& stop) const {
  math::Matrix<float> out(chosen.size(), all.columns);
  for (std::size_t first = 0; first < out.rows() && !stop.stop_requested(); first += kRowsAtOnce) {
    embed_rows(
        out.view().slice(first, std::min(kRowsAtOnce, out.rows() - first)),
        [&](std::size_t i, std::span<float> unit) {
          standardise_or_zero(embedding_, all[chosen[first + i]], unit);
          return true;
        },
        whitening_.rows() > 0,
        [&](const math::SpreadRows& units, float* products) {
          math::multiply_packed(units, whitening_, products, units.columns, 0, math::Terms::fused);
        });
  }
  return out;
}

StreamEmbedder::StreamEmbedder(const MirrorEmbedding& embedding) : embedding_(embedding) {
  if (embedding.whitening.rows() >= kWhitenedInShorts) {
    in_shorts_ = math::ShortTriangle(embedding.whitening);
  } else {
    whitening_.take_rows(embedding.whitening, true);
  }
}

bool StreamEmbedder::embed(Rows<const double> raw, Rows<float> v) const {
  for (std::size_t first = 0; first < v.rows; first += kRowsAtOnce) {
    const bool all = embed_rows(
        v.slice(first, std::min(kRowsAtOnce, v.rows - first)),
        [&](std::size_t i, std::span<float> unit) {
          return standardise_row(raw[first + i], embedding_.mean, embedding_.deviation, unit) ==
                 RowFault::none;
        },
        whitening_.rows() + in_shorts_.size() > 0,
        [&](const math::SpreadRows& units, float* products) {
          if (in_shorts_.size() == 0)
            return math::multiply_packed(units, whitening_, products, units.columns, 0,
                                         math::Terms::fused);
          in_shorts_.multiply(units.data, units.rows, math::SpreadRows::apart(units.columns),
                              products, units.columns);
        });
    if (!all) return false;
  }
  return true;
}

MirrorReferences references_of(Rows<const float> embedded, std::span<const std::uint32_t> labels,
                               std::size_t classes) {
  const std::size_t d = embedded.columns;
  math::Matrix<double> sums(classes, d);
  std::vector<double> squared(classes, 0.0), sizes(classes, 0.0);
  for (std::size_t i = 0; i < embedded.rows; ++i) {
    squared[labels[i]] = math::accumulate(sums[labels[i]].data(), embedded[i].data(), d);
    sizes[labels[i]] += 1;
  }
  MirrorReferences out;
  out.rows = math::Matrix<float>(classes, d);
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

}  // namespace paco::methods
