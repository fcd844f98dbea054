#include "peers/training.hpp"

#include <algorithm>
#include <cmath>

namespace paco {
namespace {

using Kind = MethodOption::Kind;
using Stage = MethodOption::Stage;

constexpr std::size_t kBatch = 128;
constexpr std::size_t kBottleneck = 256;

double input_scale(std::size_t dimension) { return std::sqrt(static_cast<double>(dimension)); }

}  // namespace

TrainingOptions TrainingOptions::from(const Settings& s) {
  TrainingOptions o;
  o.epochs = static_cast<int>(whole_setting(s, "epochs"));
  if (s.contains("width")) o.width = static_cast<std::size_t>(whole_setting(s, "width"));
  o.rate = number_setting(s, "rate");
  o.jitter = number_setting(s, "jitter");
  o.seed = static_cast<std::uint64_t>(whole_setting(s, "seed"));
  return o;
}

std::vector<MethodOption> TrainingOptions::declared(bool hidden) {
  std::vector<MethodOption> options{
      {"epochs", Kind::whole, Stage::calibrating, "80", "passes over the support set", 1, 1e5, {}},
      {"width", Kind::whole, Stage::calibrating, "256", "of the head's hidden layers", 2, 8192, {}},
      {"rate",
       Kind::number,
       Stage::calibrating,
       "0.003",
       "learning rate at the start",
       1e-9,
       1,
       {}},
      {"jitter",
       Kind::number,
       Stage::calibrating,
       "0.5",
       "length of the noise by which two views of an embedding differ",
       0,
       10,
       {}},
      {"seed",
       Kind::whole,
       Stage::calibrating,
       "0",
       "of weights, batches and noise",
       0,
       4294967295,
       {}}};
  if (!hidden) std::erase_if(options, [](const MethodOption& o) { return o.name == "width"; });
  return options;
}

TrainingSet TrainingSet::from(const SupportView& support) {
  return {support.units(),
          {support.labels().begin(), support.labels().end()},
          support.model().known_classes()};
}

// Noise is uniform: four draws of 16 bits from one random number.
Matrix<float> views_of(const TrainingSet& set, std::span<const std::size_t> rows, int views,
                       double jitter, Random& random) {
  const std::size_t d = set.units.columns();
  const auto scale = static_cast<float>(input_scale(d));
  const auto reach = static_cast<float>(jitter * std::sqrt(3.0) / 32768);
  Matrix<float> out(rows.size() * static_cast<std::size_t>(views), d);
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const std::span<const float> from = set.units[rows[i % rows.size()]];
    for (std::size_t j = 0; j < d; j += 4) {
      std::uint64_t bits = random.next64();
      for (std::size_t l = j; l < std::min(j + 4, d); ++l, bits >>= 16) {
        const auto noise = static_cast<float>(static_cast<std::int32_t>(bits & 0xffff) - 32768);
        out[i][l] = scale * from[l] + reach * noise;
      }
    }
  }
  return out;
}

std::vector<std::int64_t> labels_of(const TrainingSet& set, std::span<const std::size_t> rows,
                                    int views) {
  std::vector<std::int64_t> out;
  for (int v = 0; v < views; ++v)
    for (const std::size_t row : rows) out.push_back(set.labels[row]);
  return out;
}

std::size_t add_trunk(Stack& stack, std::size_t inputs, std::size_t width, Random& random) {
  const std::size_t narrow = std::min(width, kBottleneck);
  stack.linear(inputs, width, true, random).gelu();
  stack.linear(width, width, true, random).gelu();
  stack.linear(width, narrow, false, random).normalise().gelu();
  return narrow;
}

Result<void> train(SupportView& support, const TrainingSet& set, const TrainingOptions& options,
                   Adam& adam, const TrainingStep& step) {
  const std::size_t n = set.units.rows(), batches = std::max<std::size_t>(n / kBatch, 1);
  const auto total = static_cast<std::size_t>(options.epochs) * batches;
  std::size_t done = 0;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    Random random(options.seed, 1 + static_cast<std::uint64_t>(epoch));
    const std::vector<std::size_t> order = random.permutation(n);
    for (std::size_t b = 0; b < batches; ++b, ++done) {
      if (support.stop().stop_requested())
        return Error{ErrorCode::interrupted, "calibration was interrupted", ""};
      // Without the last, smaller batch, unless it is all there is.
      const std::size_t size = std::min(kBatch, n);
      step(std::span(order).subspan(b * size, size), random);
      const double left = 1 - static_cast<double>(done) / static_cast<double>(total);
      adam.step(options.rate * left);
    }
    if (support.progress()) support.progress()(done, total);
  }
  return {};
}

std::vector<AffineLayer> frozen_layers(const TrainingSet& set, std::span<Stack* const> stacks) {
  const auto scale = static_cast<float>(input_scale(set.units.columns()));
  Matrix<float> x = set.units;
  for (std::size_t i = 0; i < x.rows() * x.columns(); ++i) x.data()[i] *= scale;
  std::vector<AffineLayer> layers;
  for (Stack* stack : stacks) stack->freeze(x, layers);
  Matrix<float>& first = layers.front().weight;
  for (std::size_t i = 0; i < first.rows() * first.columns(); ++i) first.data()[i] *= scale;
  return layers;
}

}  // namespace paco
