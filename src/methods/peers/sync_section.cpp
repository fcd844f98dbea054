// Calibration of SynC: the mean direction of each known class, the distances of its samples from
// it, and the spread of every coordinate, which refitting uses. Without class names all of this is
// computed from the embeddings; with them, from the output of a head in the space of the names.
#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/references.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

// The highest threshold: after rounding to float32, the cosine of a vector with itself may not
// exceed it.
constexpr double kMostThreshold = 1 - 1e-6;

// mean - deviations * std of the cosines of each class with its centre. A class with one sample has
// no spread and gets the mean threshold of the other classes.
std::vector<double> class_thresholds(const math::Matrix<float>& points,
                                     std::span<const std::int64_t> labels,
                                     const math::Matrix<float>& centres, double deviations) {
  const std::size_t classes = centres.rows(), d = centres.columns();
  std::vector<std::vector<double>> cosines(classes);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto k = static_cast<std::size_t>(labels[i]);
    cosines[k].push_back(math::dot(centres[k].data(), points[i].data(), d));
  }
  std::vector<double> thresholds(classes), of_several;
  for (std::size_t k = 0; k < classes; ++k) {
    const auto n = static_cast<double>(cosines[k].size());
    if (n < 2) continue;
    double mean = 0, squared = 0;
    for (const double c : cosines[k]) mean += c / n;
    for (const double c : cosines[k]) squared += (c - mean) * (c - mean) / n;
    thresholds[k] = std::min(mean - deviations * std::sqrt(squared), kMostThreshold);
    of_several.push_back(thresholds[k]);
  }
  // Added up by size, so that the numbers of the classes do not matter.
  std::sort(of_several.begin(), of_several.end());
  double total = 0;
  for (const double threshold : of_several) total += threshold;
  for (std::size_t k = 0; k < classes; ++k) {
    if (cosines[k].size() < 2) thresholds[k] = total / static_cast<double>(of_several.size());
  }
  return thresholds;
}

// Standard deviation of each coordinate within each class, (classes, d).
math::Matrix<float> class_spreads(const math::Matrix<float>& units,
                                  std::span<const std::int64_t> labels, std::size_t classes) {
  const std::size_t d = units.columns();
  math::Matrix<double> mean(classes, d), squared(classes, d);
  std::vector<double> n(classes);
  for (std::size_t i = 0; i < units.rows(); ++i) {
    const auto k = static_cast<std::size_t>(labels[i]);
    ++n[k];
    for (std::size_t j = 0; j < d; ++j) mean[k][j] += static_cast<double>(units[i][j]);
  }
  for (std::size_t k = 0; k < classes; ++k)
    for (double& x : mean[k]) x /= n[k];
  for (std::size_t i = 0; i < units.rows(); ++i) {
    const auto k = static_cast<std::size_t>(labels[i]);
    for (std::size_t j = 0; j < d; ++j) {
      const double off = static_cast<double>(units[i][j]) - mean[k][j];
      squared[k][j] += off * off;
    }
  }
  math::Matrix<float> out(classes, d);
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t j = 0; j < d; ++j)
      out[k][j] = static_cast<float>(std::sqrt(squared[k][j] / n[k]));
  return out;
}

}  // namespace

const OptionTable<SyncOptions>& sync_table() {
  using O = SyncOptions;
  constexpr auto kLater = OptionTable<O>::kLater;
  static const OptionTable<O> table(
      "ncm-threshold",
      {{"names", &O::names,
        "file with a vector for the name of each known class, in their order; none: without"},
       {"name_steps", &O::name_steps, 1, 1e7,
        "of the training towards the names, 128 samples each"},
       {"deviations", &O::deviations, 0, 100,
        "by which a class's threshold is below the mean cosine of its samples"},
       {"refit", &O::refit, "on: every ten births all prototypes are trained anew on drawn samples",
        kLater},
       {"samples", &O::samples, 1, 4096, "drawn for each prototype by a refit", kLater},
       {"embeddings", &O::embeddings, kSeenChoices, kSeenMeaning},
       {"seed", &O::seed, 0, 4294967295, "of what a refit draws", kLater}});
  return table;
}

const std::vector<MethodOption>& sync_options() { return sync_table().options(); }

Result<Section> calibrate_sync(SupportView& support, const Settings& settings) {
  const Model& model = support.model();
  PACO_ASSIGN(const SyncOptions options, sync_table().read(settings));
  Section section;
  section.settings = settings;
  const Seen seen = options.embeddings == Seen::raw ? Seen::direction : Seen::standardised;
  put_seen(section, seen);
  math::Matrix<float> points = support_as_seen(support, seen);
  Views views{points, {support.labels().begin(), support.labels().end()}};
  if (options.names != kNoNames) {
    PACO_ASSIGN(const math::Matrix<float> names, read_name_vectors(options.names, model));
    // As the heads of the other peers are trained by default, except for the number of steps.
    TrainingOptions training;
    training.steps = options.name_steps;
    const HeadTrainingSet set = HeadTrainingSet::from(support, seen);
    PACO_ASSIGN(const Head head, train_named_head(support, set, training, names));
    head.put(section, "head");
    points = unit_rows(head.apply(points, support.pool())).units;
    views = views_through(head, set, support.pool());
  }
  PACO_ASSIGN(const math::Matrix<float> centres,
              class_prototypes(points, support.labels(), model.class_names));
  put_matrix(section, "centres", centres);
  put_matrix(section, "spreads", class_spreads(points, support.labels(), centres.rows()));
  std::vector<double> thresholds =
      class_thresholds(views.points, views.labels, centres, options.deviations);
  const auto [lowest, highest] = std::minmax_element(thresholds.begin(), thresholds.end());
  section.numbers["lowest_threshold"] = *lowest;
  section.numbers["highest_threshold"] = *highest;
  section.tensors["thresholds"] = {{centres.rows()}, std::move(thresholds)};
  return section;
}

}  // namespace paco::methods
