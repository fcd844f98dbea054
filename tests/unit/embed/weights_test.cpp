// Weights fit a network by name and shape, and what does not fit is named.
#include "embed/weights/weights.hpp"

#include <gmock/gmock.h>

namespace paco::embed {
namespace {

using ::testing::HasSubstr;

TEST(Weights, FreshOnesFillEverySlotAndAreOfTheSeedAlone) {
  for (const NetSpec& spec : {*make_spec("vit_ti16", 32), *make_spec("small", 28)}) {
    const StateDict tensors = fresh_tensors(spec, 1);
    NamedTensors by_name;
    for (const NamedTensor& tensor : tensors) by_name.emplace(tensor.name, &tensor);
    EXPECT_TRUE(match_tensors(net_slots(spec), by_name, "fresh").ok()) << spec.backbone;
    EXPECT_EQ(tensors.front().values, fresh_tensors(spec, 1).front().values);
    EXPECT_NE(tensors.front().values, fresh_tensors(spec, 2).front().values);
  }
}

TEST(Weights, EverythingThatDoesNotFitIsNamedAtOnce) {
  const NetSpec spec = *make_spec("small", 28);
  StateDict tensors = fresh_tensors(spec, 1);
  tensors[0].name = "foreign";
  tensors[1].shape = {7};
  NamedTensors by_name;
  for (const NamedTensor& tensor : tensors) by_name.emplace(tensor.name, &tensor);
  const auto matched = match_tensors(net_slots(spec), by_name, "w.pth");
  ASSERT_FALSE(matched.ok());
  EXPECT_EQ(matched.error().code, ErrorCode::mismatch);
  EXPECT_THAT(matched.error().message,
              AllOf(HasSubstr("w.pth"), HasSubstr("missing: backbone.stages.0.0.weight"),
                    HasSubstr("misshapen: backbone.stages.0.1.norm1.weight is "),
                    HasSubstr("left over: foreign")));
}

TEST(Weights, ATensorThatIsThereTwiceIsRefused) {
  const StateDict tensors = {{"module.norm.weight", {1}, {1}}, {"norm.weight", {1}, {1}}};
  const auto usable = backbone_tensors(tensors, "w.pth");
  ASSERT_FALSE(usable.ok());
  EXPECT_THAT(usable.error().message, HasSubstr("norm.weight is there twice"));
}

TEST(Weights, OfACheckpointWithHeadsTheBackboneUnderFeaturesIsTaken) {
  const StateDict tensors = {{"features.norm.weight", {1}, {1}},
                             {"hash_head.mlp.0.weight", {1}, {1}},
                             {"prototype_vectors", {1}, {1}}};
  const auto usable = backbone_tensors(tensors, "phe.pth");
  ASSERT_TRUE(usable.ok());
  EXPECT_THAT(usable->ignored,
              ::testing::ElementsAre("hash_head.mlp.0.weight", "prototype_vectors"));
  ASSERT_EQ(usable->tensors.size(), 1u);
  EXPECT_EQ(usable->tensors.begin()->first, "norm.weight");
}

TEST(Weights, AClassifierIsLeftOutAndNamed) {
  const StateDict tensors = {{"head.weight", {1}, {1}}, {"norm.weight", {1}, {1}}};
  const auto usable = backbone_tensors(tensors, "w.pth");
  ASSERT_TRUE(usable.ok());
  EXPECT_THAT(usable->ignored, ::testing::ElementsAre("head.weight"));
  EXPECT_EQ(usable->tensors.size(), 1u);
}

}  // namespace
}  // namespace paco::embed
