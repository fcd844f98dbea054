// A substitute for DiffGRE's generator, and its two losses on features. The host's own losses
// ignore virtual samples, because a code of few bits has no room for twice as many classes. The
// original makes images with a diffusion model, which this project does not have. Here new
// embeddings lie between those of two classes.
#include <algorithm>
#include <cmath>

#include "math/kernels.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {
namespace {

constexpr int kGenerated = 3;  // for each labelled sample, before the refinement
constexpr int kRounds = 10;    // of grouping

// Direction of the sum of some rows.
std::vector<float> direction(const std::vector<double>& sum) {
  double squared = 0;
  for (const double x : sum) squared += x * x;
  const double length = std::sqrt(squared);
  std::vector<float> out(sum.size());
  for (std::size_t j = 0; j < sum.size(); ++j)
    out[j] = length > 0 ? static_cast<float>(sum[j] / length) : 0.0f;
  return out;
}

math::Matrix<float> class_directions(Rows<const float> units, std::span<const std::int64_t> labels,
                                     std::size_t classes) {
  std::vector<std::vector<double>> sums(classes, std::vector<double>(units.columns));
  for (std::size_t i = 0; i < units.rows; ++i)
    math::accumulate(sums[static_cast<std::size_t>(labels[i])].data(), units[i].data(),
                     units.columns);
  math::Matrix<float> out(classes, units.columns);
  for (std::size_t k = 0; k < classes; ++k)
    std::copy_n(direction(sums[k]).data(), units.columns, out[k].data());
  return out;
}

// A point between samples of two classes: on the great arc or, for every second point, with each
// coordinate taken from one of the two.
std::vector<float> between(std::span<const float> a, std::span<const float> b, bool mixed,
                           core::Random& random) {
  std::vector<double> sum(a.size());
  const double share = random.uniform(0.3, 0.7);
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double own = mixed ? (random.uniform() < share ? 1.0 : 0.0) : share;
    sum[j] = own * static_cast<double>(a[j]) + (1 - own) * static_cast<double>(b[j]);
  }
  return direction(sum);
}

// Groups similar directions: centres start at evenly spaced rows and move ten times.
std::vector<std::int64_t> grouped(Rows<const float> rows, std::size_t groups) {
  std::vector<std::int64_t> label(rows.rows, 0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    label[i] = static_cast<std::int64_t>(i * groups / rows.rows);
  for (int round = 0; round < kRounds; ++round) {
    const math::Matrix<float> centres = class_directions(rows, label, groups);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      double best = -2;
      for (std::size_t k = 0; k < groups; ++k) {
        const double cosine = math::dot(centres[k].data(), rows[i].data(), rows.columns);
        if (cosine <= best) continue;
        best = cosine;
        label[i] = static_cast<std::int64_t>(k);
      }
    }
  }
  return label;
}

}  // namespace

HeadTrainingSet with_virtual_samples(const HeadTrainingSet& set, std::uint64_t seed) {
  const std::size_t n = set.units.rows(), d = set.units.columns();
  core::Random random(seed, 1u << 30);
  // The mean cosine with all centres is the cosine with their sum, up to a constant factor.
  const math::Matrix<float> centres = class_directions(set.units, set.labels, set.classes);
  std::vector<double> sum(d);
  for (std::size_t k = 0; k < set.classes; ++k) math::accumulate(sum.data(), centres[k].data(), d);
  struct Made {
    double likeness;
    std::vector<float> unit;
  };
  std::vector<Made> made;
  while (made.size() < kGenerated * n) {
    const std::size_t a = random.below(n), b = random.below(n);
    if (set.labels[a] == set.labels[b]) continue;
    Made one{0, between(set.units[a], set.units[b], made.size() % 2 == 1, random)};
    one.likeness = math::dot(sum.data(), one.unit.data(), d);
    made.push_back(std::move(one));
  }
  std::stable_sort(made.begin(), made.end(),
                   [](const Made& x, const Made& y) { return x.likeness < y.likeness; });
  math::Matrix<float> kept(n, d);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(made[i].unit.data(), d, kept[i].data());
  const std::vector<std::int64_t> groups = grouped(kept, set.classes);

  math::Matrix<float> units(2 * n, d);
  std::copy_n(set.units.data(), n * d, units.data());
  std::copy_n(kept.data(), n * d, units[n].data());
  std::vector<std::int64_t> labels = set.labels;
  for (const std::int64_t group : groups)
    labels.push_back(group + static_cast<std::int64_t>(set.classes));
  HeadTrainingSet out(std::move(units), std::move(labels), 2 * set.classes, Seen::standardised);
  out.scale = set.scale;
  return out;
}

Leaders::Leaders(std::size_t classes, std::size_t width, core::ThreadPool& pool,
                 core::Random& random)
    : pool_(pool), classes_(classes), classifier_(pool) {
  if (classes_ > 0) classifier_.linear(width, classes_, true, random);
}

void Leaders::add_parameters(std::vector<HeadParameter*>& to) { classifier_.add_parameters(to); }

void Leaders::add(const math::Matrix<float>& features, std::span<const std::int64_t> labels,
                  math::Matrix<float>& gradient) {
  if (classes_ == 0) return;
  constexpr float kPull = 0.3f, kTemperature = 0.1f;
  const auto add_to = [&](const math::Matrix<float>& part, float weight) {
    for (std::size_t i = 0; i < part.rows() * part.columns(); ++i)
      gradient.data()[i] += weight * part.data()[i];
  };
  math::Matrix<float> slopes;
  cross_entropy(classifier_.forward(features), labels, slopes);
  add_to(classifier_.backward(std::move(slopes)), 1);

  // Leaders of the classes in the batch; the losses have no gradient through them.
  std::vector<std::int64_t> present(labels.begin(), labels.end());
  std::sort(present.begin(), present.end());
  present.erase(std::unique(present.begin(), present.end()), present.end());
  std::vector<std::int64_t> place;
  for (const std::int64_t label : labels)
    place.push_back(std::lower_bound(present.begin(), present.end(), label) - present.begin());
  const UnitRows units = unit_rows(features);
  const math::Matrix<float> leaders = class_directions(units.units, place, present.size());
  math::Matrix<float> logits = multiply_rows(units.units, leaders, pool_);
  for (std::size_t i = 0; i < logits.rows() * logits.columns(); ++i)
    logits.data()[i] /= kTemperature;
  cross_entropy(logits, place, slopes);
  math::Matrix<float> pulled = multiply(slopes, leaders, pool_);
  add_to(through_unit_rows(units, std::move(pulled)), kPull / kTemperature);
}

}  // namespace paco::methods
