// The entry of `paco-torch`: the same program as `paco`, linked with torch, which takes a third of
// a second to load. `paco` becomes it if a verb needs torch.
#include <utility>

#include "cli/program.hpp"
#include "cli/torch_parts.hpp"
#include "embed/torch/torch_embedder.hpp"

namespace paco {
namespace {

class LinkedTorch final : public TorchParts {
 public:
  Result<std::unique_ptr<embed::ImageEmbedder>> open_run(
      const std::string& path, const embed::EmbedderSettings& settings) const override {
    return embed::open_torch_run(path, settings);
  }
  Result<std::unique_ptr<embed::ImageEmbedder>> open_backbone(
      const embed::NetSpec& spec, const std::string& weights,
      const embed::EmbedderSettings& settings) const override {
    return embed::open_torch_backbone(spec, weights, settings);
  }
  Result<embed::StateDict> read_torchscript(const std::string& path) const override {
    return embed::read_weights(path);
  }
  Result<train::TrainReport> train_network(const train::TrainingSet& set,
                                           const train::TrainPlan& plan,
                                           const train::TrainListener& listener,
                                           std::stop_token stop) const override {
    return train::train(set, plan, listener, std::move(stop));
  }
  embed::TorchInfo info() const override { return embed::torch_info(); }
};

}  // namespace
}  // namespace paco

int main(int argc, char** argv) {
  const paco::LinkedTorch torch;
  return paco::run_program(argc, argv, &torch);
}
