// The shape of a network is read from its weights, and wrong ones are refused.
#include "embed/weights/net_spec.hpp"

#include <gmock/gmock.h>

namespace paco::embed {
namespace {

using ::testing::HasSubstr;

TEST(NetSpec, EveryNameMakesASpecThatSurvivesJson) {
  for (const std::string& name : backbone_names()) {
    const auto spec = make_spec(name);
    ASSERT_TRUE(spec.ok()) << name;
    const auto back = spec_from_json(spec_to_json(*spec), "settings.json");
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, *spec) << name;
  }
}

TEST(NetSpec, AnInputThatPatchesDoNotDivideIsRefusedWithTheNearestOnes) {
  const auto spec = make_spec("vit_b16", 230);
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().message, HasSubstr("230"));
  EXPECT_THAT(spec.error().hint, HasSubstr("224 or 240"));
}

TEST(NetSpec, AnUnknownBackboneIsAnsweredWithTheKnownOnes) {
  const auto spec = make_spec("resnet50");
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().hint, HasSubstr("vit_ti16"));
  EXPECT_THAT(spec.error().hint, HasSubstr("small"));
}

TEST(NetSpec, NormalisationsHaveNamesAndNumbers) {
  for (const char* name : {"imagenet", "half", "none", "0.1,0.2,0.3,0.4,0.5,0.6"}) {
    const auto normalisation = parse_normalisation(name);
    ASSERT_TRUE(normalisation.ok()) << name;
    EXPECT_EQ(normalisation_name(*normalisation), name);
  }
  for (const char* name : {"", "halve", "1,2,3", "0,0,0,1,1,0", "0,0,0,1,1,1,1", "0,0,0,1,1,nan"})
    EXPECT_FALSE(parse_normalisation(name).ok()) << name;
}

TEST(NetSpec, DamagedDescriptionsNameTheFile) {
  for (
      const char* text :
      {"", "[]", "{}", R"({"backbone":"small"})",
       R"({"backbone":"small","grid":0,"width":128,"input":28,"dimension":4,"normalisation":"half"})",
       R"({"backbone":"vit_b16","input":224,"dimension":-5,"normalisation":"half","width":768})"}) {
    const auto spec = spec_from_json(text, "run/weights.safetensors");
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_THAT(spec.error().message, HasSubstr("run/weights.safetensors"));
  }
}

}  // namespace
}  // namespace paco::embed
