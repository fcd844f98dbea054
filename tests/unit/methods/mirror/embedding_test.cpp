// The whitened embedding does what it is for, and its scatter is what plain sums give.
#include "methods/mirror/embedding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "methods/mirror/scatter.hpp"
#include "synthetic_data.hpp"

namespace paco::testing {
namespace {

// Shrinkage straight from its definition, with whole matrices.
double plain_shrinkage(Rows<const float> u, std::span<const std::uint32_t> labels, std::size_t k,
                       std::size_t rank) {
  const std::size_t n = u.rows, d = u.columns;
  std::vector<double> sizes(k, 0);
  math::Matrix<double> means(k, d), within(d, d);
  for (std::size_t i = 0; i < n; ++i) {
    sizes[labels[i]] += 1;
    for (std::size_t j = 0; j < d; ++j) means[labels[i]][j] += static_cast<double>(u[i][j]);
  }
  std::vector<math::Matrix<double>> scatter(k, math::Matrix<double>(d, d));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = labels[i];
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < d; ++b) {
        const double x = (static_cast<double>(u[i][a]) - means[c][a] / sizes[c]) *
                         (static_cast<double>(u[i][b]) - means[c][b] / sizes[c]) /
                         static_cast<double>(n - k);
        scatter[c][a][b] += x;
        within[a][b] += x;
      }
    }
  }
  double trace = 0, squared = 0, error = 0;
  for (std::size_t a = 0; a < d; ++a) {
    trace += within[a][a];
    for (std::size_t b = 0; b < d; ++b) {
      squared += within[a][b] * within[a][b];
      for (std::size_t c = 0; c < k; ++c) {
        const double x = scatter[c][a][b] - sizes[c] / static_cast<double>(n) * within[a][b];
        error += x * x;
      }
    }
  }
  const double classes = static_cast<double>(k), mu = trace / static_cast<double>(rank);
  return std::clamp(error * classes / (classes - 1) / (squared - mu * trace), 0.0, 1.0);
}

TEST(Scatter, ShrinkageIsThatOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    core::Random random(seed);
    // Small and large classes, fewer and more samples than dimensions.
    const std::size_t d = 3 + random.below(30), k = 3 + random.below(5);
    std::vector<std::uint32_t> labels;
    for (std::uint32_t c = 0; c < k; ++c)
      labels.insert(labels.end(), 1 + random.below(seed % 2 == 0 ? 6 : 60), c);
    random.shuffle(std::span(labels));
    math::Matrix<float> u(labels.size(), d);
    for (std::size_t i = 0; i < u.rows(); ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        const double spread = j % 3 == 0 ? 1.0 : 0.1;
        u[i][j] = static_cast<float>(spread * random.normal() + 0.2 * labels[i]);
      }
    }
    methods::FitRoom room;
    const methods::Scatter scatter = methods::scatter_of(u, labels, k, room, {});
    if (labels.size() <= k) continue;
    EXPECT_EQ(scatter.rank, std::min(d, labels.size() - 1)) << "seed " << seed;
    EXPECT_NEAR(scatter.shrinkage, plain_shrinkage(u, labels, k, scatter.rank), 1e-9)
        << "seed " << seed;
  }
}

TEST(Embedding, WhitenedSamplesVaryAlikeInAllDirections) {
  // Two directions of very different spread within classes become alike.
  core::Random random(3);
  constexpr std::size_t kSamples = 4000, kClasses = 4;
  math::Matrix<double> h(kSamples, 3);
  std::vector<std::uint32_t> labels(kSamples);
  std::vector<std::size_t> all(kSamples);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < kSamples; ++i) {
    labels[i] = static_cast<std::uint32_t>(i % kClasses);
    h[i][0] = 10.0 * (labels[i] % 2) + 0.1 * random.normal();
    h[i][1] = 10.0 * (labels[i] / 2) + 3 * random.normal();
    h[i][2] = random.normal();
  }
  methods::FitRoom room;
  const methods::MirrorEmbedding embedding =
      methods::fit_embedding({h, all, labels, kClasses}, room, {});
  EXPECT_LT(embedding.alpha, 0.1);
  EXPECT_EQ(embedding.rank, 3u);
  const methods::SupportEmbedder embedder(embedding);
  const math::Matrix<float> v = embedder.embed(h, all, {});
  const methods::MirrorReferences references = methods::references_of(v, labels, kClasses);
  const methods::MirrorEmbedding plain{embedding.mean, embedding.deviation, {}, 1, 0};
  const methods::MirrorReferences unwhitened =
      methods::references_of(methods::SupportEmbedder(plain).embed(h, all, {}), labels, kClasses);
  EXPECT_GT(references.rho, unwhitened.rho + 0.1);
  for (std::size_t i = 0; i < 50; ++i) {
    double squared = 0;
    for (const float x : v[i]) squared += static_cast<double>(x) * static_cast<double>(x);
    EXPECT_NEAR(squared, 1, 1e-6);
  }
}

TEST(Embedding, ARowThatEqualsTheMeanBecomesZero) {
  math::Matrix<double> h(4, 2);
  h[0][0] = 1, h[1][0] = -1, h[2][1] = 1, h[3][1] = -1;
  math::Matrix<double> centre(1, 2);
  const std::vector<std::size_t> all{0, 1, 2, 3}, first{0};
  const std::vector<std::uint32_t> labels{0, 0, 1, 1};
  methods::FitRoom room;
  const methods::MirrorEmbedding embedding = methods::fit_embedding({h, all, labels, 2}, room, {});
  const math::Matrix<float> v = methods::SupportEmbedder(embedding).embed(centre, first, {});
  EXPECT_EQ(v[0][0], 0.0f);
  EXPECT_EQ(v[0][1], 0.0f);
}

}  // namespace
}  // namespace paco::testing
