// The heads of LTC and TALON: one linear layer into a space in which classes are separated by
// angle, and a direction for each class. In the originals the last block of the backbone learns
// this.
//
// TALON: the supervised contrastive loss, and cross entropy over cosines with an angular margin.
//
// LTC: cross entropy over cosines, the contrastive loss, and samples that belong to no class, which
// should stay below a threshold while those of the classes stay above. Such a sample is a mixture
// of two samples of a batch, moved one step towards where the class is uncertain and samples are
// rare. The threshold follows both kinds and decides in a stream.
#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "math/exponentials.hpp"
#include "math/logarithm.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {
namespace {

constexpr int kViews = 2;

struct SpaceNetwork {
  core::ThreadPool& pool;
  Stack layer;
  HeadParameter directions;  // (classes, d)
  std::vector<HeadParameter*> parameters;

  SpaceNetwork(core::ThreadPool& threads, const HeadTrainingSet& set, core::Random& random)
      : pool(threads), layer(threads), directions(set.classes, set.units.columns()) {
    const std::size_t d = set.units.columns();
    layer.linear(d, d, true, random);
    layer.add_parameters(parameters);
    // The layer starts with zero weights, and each class direction at the class's mean.
    math::Matrix<float>& weight = parameters.front()->value;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) weight[i][j] = i == j ? 1.0f : 0.0f;
    math::Matrix<float> means = set.means;
    const auto scale = static_cast<float>(set.scale);
    for (std::size_t i = 0; i < means.rows() * d; ++i) means.data()[i] *= scale;
    directions.value = layer.forward(std::move(means));
    parameters.push_back(&directions);
  }
};

// Adds `scale` times the gradients of features and directions that follow from the gradient of the
// cosines (n, classes).
void through_cosines(SpaceNetwork& net, const UnitRows& features, const UnitRows& directions,
                     const math::Matrix<float>& slopes, float scale,
                     math::Matrix<float>& by_feature) {
  const math::Matrix<float> one =
      through_unit_rows(features, multiply(slopes, directions.units, net.pool));
  const math::Matrix<float> two =
      through_unit_rows(directions, multiply(transposed(slopes), features.units, net.pool));
  for (std::size_t i = 0; i < one.rows() * one.columns(); ++i)
    by_feature.data()[i] += scale * one.data()[i];
  for (std::size_t i = 0; i < two.rows() * two.columns(); ++i)
    net.directions.gradient.data()[i] += scale * two.data()[i];
}

void add_contrast(const UnitRows& features, std::span<const std::int64_t> labels,
                  double temperature, float weight, core::ThreadPool& pool,
                  math::Matrix<float>& by_feature) {
  math::Matrix<float> gradient;
  supervised_contrastive(features.units, labels, temperature, pool, gradient);
  gradient = through_unit_rows(features, std::move(gradient));
  for (std::size_t i = 0; i < gradient.rows() * gradient.columns(); ++i)
    by_feature.data()[i] += weight * gradient.data()[i];
}

// Replaces the own class's cosine by cos(theta + 0.2), with its derivative with respect to that
// cosine. Beyond the angle at which it would rise again, it continues as a straight line.
struct Widened {
  double value, slope;
};
Widened widened(double cosine) {
  constexpr double kMargin = 0.2, kCosine = 0.9800665778412416, kSine = 0.19866933079506122;
  const double sine = std::sqrt(std::max(1 - cosine * cosine, 1e-8));
  if (cosine < -kCosine) return {cosine - kMargin * kSine, 1};
  return {cosine * kCosine - sine * kSine, kCosine + kSine * cosine / sine};
}

void talon_step(SpaceNetwork& net, math::Matrix<float> x, std::span<const std::int64_t> labels) {
  constexpr double kTemperature = 0.08, kScale = 30;
  const UnitRows features = unit_rows(net.layer.forward(std::move(x)));
  const UnitRows directions = unit_rows(net.directions.value);
  math::Matrix<float> logits = multiply_rows(features.units, directions.units, net.pool), slopes;
  std::vector<float> own(labels.size());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    float& cosine = logits[i][static_cast<std::size_t>(labels[i])];
    const Widened wide = widened(static_cast<double>(cosine));
    cosine = static_cast<float>(wide.value);
    own[i] = static_cast<float>(wide.slope);
    for (float& logit : logits[i]) logit *= static_cast<float>(kScale);
  }
  cross_entropy(logits, labels, slopes);
  for (std::size_t i = 0; i < slopes.rows(); ++i)
    slopes[i][static_cast<std::size_t>(labels[i])] *= own[i];
  math::Matrix<float> by_feature(features.units.rows(), features.units.columns());
  through_cosines(net, features, directions, slopes, static_cast<float>(kScale), by_feature);
  add_contrast(features, labels, kTemperature, 1, net.pool, by_feature);
  net.layer.backward(std::move(by_feature), false);
}

constexpr double kLtcScale = 16;  // of cosines, as logits

// Takes one step from points between classes, in the direction in which the uncertainty about the
// class grows and the density of the batch falls. Resets the gradients.
math::Matrix<float> beyond_classes(SpaceNetwork& net, math::Matrix<float> between,
                                   const math::Matrix<float>& batch) {
  constexpr double kStep = 0.1, kDensity = 0.1;  // of the length of a point; weight of the density
  const std::size_t n = between.rows(), d = between.columns();
  const UnitRows known = unit_rows(net.layer.forward(batch));
  const UnitRows features = unit_rows(net.layer.forward(between));
  const UnitRows directions = unit_rows(net.directions.value);
  math::Matrix<float> slopes = multiply_rows(features.units, directions.units, net.pool);
  std::vector<double> powers(slopes.columns());
  for (std::size_t i = 0; i < n; ++i) {
    const float top = *std::max_element(slopes[i].begin(), slopes[i].end());
    math::scaled_exponentials(slopes[i].data(), powers.size(), top, kLtcScale, powers.data());
    double total = 0, uncertainty = 0;
    for (const double power : powers) total += power;
    for (double& power : powers) power = std::max(power / total, 1e-30);
    for (const double p : powers) uncertainty -= p * math::exact_log(p);
    for (std::size_t c = 0; c < powers.size(); ++c)
      slopes[i][c] =
          static_cast<float>(-kLtcScale * powers[c] * (math::exact_log(powers[c]) + uncertainty));
  }
  // A kernel of the distance of unit features is a function of their cosine.
  constexpr double kWidth = 8;
  math::Matrix<float> near = multiply_rows(features.units, known.units, net.pool);
  std::vector<double> kernel(near.columns());
  for (std::size_t i = 0; i < n; ++i) {
    math::scaled_exponentials(near[i].data(), kernel.size(), 1, kWidth, kernel.data());
    for (std::size_t b = 0; b < kernel.size(); ++b)
      near[i][b] =
          static_cast<float>(-kDensity * kWidth * kernel[b] / static_cast<double>(kernel.size()));
  }
  math::Matrix<float> uphill = multiply(slopes, directions.units, net.pool);
  const math::Matrix<float> away = multiply(near, known.units, net.pool);
  for (std::size_t i = 0; i < n * d; ++i) uphill.data()[i] += away.data()[i];
  const UnitRows steps =
      unit_rows(net.layer.backward(through_unit_rows(features, std::move(uphill))));
  for (HeadParameter* p : net.parameters) std::fill_n(p->gradient.data(), p->first.size(), 0.0f);
  const double length = kStep * std::sqrt(static_cast<double>(d));
  for (std::size_t i = 0; i < n * d; ++i)
    between.data()[i] += static_cast<float>(length) * steps.units.data()[i];
  return between;
}

// A random number with the distribution Beta(0.4, 0.4), by Johnk's rule: u^(1/0.4) is u * u *
// sqrt(u).
double mixing_share(core::Random& random) {
  const auto power = [](double u) { return u * u * std::sqrt(u); };
  while (true) {
    const double a = power(random.uniform()), b = power(random.uniform());
    if (a + b > 0 && a + b <= 1) return a / (a + b);
  }
}

// Mixes the whole batch with itself in another order, with one share.
math::Matrix<float> mixed_batch(const math::Matrix<float>& x, core::Random& random) {
  const auto share = static_cast<float>(mixing_share(random));
  const std::vector<std::size_t> other = random.permutation(x.rows());
  math::Matrix<float> out(x.rows(), x.columns());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.columns(); ++j)
      out[i][j] = share * x[i][j] + (1 - share) * x[other[i]][j];
  return out;
}

double quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

void ltc_step(SpaceNetwork& net, const math::Matrix<float>& x, std::span<const std::int64_t> labels,
              double& threshold, core::Random& random) {
  constexpr double kTemperature = 0.07, kApart = 0.05, kFollow = 0.01, kChance = 0.3;
  constexpr double kLowKnown = 0.2, kHighStrangers = 0.8;  // quantiles that the threshold parts
  constexpr float kContrast = 0.3f, kKeepApart = 0.05f;
  const std::size_t known = x.rows(), d = x.columns();
  const std::size_t strangers = random.uniform() < kChance ? known : 0;
  math::Matrix<float> all(known + strangers, d);
  std::copy_n(x.data(), known * d, all.data());
  if (strangers > 0) {
    const math::Matrix<float> made = beyond_classes(net, mixed_batch(x, random), x);
    std::copy_n(made.data(), strangers * d, all[known].data());
  }
  const UnitRows features = unit_rows(net.layer.forward(std::move(all)));
  const UnitRows directions = unit_rows(net.directions.value);
  const math::Matrix<float> cosines = multiply_rows(features.units, directions.units, net.pool);
  math::Matrix<float> logits(known, cosines.columns()), by_class;
  for (std::size_t i = 0; i < known * cosines.columns(); ++i)
    logits.data()[i] = static_cast<float>(kLtcScale) * cosines.data()[i];
  cross_entropy(logits, labels, by_class);
  math::Matrix<float> slopes(cosines.rows(), cosines.columns());
  for (std::size_t i = 0; i < known * cosines.columns(); ++i)
    slopes.data()[i] = static_cast<float>(kLtcScale) * by_class.data()[i];
  std::vector<double> of_known, of_strangers;
  for (std::size_t i = 0; i < cosines.rows(); ++i) {
    const auto top = std::max_element(cosines[i].begin(), cosines[i].end());
    const auto best = static_cast<double>(*top);
    float& slope = slopes[i][static_cast<std::size_t>(top - cosines[i].begin())];
    const bool stranger = i >= known;
    (stranger ? of_strangers : of_known).push_back(best);
    const auto share = static_cast<float>(stranger ? strangers : known);
    if (!stranger && best < threshold + kApart) slope -= kKeepApart / share;
    if (stranger && best > threshold - kApart) slope += kKeepApart / share;
  }
  if (strangers > 0) {
    const double between =
        0.5 * (quantile(of_known, kLowKnown) + quantile(of_strangers, kHighStrangers));
    threshold += kFollow * (between - threshold);
  }
  math::Matrix<float> by_feature(features.units.rows(), d);
  through_cosines(net, features, directions, slopes, 1, by_feature);
  UnitRows first{
      math::Matrix<float>(known, d),
      {features.lengths.begin(), features.lengths.begin() + static_cast<std::ptrdiff_t>(known)}};
  std::copy_n(features.units.data(), known * d, first.units.data());
  add_contrast(first, labels, kTemperature, kContrast, net.pool, by_feature);
  net.layer.backward(std::move(by_feature), false);
}

}  // namespace

Result<SpaceHead> train_talon_head(SupportView& support, const HeadTrainingSet& set,
                                   const TrainingOptions& options) {
  core::Random random(options.seed);
  SpaceNetwork net(support.pool(), set, random);
  Adam adam(net.parameters);
  PACO_TRY(
      train(support, set, options, adam, [&](std::span<const std::size_t> rows, core::Random& own) {
        talon_step(net, views_of(set, rows, kViews, options.borrowed, own),
                   labels_of(set, rows, kViews));
      }));
  Stack* const stacks[] = {&net.layer};
  return SpaceHead{Head(frozen_layers(set, stacks)), 0};
}

Result<SpaceHead> train_ltc_head(SupportView& support, const HeadTrainingSet& set,
                                 const TrainingOptions& options) {
  core::Random random(options.seed);
  SpaceNetwork net(support.pool(), set, random);
  Adam adam(net.parameters);
  double threshold = 0.7;
  PACO_TRY(
      train(support, set, options, adam, [&](std::span<const std::size_t> rows, core::Random& own) {
        ltc_step(net, views_of(set, rows, kViews, options.borrowed, own),
                 labels_of(set, rows, kViews), threshold, own);
      }));
  Stack* const stacks[] = {&net.layer};
  return SpaceHead{Head(frozen_layers(set, stacks)), threshold};
}

}  // namespace paco::methods
