// The heads of SMILE and of its plain hash baseline, the latter also with meta-learning (MLDG).
//
// SMILE: a sign branch h = tanh(a) and a magnitude branch v = m / tanh(m) on one trunk. The loss
// pulls the features h v of a class together (supervised contrastive) and |h| towards 1. The code
// is the sign of a, so the magnitude branch is not needed after training. The contrastive loss is
// also applied to h alone, which the original does not do. Without this, magnitudes can separate
// the classes, and some of a hundred classes get the same code.
//
// The baseline: only the contrastive loss of h. The original applies it to a itself, and nothing
// keeps an output away from zero, where its bit flips.
#include <cmath>

#include "core/try.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {
namespace {

constexpr double kTemperature = 0.07;
constexpr int kViews = 2;

// m / tanh(m), a smooth |m| that is at least 1, and its derivative.
void magnitude(std::span<const float> m, std::span<float> v, std::span<float> slope) {
  std::vector<float> t(m.size());
  hyperbolic_tangent(m, t);
  for (std::size_t i = 0; i < m.size(); ++i) {
    const double z = static_cast<double>(m[i]), tanh = static_cast<double>(t[i]);
    const bool flat = std::abs(z) < 1e-3;
    v[i] = flat ? 1.0f : static_cast<float>(z / tanh);
    slope[i] = flat ? static_cast<float>(2 * z / 3)
                    : static_cast<float>((tanh - z * (1 - tanh * tanh)) / (tanh * tanh));
  }
}

struct HashNetwork {
  Stack trunk, signs, magnitudes;
  std::vector<HeadParameter*> parameters;

  HashNetwork(core::ThreadPool& pool, std::size_t inputs, std::size_t width, std::size_t bits,
              bool with_magnitudes, core::Random& random)
      : trunk(pool), signs(pool), magnitudes(pool) {
    const std::size_t narrow = add_trunk(trunk, inputs, width, random);
    signs.linear(narrow, bits, false, random).normalise();
    trunk.add_parameters(parameters);
    signs.add_parameters(parameters);
    if (!with_magnitudes) return;
    magnitudes.linear(narrow, bits, false, random).normalise();
    magnitudes.add_parameters(parameters);
  }
};

// The gradient of the supervised contrastive loss with respect to rows that it puts on the sphere.
math::Matrix<float> contrast(const math::Matrix<float>& rows, std::span<const std::int64_t> labels,
                             core::ThreadPool& pool) {
  const UnitRows units = unit_rows(rows);
  math::Matrix<float> gradient;
  supervised_contrastive(units.units, labels, kTemperature, pool, gradient);
  return through_unit_rows(units, std::move(gradient));
}

// The same for labelled rows only.
math::Matrix<float> contrast(const math::Matrix<float>& rows, std::span<const std::int64_t> labels,
                             std::span<const std::size_t> counted, core::ThreadPool& pool) {
  if (counted.size() == rows.rows()) return contrast(rows, labels, pool);
  std::vector<std::int64_t> own;
  for (const std::size_t i : counted) own.push_back(labels[i]);
  return scattered(contrast(gathered(rows, counted), own, pool), counted, rows.rows());
}

// The losses use labelled samples only. Virtual samples are used only by the leaders.
void smile_step(HashNetwork& net, math::Matrix<float> x, std::span<const std::int64_t> labels,
                std::size_t known, Leaders& leaders, core::ThreadPool& pool) {
  constexpr float kCertain = 3;  // weight of the bits' certainty
  const math::Matrix<float> trunk = net.trunk.forward(std::move(x));
  const math::Matrix<float> a = net.signs.forward(trunk), m = net.magnitudes.forward(trunk);
  const std::size_t count = a.rows() * a.columns();
  math::Matrix<float> h(a.rows(), a.columns()), v = h, slope = h, feature = h;
  hyperbolic_tangent({a.data(), count}, {h.data(), count});
  magnitude({m.data(), count}, {v.data(), count}, {slope.data(), count});
  for (std::size_t i = 0; i < count; ++i) feature.data()[i] = h.data()[i] * v.data()[i];
  const std::vector<std::size_t> counted = labelled(labels, known);
  const math::Matrix<float> by_feature = contrast(feature, labels, counted, pool);
  const math::Matrix<float> by_sign = contrast(h, labels, counted, pool);
  math::Matrix<float> certain;
  quantisation(a, 1, certain);
  math::Matrix<float> da(a.rows(), a.columns()), dm = da;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = by_feature.data()[i], tanh = h.data()[i];
    da.data()[i] =
        (g * v.data()[i] + by_sign.data()[i]) * (1 - tanh * tanh) + kCertain * certain.data()[i];
    dm.data()[i] = g * tanh * slope.data()[i];
  }
  math::Matrix<float> back = net.signs.backward(std::move(da));
  const math::Matrix<float> other = net.magnitudes.backward(std::move(dm));
  for (std::size_t i = 0; i < back.rows() * back.columns(); ++i) back.data()[i] += other.data()[i];
  leaders.add(trunk, labels, back);
  net.trunk.backward(std::move(back), false);
}

void hash_step(HashNetwork& net, math::Matrix<float> x, std::span<const std::int64_t> labels,
               core::ThreadPool& pool) {
  math::Matrix<float> h = net.signs.forward(net.trunk.forward(std::move(x)));
  const std::size_t count = h.rows() * h.columns();
  hyperbolic_tangent({h.data(), count}, {h.data(), count});
  math::Matrix<float> gradient = contrast(h, labels, pool);
  for (std::size_t i = 0; i < count; ++i) gradient.data()[i] *= 1 - h.data()[i] * h.data()[i];
  net.trunk.backward(net.signs.backward(std::move(gradient)), false);
}

// MLDG, to first order: the classes of a batch are split in two halves. The loss of the second half
// is computed after a small step for the first half, and both gradients are added.
void mldg_step(HashNetwork& net, const HeadTrainingSet& set, std::span<const std::size_t> rows,
               const TrainingOptions& options, core::Random& random, core::ThreadPool& pool) {
  std::vector<std::size_t> seen, unseen;
  const std::vector<std::size_t> order = random.permutation(set.classes);
  for (const std::size_t row : rows) {
    const auto label = static_cast<std::size_t>(set.labels[row]);
    (order[label] % 2 == 0 ? seen : unseen).push_back(row);
  }
  const auto learn = [&](std::span<const std::size_t> part) {
    hash_step(net, views_of(set, part, kViews, options.borrowed, random),
              labels_of(set, part, kViews), pool);
  };
  if (seen.empty() || unseen.empty()) return learn(rows);
  learn(seen);
  std::vector<std::vector<float>> before;
  const auto step = static_cast<float>(options.rate);
  for (HeadParameter* p : net.parameters) {
    before.emplace_back(p->value.data(), p->value.data() + p->first.size());
    for (std::size_t i = 0; i < p->first.size(); ++i)
      p->value.data()[i] -= step * p->gradient.data()[i];
  }
  learn(unseen);
  for (std::size_t k = 0; k < before.size(); ++k)
    std::copy(before[k].begin(), before[k].end(), net.parameters[k]->value.data());
}

}  // namespace

Result<Head> train_smile_head(SupportView& support, const HeadTrainingSet& set,
                              const TrainingOptions& options, std::size_t bits, bool leaders) {
  core::ThreadPool& pool = support.pool();
  core::Random random(options.seed);
  HashNetwork net(pool, set.units.columns(), options.width, bits, true, random);
  Leaders pulled(leaders ? set.classes : 0, std::min<std::size_t>(options.width, 256), pool,
                 random);
  pulled.add_parameters(net.parameters);
  Adam adam(net.parameters);
  PACO_TRY(
      train(support, set, options, adam, [&](std::span<const std::size_t> rows, core::Random& own) {
        smile_step(net, views_of(set, rows, kViews, options.borrowed, own),
                   labels_of(set, rows, kViews), support.model().known_classes(), pulled, pool);
      }));
  Stack* const stacks[] = {&net.trunk, &net.signs};
  return Head(frozen_layers(set, stacks));
}

Result<Head> train_hash_head(SupportView& support, const HeadTrainingSet& set,
                             const TrainingOptions& options, std::size_t bits, bool meta) {
  core::ThreadPool& pool = support.pool();
  core::Random random(options.seed);
  HashNetwork net(pool, set.units.columns(), options.width, bits, false, random);
  Adam adam(net.parameters);
  PACO_TRY(
      train(support, set, options, adam, [&](std::span<const std::size_t> rows, core::Random& own) {
        if (meta) return mldg_step(net, set, rows, options, own, pool);
        hash_step(net, views_of(set, rows, kViews, options.borrowed, own),
                  labels_of(set, rows, kViews), pool);
      }));
  Stack* const stacks[] = {&net.trunk, &net.signs};
  return Head(frozen_layers(set, stacks));
}

}  // namespace paco::methods
