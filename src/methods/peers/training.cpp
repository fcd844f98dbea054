#include "methods/peers/training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kBatch = 128;
constexpr std::size_t kBottleneck = 256;

// Points on the sphere have coordinates of size 1 / sqrt(d); for other embeddings the size is
// measured.
double scale_of(const math::Matrix<float>& rows, Seen seen) {
  const auto d = static_cast<double>(rows.columns());
  if (seen != Seen::raw) return std::sqrt(d);
  double squared = 0;
  for (std::size_t i = 0; i < rows.rows() * rows.columns(); ++i)
    squared += static_cast<double>(rows.data()[i]) * static_cast<double>(rows.data()[i]);
  return std::sqrt(d * static_cast<double>(rows.rows()) / squared);
}

}  // namespace

HeadTrainingSet::HeadTrainingSet(math::Matrix<float> rows, std::vector<std::int64_t> row_labels,
                                 std::size_t class_count, Seen seen)
    : units(std::move(rows)),
      labels(std::move(row_labels)),
      classes(class_count),
      scale(scale_of(units, seen)),
      means(classes, units.columns()),
      deviations(units.rows(), units.columns()) {
  const std::size_t d = units.columns();
  math::Matrix<double> sums(classes, d);
  std::vector<double> sizes(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto k = static_cast<std::size_t>(labels[i]);
    sizes[k] += 1;
    for (std::size_t j = 0; j < d; ++j) sums[k][j] += static_cast<double>(units[i][j]);
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t j = 0; j < d && sizes[k] > 0; ++j)
      means[k][j] = static_cast<float>(sums[k][j] / sizes[k]);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto k = static_cast<std::size_t>(labels[i]);
    // The mean of n samples is closer to each of them than the true mean of the class is.
    const double longer = sizes[k] > 1 ? std::sqrt(sizes[k] / (sizes[k] - 1)) : 0;
    for (std::size_t j = 0; j < d; ++j) {
      deviations[i][j] = static_cast<float>(
          longer * (static_cast<double>(units[i][j]) - static_cast<double>(means[k][j])));
    }
  }
}

HeadTrainingSet HeadTrainingSet::from(const SupportView& support, Seen seen) {
  return {support_as_seen(support, seen),
          {support.labels().begin(), support.labels().end()},
          support.model().known_classes(),
          seen};
}

math::Matrix<float> inputs_of(const HeadTrainingSet& set, std::span<const std::size_t> rows) {
  const std::size_t d = set.units.columns();
  const auto scale = static_cast<float>(set.scale);
  math::Matrix<float> out(rows.size(), d);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < d; ++j) out[i][j] = scale * set.units[rows[i]][j];
  return out;
}

math::Matrix<float> views_of(const HeadTrainingSet& set, std::span<const std::size_t> rows,
                             int views, double borrowed, core::Random& random) {
  const std::size_t d = set.units.columns();
  const double scale = set.scale;
  math::Matrix<float> out(rows.size() * static_cast<std::size_t>(views), d);
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const std::size_t row = rows[i % rows.size()];
    const float* mean = set.means[static_cast<std::size_t>(set.labels[row])].data();
    const float* own = set.deviations[row].data();
    const float* other = set.deviations[random.below(set.units.rows())].data();
    const double share = borrowed * random.uniform();
    const auto whole = static_cast<float>(scale);
    const auto kept = static_cast<float>(scale * std::sqrt(1 - share));
    const auto lent = static_cast<float>(scale * std::sqrt(share));
    for (std::size_t j = 0; j < d; ++j)
      out[i][j] = whole * mean[j] + kept * own[j] + lent * other[j];
  }
  return out;
}

std::vector<std::int64_t> labels_of(const HeadTrainingSet& set, std::span<const std::size_t> rows,
                                    int views) {
  std::vector<std::int64_t> out;
  for (int v = 0; v < views; ++v)
    for (const std::size_t row : rows) out.push_back(set.labels[row]);
  return out;
}

std::size_t add_trunk(Stack& stack, std::size_t inputs, std::size_t width, core::Random& random) {
  const std::size_t narrow = std::min(width, kBottleneck);
  stack.linear(inputs, width, true, random).gelu();
  stack.linear(width, width, true, random).gelu();
  stack.linear(width, narrow, false, random).normalise().gelu();
  return narrow;
}

math::Matrix<float> gathered(const math::Matrix<float>& from, std::span<const std::size_t> rows) {
  math::Matrix<float> out(rows.size(), from.columns());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(from[rows[i]].data(), from.columns(), out[i].data());
  return out;
}

math::Matrix<float> scattered(const math::Matrix<float>& rows, std::span<const std::size_t> places,
                              std::size_t height) {
  math::Matrix<float> out(height, rows.columns());
  for (std::size_t i = 0; i < places.size(); ++i)
    std::copy_n(rows[i].data(), rows.columns(), out[places[i]].data());
  return out;
}

std::vector<std::size_t> labelled(std::span<const std::int64_t> labels, std::size_t known) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < static_cast<std::int64_t>(known)) rows.push_back(i);
  }
  return rows;
}

Result<void> train(SupportView& support, const HeadTrainingSet& set, const TrainingOptions& options,
                   Adam& adam, const TrainingStep& step) {
  constexpr std::size_t kReported = 16;  // steps between two reports
  const bool with_virtual = set.classes > support.model().known_classes();
  const std::size_t n = set.units.rows(), size = std::min(with_virtual ? 2 * kBatch : kBatch, n);
  const auto total = static_cast<std::size_t>(options.steps);
  std::vector<std::size_t> order;
  std::size_t at = 0, passes = 0;
  core::Random random(options.seed, 1);
  for (std::size_t done = 0; done < total; ++done, at += size) {
    if (support.stop().stop_requested())
      return Error{ErrorCode::interrupted, "calibration was interrupted", ""};
    // A pass leaves out its last batch if that is smaller.
    if (at + size > order.size()) {
      random = core::Random(options.seed, ++passes);
      order = random.permutation(n);
      at = 0;
    }
    step(std::span(order).subspan(at, size), random);
    adam.step(options.rate * (1 - static_cast<double>(done) / static_cast<double>(total)));
    if (support.progress() && (done + 1) % kReported == 0) support.progress()(done + 1, total);
  }
  return {};
}

Views views_through(const Head& head, const HeadTrainingSet& set, core::ThreadPool& pool) {
  constexpr int kViews = 4;
  std::vector<std::size_t> rows(set.labels.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  core::Random random(0, 1u << 28);
  math::Matrix<float> views = views_of(set, rows, kViews, 1, random);
  // Converts from the scale of a training to that of units.
  const auto scale = static_cast<float>(1 / set.scale);
  for (std::size_t i = 0; i < views.rows() * views.columns(); ++i) views.data()[i] *= scale;
  return {unit_rows(head.apply(views, pool)).units, labels_of(set, rows, kViews)};
}

std::vector<AffineLayer> frozen_layers(const HeadTrainingSet& set, std::span<Stack* const> stacks) {
  const auto scale = static_cast<float>(set.scale);
  math::Matrix<float> x = set.units;
  for (std::size_t i = 0; i < x.rows() * x.columns(); ++i) x.data()[i] *= scale;
  std::vector<AffineLayer> layers;
  for (Stack* stack : stacks) stack->freeze(x, layers);
  math::Matrix<float>& first = layers.front().weight;
  for (std::size_t i = 0; i < first.rows() * first.columns(); ++i) first.data()[i] *= scale;
  return layers;
}

}  // namespace paco::methods
