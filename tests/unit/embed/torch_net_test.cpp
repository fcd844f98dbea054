// Networks have the outputs that their parts define, and load only weights that fit.
#include "embed/torch/torch_net.hpp"

#include <gmock/gmock.h>
#include <torch/script.h>

#include <filesystem>

#include "embed/torch/batch_fit.hpp"

namespace paco::embed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A transformer small enough for a test: 2 blocks of width 16 on patches of 8 px.
NetSpec tiny_vit() {
  NetSpec spec = *make_spec("vit_ti8", 32);
  spec.width = 16;
  spec.depth = 2;
  spec.heads = 2;
  spec.dimension = 5;
  return spec;
}

StateDict backbone_state(const NetSpec& spec, std::uint64_t seed, const std::string& prefix = "") {
  return state_of(*(*make_net(spec, seed))->backbone, prefix);
}

NamedTensor& tensor_named(StateDict& state, const std::string& name) {
  for (NamedTensor& tensor : state)
    if (tensor.name == name) return tensor;
  throw std::out_of_range(name);
}

TEST(TorchNet, TheSameSeedGivesTheSameWeightsAndAnotherOneOthers) {
  const NetSpec spec = tiny_vit();
  EXPECT_EQ(backbone_state(spec, 1)[0].values, backbone_state(spec, 1)[0].values);
  EXPECT_NE(tensor_named(*std::make_unique<StateDict>(backbone_state(spec, 1)),
                         "blocks.0.attn.qkv.weight")
                .values,
            tensor_named(*std::make_unique<StateDict>(backbone_state(spec, 2)),
                         "blocks.0.attn.qkv.weight")
                .values);
}

TEST(TorchNet, AnEmbeddingDoesNotDependOnTheRestOfItsBatch) {
  torch::NoGradGuard no_gradient;
  for (const NetSpec& spec : {tiny_vit(), *make_spec("small", 32, 5)}) {
    const auto net = *make_net(spec, 3);
    const auto images = torch::randn({3, 3, 32, 32}, at::detail::createCPUGenerator(5));
    const auto all = net->forward(images), one = net->forward(images.narrow(0, 1, 1));
    ASSERT_EQ(all.sizes(), torch::IntArrayRef({3, 5}));
    EXPECT_TRUE(torch::allclose(all[1], one[0], 1e-5, 1e-6)) << spec.backbone;
    EXPECT_FALSE(torch::allclose(all[0], all[1])) << spec.backbone;
  }
}

TEST(TorchNet, TheSmallNetworkHandsOnTheSameMapForAnyInputSize) {
  torch::NoGradGuard no_gradient;
  for (const int input : {8, 28, 33, 64}) {
    const NetSpec spec = *make_spec("small", input, 0);
    const auto net = *make_net(spec, 3);
    const auto features = net->forward(torch::zeros({2, 3, input, input}));
    EXPECT_EQ(features.sizes(), torch::IntArrayRef({2, spec.embedding()})) << input;
  }
}

TEST(TorchNet, TheSmallNetworkSeesWhereSomethingIs) {
  torch::NoGradGuard no_gradient;
  const auto net = *make_net(*make_spec("small", 32, 0), 3);
  auto images = torch::zeros({2, 3, 32, 32});
  images[0].narrow(1, 0, 8).fill_(1);   // a bar at the top,
  images[1].narrow(1, 24, 8).fill_(1);  // the same at the bottom
  const auto features = net->forward(images);
  EXPECT_LT(torch::cosine_similarity(features[0], features[1], 0).item<float>(), 0.9);
}

TEST(TorchNet, OtherInputSizesInterpolateThePositions) {
  torch::NoGradGuard no_gradient;
  const auto net = *make_net(tiny_vit(), 3);
  for (const int side : {16, 40, 64})
    EXPECT_EQ(net->forward(torch::zeros({1, 3, side, side})).size(1), 5) << side;
}

TEST(TorchNet, PixelsAreNormalisedPerChannel) {
  const auto pixels = torch::tensor({0, 128, 255}, torch::kUInt8).view({1, 1, 1, 3});
  const Normalisation normalisation{{0.5f, 0.25f, 0.f}, {0.5f, 2.f, 4.f}};
  const auto values = normalise_pixels(pixels, normalisation).flatten();
  EXPECT_NEAR(values[0].item<float>(), -1.0, 1e-6);
  EXPECT_NEAR(values[1].item<float>(), (128 / 255.0 - 0.25) / 2, 1e-6);
  EXPECT_NEAR(values[2].item<float>(), 0.25, 1e-6);
}

TEST(TorchNet, LoadsWithPrefixesAndIgnoresAClassifier) {
  const NetSpec spec = tiny_vit();
  StateDict state = backbone_state(spec, 1, "module.backbone.");
  state.push_back({"module.head.weight", {2, 16}, std::vector<float>(32)});
  const auto net = *make_net(spec, 2);
  const auto report = load_backbone(*net->backbone, state, "w.pth");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(report->ignored, ::testing::ElementsAre("head.weight"));
  EXPECT_EQ(state_of(*net->backbone)[0].values, state[0].values);
}

TEST(TorchNet, NamesEveryTensorThatIsMissingLeftOverOrMisshapen) {
  const NetSpec spec = tiny_vit();
  StateDict state = backbone_state(spec, 1);
  tensor_named(state, "norm.bias").name = "norm.bios";
  NamedTensor& misshapen = tensor_named(state, "blocks.1.mlp.fc1.bias");
  misshapen.shape = {8, 8};
  const auto report = load_backbone(*(*make_net(spec, 2))->backbone, state, "w.pth");
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("missing: norm.bias"));
  EXPECT_THAT(report.error().message, HasSubstr("left over: norm.bios"));
  EXPECT_THAT(report.error().message,
              HasSubstr("blocks.1.mlp.fc1.bias is (8, 8) instead of (64,)"));
  EXPECT_THAT(report.error().message, Not(HasSubstr("cls_token")));
}

TEST(TorchNet, WeightsForAnotherPatchWidthOrDepthAreToldApart) {
  const StateDict state = backbone_state(tiny_vit(), 1);
  NetSpec patch = tiny_vit(), depth = tiny_vit(), width = tiny_vit();
  patch.patch = 16;
  depth.depth = 3;
  width.width = 32;
  EXPECT_THAT(fit_spec(patch, state, "w").error().message,
              HasSubstr("patches of 8 px, vit_ti8 has patches of 16 px"));
  EXPECT_THAT(fit_spec(depth, state, "w").error().message,
              HasSubstr("hold 2 blocks, vit_ti8 has 3"));
  EXPECT_THAT(fit_spec(width, state, "w").error().message,
              HasSubstr("16 wide, vit_ti8 is 32 wide"));
}

TEST(TorchNet, TheGridOfPositionsAndLayerScaleComeFromTheWeights) {
  NetSpec stored = tiny_vit();
  stored.grid = 7;
  stored.layer_scale = true;
  const auto fitted = fit_spec(tiny_vit(), backbone_state(stored, 1), "w");
  ASSERT_TRUE(fitted.ok());
  EXPECT_EQ(fitted->grid, 7);
  EXPECT_TRUE(fitted->layer_scale);
}

class WeightFiles : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "weight_files_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".pt";
  void TearDown() override { std::filesystem::remove(path_); }
};

// torch::pickle_save writes what Python's torch.save writes: a zip archive with a pickle and one
// member per storage.
TEST_F(WeightFiles, AStateDictThatTorchSavedIsReadWithoutTorch) {
  const auto base = torch::arange(12, torch::kFloat32).view({3, 4});
  c10::Dict<std::string, torch::Tensor> inner;
  inner.insert("module.w", base);
  inner.insert("module.t", base.t());
  inner.insert("half", base.to(torch::kHalf).select(0, 1));
  inner.insert("count", torch::tensor(7, torch::kLong));
  c10::Dict<std::string, c10::Dict<std::string, torch::Tensor>> outer;
  outer.insert("state_dict", inner);
  const std::vector<char> bytes = torch::pickle_save(outer);
  const auto state = parse_torch_file(std::as_bytes(std::span(bytes)), "w.pth");
  ASSERT_TRUE(state.ok()) << state.error().message;
  StateDict tensors = *state;
  EXPECT_THAT(tensor_named(tensors, "module.t").values,
              ::testing::ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
  EXPECT_THAT(tensor_named(tensors, "half").values, ::testing::ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(tensor_named(tensors, "count").values, ::testing::ElementsAre(7));
}

TEST_F(WeightFiles, ATorchScriptArchiveGivesItsTensors) {
  torch::jit::Module module("m");
  module.register_parameter("w", torch::arange(3, torch::kFloat32), false);
  module.save(path_);
  const auto state = read_weights(path_);
  ASSERT_TRUE(state.ok()) << state.error().message;
  ASSERT_EQ(state->size(), 1u);
  EXPECT_THAT(state->at(0).values, ::testing::ElementsAre(0, 1, 2));
}

TEST(TorchNet, ADeviceThatIsNotThereIsSaidSo) {
  EXPECT_TRUE(parse_device("cpu").ok());
  EXPECT_EQ(parse_device("tpu").error().code, ErrorCode::bad_argument);
  EXPECT_EQ(parse_device("cuda:x").error().code, ErrorCode::bad_argument);
  EXPECT_FALSE(parse_device("cuda:77").ok());
}

TEST(BatchFit, FindsTheLargestHalfThatFits) {
  EXPECT_EQ(largest_batch_that_fits(100, [](std::size_t n) { return n <= 30; }), 25u);
  EXPECT_EQ(largest_batch_that_fits(100, [](std::size_t) { return false; }), 0u);
}

}  // namespace
}  // namespace paco::embed
