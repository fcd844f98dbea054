// A linear layer is the sum that defines it, on every instruction set, and a row does not feel its
// neighbours. The curve behind it is GELU, and attention is what its definition says.
#include "embed/cpu/linear.hpp"

#include <gmock/gmock.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/random.hpp"
#include "embed/cpu/attention.hpp"

namespace paco::embed {
namespace {

std::vector<float> random_numbers(std::size_t count, core::Random& random) {
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(random.normal());
  return numbers;
}

struct Layer {
  std::size_t outputs, inputs;
  std::vector<float> weights, bias;
  Layer(std::size_t outputs_, std::size_t inputs_, core::Random& random)
      : outputs(outputs_),
        inputs(inputs_),
        weights(random_numbers(outputs * inputs, random)),
        bias(random_numbers(outputs, random)) {}
  Linear packed() const { return Linear(weights.data(), bias.data(), outputs, inputs); }
  double sum(const float* x, std::size_t output) const {
    double total = bias[output];
    for (std::size_t k = 0; k < inputs; ++k) total += double{weights[output * inputs + k]} * x[k];
    return total;
  }
};

// Every instruction set that the machine has, one after another.
template <class Body>
void on_every_target(const Body& body) {
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    SCOPED_TRACE(hwy::TargetName(targets & -targets));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Linear, IsTheSumOnEveryInstructionSet) {
  on_every_target([] {
    core::Random random(3);
    for (const auto& [rows, outputs, inputs] :
         {std::array<std::size_t, 3>{1, 1, 1}, {5, 33, 7}, {13, 64, 400}, {29, 100, 800}}) {
      const Layer layer(outputs, inputs, random);
      const auto x = random_numbers(rows * inputs, random);
      const auto before = random_numbers(rows * outputs, random);
      for (const Finish finish : {Finish::store, Finish::gelu, Finish::add}) {
        std::vector<float> out = before;
        layer.packed().apply(x.data(), rows, inputs, out.data(), outputs, finish);
        double worst = 0;
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < outputs; ++j) {
            double expected = layer.sum(x.data() + i * inputs, j);
            if (finish == Finish::gelu) expected *= 0.5 * std::erfc(-expected / std::sqrt(2.0));
            if (finish == Finish::add) expected += before[i * outputs + j];
            worst = std::max(worst, std::fabs(out[i * outputs + j] - expected));
          }
        EXPECT_LE(worst, 3e-6 * std::sqrt(static_cast<double>(inputs)) + 1e-6)
            << rows << " x " << outputs << " x " << inputs << ", finish "
            << static_cast<int>(finish);
      }
    }
  });
}

TEST(Linear, ARowDoesNotFeelItsNeighbours) {
  core::Random random(4);
  const Layer layer(70, 500, random);
  const Linear packed = layer.packed();
  const auto x = random_numbers(31 * 500, random);
  std::vector<float> together(31 * 70), alone(70);
  packed.apply(x.data(), 31, 500, together.data(), 70, Finish::gelu);
  for (std::size_t i = 0; i < 31; ++i) {
    packed.apply(x.data() + i * 500, 1, 500, alone.data(), 70, Finish::gelu);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + i * 70)) << "row " << i;
  }
}

TEST(Linear, TheCurveIsGeluFromEndToEnd) {
  const float one = 1, zero = 0;
  const Linear identity(&one, &zero, 1, 1);
  for (float x = -40; x <= 40; x += 0.01f) {
    float y = 0;
    identity.apply(&x, 1, 1, &y, 1, Finish::gelu);
    const double expected = double{x} * 0.5 * std::erfc(-double{x} / std::sqrt(2.0));
    ASSERT_NEAR(y, expected, 2e-7 * std::max(1.0, std::fabs(double{x}))) << "at " << x;
  }
}

float rounded_to_bfloat16(float number) {
  int exponent = 0;
  const float fraction = std::frexp(number, &exponent);
  return std::ldexp(std::nearbyint(fraction * 256), exponent - 8);
}

// What both factors are in fewer bits, as reduced.hpp defines it.
void round_like(CpuPrecision precision, std::vector<float>& weights, std::vector<float>& x) {
  if (precision == CpuPrecision::bfloat16) {
    for (auto* numbers : {&weights, &x})
      for (float& number : *numbers) number = rounded_to_bfloat16(number);
    return;
  }
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::fabs(weight));
  for (float& weight : weights)
    weight = largest * static_cast<float>(std::lround(double{weight} / largest * 127)) / 127;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const float offset = *low, scale = (*high - *low) / 255;
  for (float& number : x) number = offset + scale * std::nearbyint((number - offset) / scale);
}

TEST(Linear, FewerBitsAreTheSumOfWhatTheFactorsAreRoundedTo) {
  for (const CpuPrecision precision : {CpuPrecision::bfloat16, CpuPrecision::int8}) {
    if (!processor_has(precision))
      GTEST_SKIP() << "this processor has no " << cpu_precision_name(precision);
    core::Random random(6);
    for (const std::size_t inputs : {1u, 7u, 64u, 401u}) {
      constexpr std::size_t kRows = 17, kOutputs = 45;
      const Layer layer(kOutputs, inputs, random);
      const auto x = random_numbers(kRows * inputs, random);
      const Linear packed(layer.weights.data(), layer.bias.data(), kOutputs, inputs, precision);
      std::vector<float> out(kRows * kOutputs);
      packed.apply(x.data(), kRows, inputs, out.data(), kOutputs, Finish::store);
      double worst = 0;
      for (std::size_t i = 0; i < kRows; ++i)
        for (std::size_t j = 0; j < kOutputs; ++j) {
          std::vector<float> w(layer.weights.begin() + j * inputs,
                               layer.weights.begin() + (j + 1) * inputs);
          std::vector<float> row(x.begin() + i * inputs, x.begin() + (i + 1) * inputs);
          round_like(precision, w, row);
          double sum = layer.bias[j];
          for (std::size_t k = 0; k < inputs; ++k) sum += double{w[k]} * row[k];
          worst = std::max(worst, std::fabs(out[i * kOutputs + j] - sum));
        }
      // A number halfway between two bytes may go either way: one step of one factor.
      EXPECT_LE(worst, precision == CpuPrecision::int8 ? 0.15 : 1e-4)
          << inputs << " inputs in " << cpu_precision_name(precision);
    }
  }
}

TEST(Attention, IsTheMixtureThatItsDefinitionSaysOnEveryInstructionSet) {
  on_every_target([] {
    core::Random random(5);
    for (const auto& [tokens, heads, width] :
         {std::array<std::size_t, 3>{1, 1, 4}, {16, 2, 8}, {50, 3, 20}, {197, 1, 64}}) {
      const std::size_t columns = heads * width, beyond = 32;
      const auto q = random_numbers(tokens * columns + beyond, random);
      const auto k = random_numbers(tokens * columns + beyond, random);
      const auto v = random_numbers(tokens * columns + beyond, random);
      std::vector<float> out(tokens * columns), scratch;
      attend({q.data(), k.data(), v.data(), columns, columns, tokens, tokens, heads, width,
              out.data(), columns},
             scratch);
      double worst = 0;
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t first = 0; first < columns; first += width) {
          std::vector<double> weights(tokens), mixed(width);
          double sum = 0;
          for (std::size_t u = 0; u < tokens; ++u) {
            double score = 0;
            for (std::size_t j = first; j < first + width; ++j)
              score += double{q[t * columns + j]} * k[u * columns + j];
            sum += weights[u] = std::exp(score);
          }
          for (std::size_t u = 0; u < tokens; ++u)
            for (std::size_t j = 0; j < width; ++j)
              mixed[j] += weights[u] / sum * v[u * columns + first + j];
          for (std::size_t j = 0; j < width; ++j)
            worst = std::max(worst, std::fabs(out[t * columns + first + j] - mixed[j]));
        }
      EXPECT_LE(worst, 2e-5) << tokens << " tokens, " << heads << " heads of " << width;
    }
  });
}

}  // namespace
}  // namespace paco::embed
