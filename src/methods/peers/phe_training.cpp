// PHE's head. A projector has several prototypes per class, and a prototype network uses them to
// separate the classes. A hash head makes the code of a sample similar to the code of its class and
// the codes of the classes different from each other. The code of a class, its hash centre, is the
// output of the hash head for the mean of its prototypes.
#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "math/code_distance.hpp"
#include "math/logarithm.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"

namespace paco::methods {
namespace {

constexpr float kOwn = 1, kOther = -0.5f;  // weights for the own class and the others
constexpr double kDropped = 0.1;           // share of activations that a step leaves out
constexpr float kTemperature = 0.2f;       // of cosines between codes

struct PheNetwork {
  core::ThreadPool& pool;
  std::size_t classes, each, bits;
  Stack projector, hash;
  HeadParameter prototypes;  // (classes * each, d)

  PheNetwork(core::ThreadPool& threads, const HeadTrainingSet& set, const TrainingOptions& options,
             std::size_t known, std::size_t wanted_bits, std::size_t wanted_each,
             core::Random& random)
      : pool(threads),
        classes(known),
        each(wanted_each),
        bits(wanted_bits),
        projector(pool),
        hash(pool),
        prototypes(classes * each, set.units.columns()) {
    const std::size_t d = set.units.columns();
    projector.linear(d, d, true, random).gelu();
    const std::size_t narrow = add_trunk(hash, d, options.width, random);
    hash.linear(narrow, bits, false, random);
    place_prototypes(set, random);
  }

  // Each prototype starts at the feature of a sample of its class. The original starts at random
  // numbers and trains several times as long.
  void place_prototypes(const HeadTrainingSet& set, core::Random& random) {
    std::vector<std::vector<std::size_t>> members(classes);
    for (const std::size_t i : labelled(set.labels, classes))
      members[static_cast<std::size_t>(set.labels[i])].push_back(i);
    std::vector<std::size_t> chosen;
    for (std::size_t p = 0; p < classes * each; ++p) {
      const auto& own = members[p / each];
      chosen.push_back(own[random.below(own.size())]);
    }
    prototypes.value = projector.forward(inputs_of(set, chosen));
  }

  math::Matrix<float> class_means() const {
    const std::size_t d = prototypes.value.columns();
    math::Matrix<float> means(classes, d);
    for (std::size_t p = 0; p < classes * each; ++p)
      for (std::size_t j = 0; j < d; ++j) means[p / each][j] += prototypes.value[p][j];
    for (std::size_t i = 0; i < classes * d; ++i) means.data()[i] /= static_cast<float>(each);
    return means;
  }

  // The prototype network: log((distance + 1) / (distance + 1e-4)) of each prototype, weighted for
  // its own class and against the others. Returns the gradient of the features and adds to that of
  // the prototypes.
  math::Matrix<float> classify(const math::Matrix<float>& features,
                               std::span<const std::int64_t> labels, core::Random& random) {
    constexpr double kNear = 1e-4, kLeast = 1e-3;
    const UnitRows units = unit_rows(features), made = unit_rows(prototypes.value);
    math::Matrix<float> slopes = multiply_rows(units.units, made.units, pool);  // cosines, for now
    const std::size_t n = slopes.rows(), all = slopes.columns();
    math::Matrix<float> logits(n, classes);
    const auto dropped = static_cast<std::uint64_t>(kDropped * 65536);
    for (std::size_t i = 0; i < n; ++i) {
      float total = 0;
      std::uint64_t draws = 0;
      for (std::size_t p = 0; p < all; ++p, draws >>= 16) {
        if (p % 4 == 0) draws = random.next64();
        const double distance =
            std::max(std::sqrt(std::max(0.0, 2 - 2 * static_cast<double>(slopes[i][p]))), kLeast);
        if ((draws & 0xffff) < dropped) {
          slopes[i][p] = 0;
          continue;
        }
        const auto says = static_cast<float>(math::exact_log((distance + 1) / (distance + kNear)));
        logits[i][p / each] += (kOwn - kOther) * says;
        total += kOther * says;
        // With respect to the cosine: (d says / d distance) times (d distance / d cosine).
        slopes[i][p] =
            static_cast<float>((1 / (distance + 1) - 1 / (distance + kNear)) / -distance);
      }
      for (std::size_t k = 0; k < classes; ++k) logits[i][k] += total;
    }
    math::Matrix<float> by_logit;
    cross_entropy(logits, labels, by_logit);
    // The gradients with respect to the logits of a row sum to zero, so the part `kOther` of all
    // prototypes has no effect.
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t p = 0; p < all; ++p) slopes[i][p] *= (kOwn - kOther) * by_logit[i][p / each];
    const math::Matrix<float> by_prototype =
        through_unit_rows(made, multiply(transposed(slopes), units.units, pool));
    for (std::size_t i = 0; i < prototypes.first.size(); ++i)
      prototypes.gradient.data()[i] += by_prototype.data()[i];
    return through_unit_rows(units, multiply(slopes, made.units, pool));
  }

  // Codes of samples and centres. A sample is classified by the cosines of its code with the
  // centres. Both are pushed towards their signs and divided by a temperature; the original does
  // neither. Its cosines can agree although the signs do not, and the classification never becomes
  // certain. Adds to the gradients of features and prototypes.
  void encode(const math::Matrix<float>& features, std::span<const std::int64_t> labels,
              double apart, math::Matrix<float>& by_feature) {
    const std::size_t n = features.rows(), d = features.columns();
    const math::Matrix<float> means = class_means();
    math::Matrix<float> both(n + classes, d);
    std::copy_n(features.data(), n * d, both.data());
    std::copy_n(means.data(), classes * d, both[n].data());
    const math::Matrix<float> codes = hash.forward(std::move(both), n);
    const Rows<const float> centres = codes.view().slice(n, classes);

    math::Matrix<float> soft(n + classes, bits);
    const std::size_t count = (n + classes) * bits;
    hyperbolic_tangent({codes.data(), count}, {soft.data(), count});
    const UnitRows from = unit_rows(soft.view().slice(0, n));
    const UnitRows to = unit_rows(soft.view().slice(n, classes));
    math::Matrix<float> logits = multiply_rows(from.units, to.units, pool), slopes, spread, certain;
    for (std::size_t i = 0; i < n * classes; ++i) logits.data()[i] /= kTemperature;
    cross_entropy(logits, labels, slopes);
    separation(centres, apart, spread);
    quantisation(centres, 3, certain);
    const math::Matrix<float> by_code = through_unit_rows(from, multiply(slopes, to.units, pool));
    const math::Matrix<float> by_centre =
        through_unit_rows(to, multiply(transposed(slopes), from.units, pool));
    math::Matrix<float> gradient(n + classes, bits);
    for (std::size_t i = 0; i < count; ++i) {
      const bool sample = i < n * bits;
      const std::size_t c = sample ? 0 : i - n * bits;
      const float by_soft = sample ? by_code.data()[i] : by_centre.data()[c];
      gradient.data()[i] = 3 / kTemperature * by_soft * (1 - soft.data()[i] * soft.data()[i]);
      if (!sample) gradient.data()[i] += 0.1f * spread.data()[c] + 0.1f * certain.data()[c];
    }
    const math::Matrix<float> back = hash.backward(std::move(gradient));
    for (std::size_t i = 0; i < n * d; ++i) by_feature.data()[i] += back.data()[i];
    for (std::size_t p = 0; p < classes * each; ++p)
      for (std::size_t j = 0; j < d; ++j)
        prototypes.gradient[p][j] += back[n + p / each][j] / static_cast<float>(each);
  }
};

}  // namespace

Result<PheHead> train_phe_head(SupportView& support, const HeadTrainingSet& set,
                               const TrainingOptions& options, std::size_t bits,
                               std::size_t prototypes, bool leaders) {
  core::Random random(options.seed);
  const std::size_t known = support.model().known_classes();
  PheNetwork net(support.pool(), set, options, known, bits, prototypes, random);
  Leaders pulled(leaders ? set.classes : 0, set.units.columns(), support.pool(), random);
  std::vector<HeadParameter*> parameters{&net.prototypes};
  net.projector.add_parameters(parameters);
  net.hash.add_parameters(parameters);
  pulled.add_parameters(parameters);
  Adam adam(std::move(parameters));
  const double apart = math::most_distance(bits, known);
  PACO_TRY(
      train(support, set, options, adam, [&](std::span<const std::size_t> rows, core::Random& own) {
        const std::vector<std::int64_t> labels = labels_of(set, rows, 1);
        const math::Matrix<float> features =
            net.projector.forward(views_of(set, rows, 1, options.borrowed, own));
        // Only known classes have prototypes and centres. Virtual samples are used only by the
        // leaders.
        const std::vector<std::size_t> counted = labelled(labels, known);
        const math::Matrix<float> of_known = gathered(features, counted);
        std::vector<std::int64_t> known_labels;
        for (const std::size_t i : counted) known_labels.push_back(labels[i]);
        math::Matrix<float> by_known = net.classify(of_known, known_labels, own);
        net.encode(of_known, known_labels, apart, by_known);
        math::Matrix<float> gradient = scattered(by_known, counted, features.rows());
        pulled.add(features, labels, gradient);
        net.projector.backward(std::move(gradient), false);
      }));
  Stack* const stacks[] = {&net.projector, &net.hash};
  std::vector<AffineLayer> layers = frozen_layers(set, stacks);
  const Head hash(std::vector<AffineLayer>(layers.begin() + 1, layers.end()));
  const math::Matrix<float> centres = hash.apply(net.class_means(), support.pool());
  return PheHead{Head(std::move(layers)), codes_of(centres.view().slice(0, known), Coding::signs)};
}

}  // namespace paco::methods
