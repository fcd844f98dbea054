// A folder of an encoder is told by what lies in it, and a published vision transformer's
// configuration becomes the network that it describes.
#include "embed/weights/image_encoder.hpp"

#include <gmock/gmock.h>

#include "core/files.hpp"
#include "temporary_folder.hpp"

namespace paco::embed {
namespace {

using ::testing::HasSubstr;

const char* const kTiny = R"({"architecture": "vit_tiny_patch16_224", "num_classes": 1000,
  "pretrained_cfg": {"input_size": [3, 224, 224], "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}})";

TEST(ImageEncoder, ItsConfigurationNamesNetworkInputAndNormalisation) {
  const auto spec = parse_image_config(kTiny, "config.json");
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->backbone, "vit_ti16");
  EXPECT_EQ(spec->input, 224);
  EXPECT_EQ(normalisation_name(spec->normalisation), "half");
}

TEST(ImageEncoder, AnotherArchitectureOrADamagedConfigurationIsRefusedByName) {
  const auto message = [](const std::string& text) {
    const auto spec = parse_image_config(text, "config.json");
    return spec.ok() ? "accepted" : spec.error().message;
  };
  EXPECT_THAT(message(R"({"architecture": "resnet50"})"), HasSubstr("resnet50"));
  EXPECT_THAT(message(R"({"architecture": "vit_base_patch32_224"})"), HasSubstr("patch32"));
  EXPECT_THAT(message(R"({"architecture": "vit_base_patch16_224"})"), HasSubstr("pretrained_cfg"));
  std::string wrong = kTiny;
  wrong.replace(wrong.find("\"std\": [0.5"), 11, "\"std\": [0.0");
  EXPECT_THAT(message(wrong), HasSubstr("std"));
  EXPECT_THAT(message("[1, 2"), HasSubstr("config.json"));
}

TEST(ImageEncoder, AFolderSaysWhichKindItIs) {
  const testing::TemporaryFolder folder;
  const auto kind = [&] { return encoder_kind(folder.path()); };
  ASSERT_FALSE(kind().ok());
  EXPECT_THAT(kind().error().message, HasSubstr("neither config.json nor weights.safetensors"));
  ASSERT_TRUE(core::write_file(folder / "config.json", std::string_view(kTiny)).ok());
  EXPECT_EQ(kind().value(), EncoderKind::image);
  ASSERT_TRUE(core::write_file(folder / "config.json", std::string_view("{}")).ok());
  EXPECT_EQ(kind().value(), EncoderKind::text);
  ASSERT_TRUE(core::write_file(folder / "weights.safetensors", std::string_view("x")).ok());
  EXPECT_EQ(kind().value(), EncoderKind::run);
  EXPECT_THAT(encoder_kind(folder / "nothing").error().message, HasSubstr("no such encoder"));
}

TEST(ImageEncoder, ItsRecordChangesWithNormalisationAndWeights) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(core::write_file(folder / "a", std::string_view("weights")).ok());
  ASSERT_TRUE(core::write_file(folder / "b", std::string_view("others")).ok());
  const auto record = [&](const char* file, const char* normalise) {
    NetSpec spec = *make_spec("vit_ti16");
    spec.normalisation = *parse_normalisation(normalise);
    return image_record(spec, folder / file, "float32").value();
  };
  EXPECT_EQ(record("a", "half"), record("a", "half"));
  EXPECT_NE(record("a", "half"), record("a", "imagenet"));
  EXPECT_NE(record("a", "half"), record("b", "half"));
  EXPECT_THAT(record("a", "half").preprocessing, HasSubstr("centre 224 px, half"));
}

// Without config.json the name that timm gives a file says what is done to pixels; no other name
// does.
TEST(ImageEncoder, WeightsUnderTheNameOfTheirPublisherNeedNoConfig) {
  const auto of = [](const std::string& name) { return spec_of_file_name("models/" + name); };
  const auto half = of("vit_tiny_patch16_224.safetensors");
  ASSERT_TRUE(half);
  EXPECT_EQ(half->backbone, "vit_ti16");
  EXPECT_EQ(half->input, 224);
  EXPECT_FLOAT_EQ(half->normalisation.mean[0], 0.5f);
  EXPECT_TRUE(of("vit_base_patch16_224.augreg_in21k_ft_in1k.safetensors"));
  const auto dino = of("vit_small_patch16_224.dino.safetensors");
  ASSERT_TRUE(dino);
  EXPECT_FLOAT_EQ(dino->normalisation.mean[0], 0.485f);
  for (const char* name :
       {"weights.safetensors", "vit_base_patch16_224.mae.safetensors", "vit_tiny_patch16_224.pth",
        "vit_huge_patch14_224.safetensors", "vit_tiny_patch16_clip_224.safetensors"})
    EXPECT_FALSE(of(name)) << name;
}

}  // namespace
}  // namespace paco::embed
