// The network on a CPU and torch's are the same network: torch as the independent implementation.
#include <gmock/gmock.h>

#include <cmath>

#include "core/random.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/torch/torch_embedder.hpp"
#include "embed/weights/run_folder.hpp"
#include "embed/weights/weights.hpp"
#include "temporary_folder.hpp"

namespace paco::embed {
namespace {

class TorchAgreement : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchAgreement, ARunEmbedsAlikeWithAndWithoutTorch) {
  const testing::TemporaryFolder folder;
  paco::embed::TrainedRun run;  // not the test's own
  const std::string name = GetParam();
  run.net = *make_spec(name, name == "small" ? 40 : 48, 12);
  run.net.grid = name == "small" ? 4 : 5;  // of the transformer: positions of another input
  run.tensors = fresh_tensors(run.net, 3);
  core::Random random(4);
  for (NamedTensor& tensor : run.tensors)
    for (float& value : tensor.values) value += static_cast<float>(0.05 * random.normal());
  ASSERT_TRUE(write_run(folder.path(), run).ok());

  const auto torch = open_torch_run(folder.path(), {"cpu", 1, "float32"});
  const auto ours = open_cpu_run(folder.path(), {"cpu", 1, "float32"});
  ASSERT_TRUE(torch.ok()) << torch.error().message;
  ASSERT_TRUE(ours.ok()) << ours.error().message;
  const std::size_t count = 3, bytes = count * run.net.input * run.net.input * 3;
  Batch batch;
  batch.input = run.net.input;
  batch.views = 1;
  batch.samples = {0, 1, 2};
  batch.pixels = std::shared_ptr<std::uint8_t[]>(new std::uint8_t[bytes]);
  for (std::size_t i = 0; i < bytes; ++i)
    batch.pixels[i] = static_cast<std::uint8_t>(random.below(256));
  math::Matrix<float> a(count, 12), b(count, 12);
  ASSERT_TRUE((*torch)->embed(batch, a.view()).ok());
  ASSERT_TRUE((*ours)->embed(batch, b.view()).ok());
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < count * 12; ++i) {
    difference += std::pow(a.data()[i] - b.data()[i], 2);
    size += std::pow(a.data()[i], 2);
  }
  EXPECT_LE(std::sqrt(difference / size), 2e-5);
}

INSTANTIATE_TEST_SUITE_P(, TorchAgreement, ::testing::Values("vit_ti8", "vit_ti16", "small"));

}  // namespace
}  // namespace paco::embed
