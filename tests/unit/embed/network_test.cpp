// Networks on a CPU have the outputs of the plain ones, and an image's embedding is its own: the
// same bytes for any batch and any number of threads.
#include "embed/cpu/network.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "core/random.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/cpu/plain_forward.hpp"
#include "embed/weights/weights.hpp"

namespace paco::embed {
namespace {

using ::testing::HasSubstr;

NetSpec vit(int input, int patch, int width, int heads, int depth, int dimension) {
  NetSpec spec = *make_spec("vit_ti8", 32);
  spec.input = input;
  spec.patch = patch;
  spec.grid = input / patch;
  spec.width = width;
  spec.heads = heads;
  spec.depth = depth;
  spec.dimension = dimension;
  return spec;
}

// Weights that are all at work: norms and biases too.
StateDict random_tensors(const NetSpec& spec, std::uint64_t seed) {
  StateDict tensors = fresh_tensors(spec, seed);
  core::Random random(seed + 100);
  for (NamedTensor& tensor : tensors)
    for (float& value : tensor.values) {
      value += static_cast<float>(0.1 * random.normal());
      if (tensor.name.ends_with("gamma")) value += 0.5f;
    }
  return tensors;
}

std::vector<std::uint8_t> random_pixels(std::size_t count, std::uint64_t seed) {
  core::Random random(seed);
  std::vector<std::uint8_t> pixels(count);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  return pixels;
}

Batch batch_of(const NetSpec& spec, const std::vector<std::uint8_t>& pixels, std::size_t first,
               std::size_t count) {
  const std::size_t image = static_cast<std::size_t>(spec.input) * spec.input * 3;
  Batch batch;
  batch.input = spec.input;
  batch.views = 1;
  batch.asked = count;
  for (std::size_t i = 0; i < count; ++i) batch.samples.push_back(first + i);
  batch.pixels = std::shared_ptr<std::uint8_t[]>(new std::uint8_t[count * image]);
  std::copy_n(pixels.begin() + static_cast<std::ptrdiff_t>(first * image), count * image,
              batch.pixels.get());
  return batch;
}

std::vector<NetSpec> several_networks() {
  std::vector<NetSpec> specs = {vit(16, 8, 16, 2, 1, 0), vit(24, 4, 36, 3, 2, 5),
                                vit(56, 14, 64, 1, 3, 0), *make_spec("small", 28, 10),
                                *make_spec("small", 37, 0)};
  specs[1].layer_scale = true;
  specs[2].grid = 3;  // positions of another grid
  specs[3].width = 32;
  specs[4].width = 64;
  return specs;
}

TEST(Network, HasTheOutputsOfThePlainOne) {
  std::uint64_t seed = 1;
  for (const NetSpec& spec : several_networks()) {
    const StateDict tensors = random_tensors(spec, ++seed);
    const auto network = make_network(spec, tensors, "random");
    ASSERT_TRUE(network.ok()) << network.error().message;
    const auto pixels = random_pixels(static_cast<std::size_t>(spec.input) * spec.input * 3, seed);
    std::vector<float> out(static_cast<std::size_t>(spec.embedding()));
    Scratch scratch;
    (*network)->run(pixels.data(), 1, out.data(), scratch);
    const std::vector<double> expected = plain::forward(spec, tensors, pixels.data());
    ASSERT_EQ(expected.size(), out.size());
    double difference = 0, size = 0;
    for (std::size_t j = 0; j < out.size(); ++j) {
      difference += std::pow(out[j] - expected[j], 2);
      size += std::pow(expected[j], 2);
    }
    EXPECT_LE(std::sqrt(difference / size), 1e-5) << spec_to_json(spec) << ", seed " << seed;
  }
}

TEST(Network, FewerBitsStayNear) {
  for (const auto& [precision, largest] :
       {std::pair{CpuPrecision::bfloat16, 0.02}, {CpuPrecision::int8, 0.05}}) {
    if (!processor_has(precision))
      GTEST_SKIP() << "this processor has no " << cpu_precision_name(precision);
    for (const NetSpec& spec : several_networks()) {
      const StateDict tensors = fresh_tensors(spec, 7);
      const auto pixels = random_pixels(static_cast<std::size_t>(spec.input) * spec.input * 3, 8);
      const auto dimension = static_cast<std::size_t>(spec.embedding());
      std::vector<float> exact(dimension), rounded(dimension);
      Scratch scratch;
      (*make_network(spec, tensors, "w"))->run(pixels.data(), 1, exact.data(), scratch);
      (*make_network(spec, tensors, "w", precision))
          ->run(pixels.data(), 1, rounded.data(), scratch);
      double difference = 0, size = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        difference += std::pow(exact[j] - rounded[j], 2);
        size += std::pow(exact[j], 2);
      }
      EXPECT_LE(std::sqrt(difference / size), largest)
          << spec_to_json(spec) << " in " << cpu_precision_name(precision);
      EXPECT_GT(difference, 0) << "nothing was rounded";
    }
  }
}

TEST(Network, AnyBatchAndAnyNumberOfThreadsGiveTheSameBytes) {
  constexpr std::size_t kImages = 53;
  const NetSpec transformer = vit(16, 8, 16, 2, 2, 0), compact = *make_spec("small", 28, 0);
  for (const auto& [spec, precision] : {std::pair{transformer, CpuPrecision::float32},
                                        {compact, CpuPrecision::float32},
                                        {transformer, CpuPrecision::bfloat16},
                                        {transformer, CpuPrecision::int8}}) {
    if (!processor_has(precision)) continue;
    const std::size_t image = static_cast<std::size_t>(spec.input) * spec.input * 3;
    const auto pixels = random_pixels(kImages * image, 9);
    StateDict weights = random_tensors(spec, 5);
    std::vector<float> expected;
    for (const unsigned threads : {1u, 2u, 5u})
      for (const std::size_t size : {kImages, std::size_t{1}, std::size_t{25}}) {
        EmbedderSettings settings;
        settings.threads = threads;
        settings.precision = cpu_precision_name(precision);
        auto embedder = open_cpu_backbone(spec, weights, "random", settings);
        ASSERT_TRUE(embedder.ok()) << embedder.error().message;
        const auto dimension = static_cast<std::size_t>(spec.embedding());
        math::Matrix<float> out(kImages, dimension);
        for (std::size_t first = 0; first < kImages; first += size) {
          const std::size_t count = std::min(size, kImages - first);
          ASSERT_TRUE(
              (*embedder)
                  ->embed(batch_of(spec, pixels, first, count), out.view().slice(first, count))
                  .ok());
        }
        std::vector<float> numbers(out.data(), out.data() + kImages * dimension);
        if (expected.empty()) expected = numbers;
        EXPECT_TRUE(numbers == expected) << threads << " threads, batches of " << size;
      }
  }
}

TEST(Network, AnEmptyBatchHasNoEmbeddings) {
  const NetSpec spec = vit(16, 8, 16, 2, 1, 0);
  const auto embedder = open_cpu_backbone(spec, random_tensors(spec, 5), "random", {});
  ASSERT_TRUE(embedder.ok());
  EXPECT_TRUE((*embedder)->embed(batch_of(spec, {}, 0, 0), {nullptr, 0, 16}).ok());
}

TEST(Network, WeightsThatDoNotFitAreRefusedByName) {
  const NetSpec spec = vit(16, 8, 16, 2, 1, 0);
  StateDict tensors = random_tensors(spec, 5);
  tensors.pop_back();
  const auto network = make_network(spec, tensors, "w.safetensors");
  ASSERT_FALSE(network.ok());
  EXPECT_THAT(network.error().message,
              AllOf(HasSubstr("w.safetensors"), HasSubstr("missing: backbone.norm.bias")));
  NetSpec narrow = *make_spec("small", 28, 0);
  narrow.width = 20;
  EXPECT_THAT(make_network(narrow, fresh_tensors(narrow, 0), "w").error().message,
              HasSubstr("width 20"));
}

TEST(Network, AnUnknownPrecisionIsRefused) {
  EmbedderSettings settings;
  settings.precision = "float7";
  const auto embedder = open_cpu_backbone(*make_spec("small", 28), "", settings);
  ASSERT_FALSE(embedder.ok());
  EXPECT_THAT(embedder.error().message, HasSubstr("float7"));
}

TEST(CpuEmbedder, OtherWeightsHaveAnotherFingerprint) {
  const NetSpec spec = vit(16, 8, 16, 2, 1, 0);
  StateDict tensors = random_tensors(spec, 5);
  const auto print = [&] { return (*open_cpu_backbone(spec, tensors, "w", {}))->fingerprint(); };
  const std::uint64_t before = print();
  EXPECT_EQ(print(), before);
  tensors.back().values.back() += 1;
  EXPECT_NE(print(), before);
}

}  // namespace
}  // namespace paco::embed
