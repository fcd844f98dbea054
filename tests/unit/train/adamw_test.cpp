// AdamW against libtorch's own.
#include "train/adamw.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace paco::train {
namespace {

TEST(AdamW, StepsLikeLibtorchsOwnWithARatePerGroup) {
  torch::manual_seed(1);
  auto a = torch::randn({4, 3}).requires_grad_(true), b = torch::randn({5}).requires_grad_(true);
  auto c = a.detach().clone().requires_grad_(true), d = b.detach().clone().requires_grad_(true);
  AdamW mine({{{{"a", a}}, 1e-2, 1e-1}, {{{"b", b}}, 1e-3, 1e-1}});
  torch::optim::AdamW theirs(std::vector<torch::optim::OptimizerParamGroup>{
      {{c},
       std::make_unique<torch::optim::AdamWOptions>(
           torch::optim::AdamWOptions(1e-2).weight_decay(1e-1))},
      {{d},
       std::make_unique<torch::optim::AdamWOptions>(
           torch::optim::AdamWOptions(1e-3).weight_decay(1e-1))}});
  for (int i = 0; i < 20; ++i) {
    mine.zero_gradients();
    theirs.zero_grad();
    ((a.pow(4)).sum() * (b.sin()).sum()).backward();
    ((c.pow(4)).sum() * (d.sin()).sum()).backward();
    mine.step(1.0);
    theirs.step();
  }
  EXPECT_LT((a - c).abs().max().item<double>(), 1e-6);
  EXPECT_LT((b - d).abs().max().item<double>(), 1e-6);
}

TEST(AdamW, ClipsTheCommonNormOfAllGradientsAndReturnsItAsItWas) {
  auto a = torch::zeros({1}).requires_grad_(true), b = torch::zeros({1}).requires_grad_(true);
  AdamW optimizer({{{{"a", a}, {"b", b}}, 1.0}});
  const auto set = [&] { (3 * a + 4 * b).sum().backward(); };
  set();
  EXPECT_NEAR(optimizer.clip(10).item<double>(), 5.0, 1e-6);
  EXPECT_NEAR(a.grad().item<double>(), 3.0, 1e-6) << "within the limit nothing changes";
  EXPECT_NEAR(optimizer.clip(1).item<double>(), 5.0, 1e-6);
  EXPECT_NEAR(a.grad().item<double>(), 0.6, 1e-5);
  EXPECT_NEAR(b.grad().item<double>(), 0.8, 1e-5);
}

TEST(AdamW, HoldsFloat32MastersOfBfloat16Parameters) {
  auto a = torch::ones({1}, torch::kBFloat16).requires_grad_(true);
  AdamW optimizer({{{{"a", a}}, 1e-4}});
  for (int i = 0; i < 100; ++i) {  // each step is far below what bfloat16 can tell from 1
    optimizer.zero_gradients();
    a.sum().backward();
    optimizer.step(1.0);
  }
  EXPECT_NEAR(a.item<double>(), 0.99, 0.004);
  bool master = false;
  for (const auto& item : optimizer.state()) master |= item.name == "master.a";
  EXPECT_TRUE(master);
}

}  // namespace
}  // namespace paco::train
