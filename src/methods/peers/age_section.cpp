// Calibration of the AGE-like method. A normalised classifier is trained on four fifths of each
// class. The rest shows how confident it is about samples that it has not seen, which gives each
// class its gate. Then the densities are computed: the directions of largest variance, and a shrunk
// normal distribution for each class. The original also trains its backbone with a contrastive
// loss; here embeddings are given.
#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
#include "methods/peers/age.hpp"
#include "methods/peers/losses.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"
#include "methods/peers/training.hpp"

namespace paco::methods {
namespace {

struct Parts {
  math::Matrix<float> points;  // of the support set, all of it
  HeadTrainingSet learned;
  std::vector<std::size_t> held_out;  // rows of the support set
};

// A fifth of the samples of each class is held out, at least one if the class has two or more.
Parts split(const SupportView& support, Seen seen, std::uint64_t seed) {
  const std::size_t classes = support.model().known_classes(), n = support.units().rows();
  const std::vector<std::int64_t>& sizes = support.model().class_sizes;
  std::vector<std::int64_t> left(classes);
  for (std::size_t k = 0; k < classes; ++k)
    left[k] = sizes[k] < 2 ? 0 : std::max<std::int64_t>(sizes[k] / 5, 1);
  Parts out;
  out.points = support_as_seen(support, seen);
  std::vector<std::size_t> learned;
  for (const std::size_t i : core::Random(seed, 1u << 29).permutation(n)) {
    std::int64_t& wanted = left[static_cast<std::size_t>(support.labels()[i])];
    (wanted-- > 0 ? out.held_out : learned).push_back(i);
  }
  math::Matrix<float> units(learned.size(), support.units().columns());
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < learned.size(); ++i) {
    const auto from = out.points[learned[i]];
    std::copy(from.begin(), from.end(), units[i].begin());
    labels.push_back(support.labels()[learned[i]]);
  }
  out.learned = HeadTrainingSet(std::move(units), std::move(labels), classes, seen);
  return out;
}

// One row of length 1 per class.
Result<math::Matrix<float>> train_classifier(SupportView& support, const HeadTrainingSet& set,
                                             const TrainingOptions& options) {
  core::Random random(options.seed);
  HeadParameter weight(set.classes, set.units.columns());
  for (std::size_t i = 0; i < weight.first.size(); ++i)
    weight.value.data()[i] = static_cast<float>(random.normal());
  Adam adam({&weight});
  core::ThreadPool& pool = support.pool();
  // The weights' coordinates have deviation 1, so a step of Adam turns a row by the same angle in
  // any dimension.
  TrainingOptions own = options;
  own.rate *= 3;
  PACO_TRY(
      train(support, set, own, adam, [&](std::span<const std::size_t> rows, core::Random& noise) {
        const UnitRows x = unit_rows(views_of(set, rows, 1, options.borrowed, noise));
        const UnitRows w = unit_rows(weight.value);
        math::Matrix<float> logits = multiply_rows(x.units, w.units, pool), slopes;
        for (std::size_t i = 0; i < logits.rows() * logits.columns(); ++i)
          logits.data()[i] *= static_cast<float>(kAgeScale);
        cross_entropy(logits, labels_of(set, rows, 1), slopes);
        const math::Matrix<float> gradient =
            through_unit_rows(w, multiply(transposed(slopes), x.units, pool));
        for (std::size_t i = 0; i < weight.first.size(); ++i)
          weight.gradient.data()[i] += static_cast<float>(kAgeScale) * gradient.data()[i];
      }));
  return unit_rows(weight.value).units;
}

// tau_c = (mu_c - sigma_c) / 2 + (mean of the same over all classes) / 2, with sigma 0.8 of the
// standard deviation. A class without held-out samples gets the mean.
std::vector<double> gates(const std::vector<std::vector<double>>& confidences) {
  constexpr double kScaled = 0.8;
  std::vector<double> low(confidences.size());
  double mean_low = 0, counted = 0;
  for (std::size_t k = 0; k < confidences.size(); ++k) {
    const auto n = static_cast<double>(confidences[k].size());
    if (n == 0) continue;
    double mean = 0, squared = 0;
    for (const double g : confidences[k]) mean += g / n;
    for (const double g : confidences[k]) squared += (g - mean) * (g - mean) / n;
    low[k] = mean - kScaled * std::sqrt(squared);
    mean_low += low[k];
    counted += 1;
  }
  mean_low /= counted;
  std::vector<double> out;
  for (std::size_t k = 0; k < low.size(); ++k)
    out.push_back(confidences[k].empty() ? mean_low : 0.5 * low[k] + 0.5 * mean_low);
  return out;
}

void put_gates(SupportView& support, const math::Matrix<float>& classifier, const Parts& parts,
               Section& section) {
  const std::vector<std::size_t>& held_out = parts.held_out;
  const std::size_t classes = classifier.rows(), d = classifier.columns();
  math::Matrix<float> rows(held_out.size(), d);
  for (std::size_t i = 0; i < held_out.size(); ++i)
    std::copy_n(parts.points[held_out[i]].data(), d, rows[i].data());
  const math::Matrix<float> cosines = multiply_rows(rows, classifier, support.pool());
  std::vector<std::vector<double>> by_class(classes);
  std::vector<double> present, masked;
  std::vector<std::uint8_t> takes_part(classes, 1);
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const auto label = static_cast<std::size_t>(support.labels()[held_out[i]]);
    present.push_back(confidence(cosines[i], takes_part).value);
    by_class[label].push_back(present.back());
    takes_part[label] = 0;
    masked.push_back(confidence(cosines[i], takes_part).value);
    takes_part[label] = 1;
  }
  section.tensors["gates"] = {{classes}, gates(by_class)};
  put_threshold(section, "ssc", choose_threshold(present, masked, Tie::mid));
}

void put_densities(const SupportView& support, const math::Matrix<float>& units,
                   std::size_t components, Section& section) {
  const std::size_t n = units.rows(), d = units.columns();
  const std::size_t classes = support.model().known_classes();
  std::vector<double> mean(d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j)
      mean[j] += static_cast<double>(units[i][j]) / static_cast<double>(n);
  const std::size_t p = std::min({components, d, n - 1});
  AgeSpace space{principal_directions(units, mean, p), std::move(mean)};
  const math::Matrix<double> points = space.project(units);
  std::vector<std::vector<double>> by_class(classes);
  for (std::size_t i = 0; i < n; ++i) {
    auto& rows = by_class[static_cast<std::size_t>(support.labels()[i])];
    rows.insert(rows.end(), points[i].begin(), points[i].end());
  }
  const math::Matrix<double> all = covariance(points);
  std::vector<double> means, covariances;
  for (const std::vector<double>& rows : by_class) {
    const Rows<const double> own{rows.data(), rows.size() / p, p};
    const std::vector<double> centre = mean_of(own);
    const math::Matrix<double> blended = blended_covariance(own, all);
    means.insert(means.end(), centre.begin(), centre.end());
    covariances.insert(covariances.end(), blended.data(), blended.data() + p * p);
  }
  put_matrix(section, "basis", space.basis);
  section.tensors["centre"] = {{d}, space.mean};
  section.tensors["means"] = {{classes, p}, std::move(means)};
  section.tensors["covariances"] = {{classes, p, p}, std::move(covariances)};
  section.tensors["covariance"] = {{p, p}, std::vector<double>(all.data(), all.data() + p * p)};
  section.numbers["components"] = static_cast<double>(p);
}

}  // namespace

const OptionTable<AgeOptions>& age_table() {
  using O = AgeOptions;
  constexpr auto kLater = OptionTable<O>::kLater;
  static const OptionTable<O> table(
      "age-head",
      with_training<O>(
          {{"components", &O::components, 1, 512,
            "directions of most variance that densities are computed in"},
           {"window", &O::window, 1, 100000,
            "latest samples of a category that its density is estimated from", kLater},
           {"alpha", &O::alpha, 1e-300, 1e300, "weight of a new category against those there are",
            kLater},
           {"ssc", &O::ssc,
            "on: one gate by PACO's calibration of the confidence (our reading), not one a class",
            kLater}},
          false));
  return table;
}

const std::vector<MethodOption>& age_options() { return age_table().options(); }

Result<Section> calibrate_age(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const AgeOptions options, age_table().read(settings));
  const Seen seen = options.embeddings == Seen::raw ? Seen::direction : Seen::standardised;
  const Parts parts = split(support, seen, options.seed);
  PACO_ASSIGN(const math::Matrix<float> classifier,
              train_classifier(support, parts.learned, options));
  Section section;
  section.settings = settings;
  put_seen(section, seen);
  put_matrix(section, "classifier", classifier);
  put_gates(support, classifier, parts, section);
  put_densities(support, parts.points, options.components, section);
  return section;
}

}  // namespace paco::methods
