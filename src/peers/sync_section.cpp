// Calibration of SynC in the form that needs no class names: the mean direction of each known
// class, how far its samples lie from it, and the spread of every coordinate, from which refitting
// draws.
#include <algorithm>
#include <cmath>

#include "base/try.hpp"
#include "calibrate/references.hpp"
#include "linalg/kernels.hpp"
#include "peers/head.hpp"
#include "peers/peers.hpp"

namespace paco {
namespace {

using Kind = MethodOption::Kind;
using Stage = MethodOption::Stage;

// Nothing is closer to itself than this once it has been rounded to float32.
constexpr double kMostThreshold = 1 - 1e-6;

// mean - deviations * std of the cosines of each class with its centre. One sample has no spread: a
// class of one takes the mean threshold of the others.
std::vector<double> class_thresholds(const SupportView& support, const Matrix<float>& centres,
                                     double deviations) {
  const std::size_t classes = centres.rows(), d = centres.columns();
  std::vector<std::vector<double>> cosines(classes);
  for (std::size_t i = 0; i < support.units().rows(); ++i) {
    const auto k = static_cast<std::size_t>(support.labels()[i]);
    cosines[k].push_back(dot(centres[k].data(), support.units()[i].data(), d));
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
Matrix<float> class_spreads(const SupportView& support, std::size_t classes) {
  const Matrix<float>& units = support.units();
  const std::size_t d = units.columns();
  Matrix<double> mean(classes, d), squared(classes, d);
  std::vector<double> n(classes);
  for (std::size_t i = 0; i < units.rows(); ++i) {
    const auto k = static_cast<std::size_t>(support.labels()[i]);
    ++n[k];
    for (std::size_t j = 0; j < d; ++j) mean[k][j] += static_cast<double>(units[i][j]);
  }
  for (std::size_t k = 0; k < classes; ++k)
    for (double& x : mean[k]) x /= n[k];
  for (std::size_t i = 0; i < units.rows(); ++i) {
    const auto k = static_cast<std::size_t>(support.labels()[i]);
    for (std::size_t j = 0; j < d; ++j) {
      const double off = static_cast<double>(units[i][j]) - mean[k][j];
      squared[k][j] += off * off;
    }
  }
  Matrix<float> out(classes, d);
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t j = 0; j < d; ++j)
      out[k][j] = static_cast<float>(std::sqrt(squared[k][j] / n[k]));
  return out;
}

}  // namespace

const std::vector<MethodOption>& sync_options() {
  static const std::vector<MethodOption> options{
      {"deviations",
       Kind::number,
       Stage::calibrating,
       "3",
       "by which a class's threshold is below the mean cosine of its samples",
       0,
       100,
       {}},
      {"refit",
       Kind::flag,
       Stage::deciding,
       "off",
       "on: every ten births all prototypes are trained anew on drawn samples",
       0,
       0,
       {}},
      {"samples",
       Kind::whole,
       Stage::deciding,
       "32",
       "drawn for each prototype by a refit",
       1,
       4096,
       {}},
      {"seed", Kind::whole, Stage::deciding, "0", "of what a refit draws", 0, 4294967295, {}}};
  return options;
}

Result<Section> calibrate_sync(SupportView& support, const Settings& settings) {
  const Model& model = support.model();
  PACO_ASSIGN(const Matrix<float> centres,
              class_prototypes(support.units(), support.labels(), model.class_names));
  Section section;
  section.settings = settings;
  put_matrix(section, "centres", centres);
  put_matrix(section, "spreads", class_spreads(support, centres.rows()));
  std::vector<double> thresholds =
      class_thresholds(support, centres, number_setting(settings, "deviations"));
  const auto [lowest, highest] = std::minmax_element(thresholds.begin(), thresholds.end());
  section.numbers["lowest_threshold"] = *lowest;
  section.numbers["highest_threshold"] = *highest;
  section.tensors["thresholds"] = {{centres.rows()}, std::move(thresholds)};
  return section;
}

}  // namespace paco
