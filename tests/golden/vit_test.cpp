// The published ViT-Tiny on six photos: class tokens as recorded, from the recorded pixels and from
// the JPEG files. Neither the weights nor the photos are part of the project; without them the
// tests are skipped.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "core/files.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/images/images.hpp"
#include "embed/images/preprocess.hpp"
#include "io/npy.hpp"
#ifdef PACO_HAS_TORCH
#include "embed/torch/torch_embedder.hpp"
#endif

namespace paco {
namespace {

std::string shared_folder() {
  const char* folder = std::getenv("PACO_SHARED");
  return folder != nullptr ? folder : PACO_SOURCE_DIR "/../shared";
}

using Open = Result<std::unique_ptr<embed::ImageEmbedder>> (*)(const embed::NetSpec&,
                                                               const std::string&,
                                                               const embed::EmbedderSettings&);

// By who computes: the network on a CPU, and where torch is there torch's.
struct Contender {
  const char* name;
  Open open;
  double largest_error;
};
void PrintTo(const Contender& contender, std::ostream* out) { *out << contender.name; }

class GoldenVit : public ::testing::TestWithParam<Contender> {
 protected:
  void SetUp() override {
    const std::string weights = shared_folder() + "/models/vit_tiny_patch16_224.safetensors";
    if (core::path_kind(weights) != core::PathKind::file) GTEST_SKIP() << weights << " is not here";
    embed::NetSpec spec = *embed::make_spec("vit_ti16");
    spec.normalisation = *embed::parse_normalisation("half");
    auto embedder = GetParam().open(spec, weights, {});
    ASSERT_TRUE(embedder.ok()) << embedder.error().message;
    embedder_ = std::move(embedder).value();
    pixels_ = io::read_npy<std::uint8_t>(folder_ + "pixels_u8.npy")->data;
    expected_ = io::read_npy<double>(folder_ + "features.npy")->data;
  }

  // The largest relative error of a class token, |token - expected| / |expected|.
  double relative_error(const std::vector<std::uint8_t>& pixels) {
    embed::Batch batch;
    batch.input = 224;
    batch.views = 1;
    batch.samples = {0, 1, 2, 3, 4, 5};
    batch.pixels = std::shared_ptr<std::uint8_t[]>(new std::uint8_t[pixels.size()]);
    std::copy(pixels.begin(), pixels.end(), batch.pixels.get());
    math::Matrix<float> tokens(6, 192);
    const auto done = embedder_->embed(batch, tokens.view());
    EXPECT_TRUE(done.ok());
    double worst = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      double difference = 0, size = 0;
      for (std::size_t j = 0; j < 192; ++j) {
        difference += std::pow(tokens[i][j] - expected_[i * 192 + j], 2);
        size += std::pow(expected_[i * 192 + j], 2);
      }
      worst = std::max(worst, std::sqrt(difference / size));
    }
    std::printf("relative error %.3g\n", worst);
    return worst;
  }

  std::string folder_ = shared_folder() + "/golden/vit/";
  std::unique_ptr<embed::ImageEmbedder> embedder_;
  std::vector<std::uint8_t> pixels_;
  std::vector<double> expected_;
};

TEST_P(GoldenVit, ClassTokensFromTheRecordedPixelsAreAsRecorded) {
  EXPECT_LE(relative_error(pixels_), GetParam().largest_error);
}

TEST_P(GoldenVit, ClassTokensFromTheJpegFilesAreCloseThroughOurOwnPreprocessing) {
  const auto source = embed::open_images("folder:" + folder_ + "images");
  ASSERT_TRUE(source.ok()) << source.error().message;
  std::vector<std::uint8_t> pixels;
  std::size_t different = 0;
  for (std::size_t i = 0; i < (*source)->size(); ++i) {
    const auto image = (*source)->load(i);
    ASSERT_TRUE(image.ok()) << image.error().message;
    std::vector<std::uint8_t> view(224 * 224 * 3);
    const auto placement = embed::centre_placement(static_cast<int>(image->width),
                                                   static_cast<int>(image->height), 224);
    embed::make_view(*image, placement, 224, view);
    pixels.insert(pixels.end(), view.begin(), view.end());
  }
  ASSERT_EQ(pixels.size(), pixels_.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) different += pixels[i] != pixels_[i];
  EXPECT_LE(relative_error(pixels), 2e-2);
  // With the JPEG decoder that recorded them the pixels are the same; another one may round
  // otherwise.
  EXPECT_LE(different, pixels.size() / 20);
}

const Contender contenders[] = {
#ifdef PACO_HAS_TORCH
    {"torch", embed::open_torch_backbone, 1e-4},
#endif
    {"cpu", embed::open_cpu_backbone, 1e-5},
};

INSTANTIATE_TEST_SUITE_P(, GoldenVit, ::testing::ValuesIn(contenders),
                         [](const auto& contender) { return std::string(contender.param.name); });

}  // namespace
}  // namespace paco
