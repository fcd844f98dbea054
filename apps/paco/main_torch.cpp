// The entry of `paco-torch`: the same program as `paco`, linked with torch, which takes a third of
// a second to load. `paco` becomes it if a verb needs torch.
#include <utility>

#include "cli/program.hpp"
#include "cli/torch_parts.hpp"
#include "represent/torch_embedder.hpp"

namespace paco {
namespace {

class LinkedTorch final : public TorchParts {
 public:
  Result<std::unique_ptr<ImageEmbedder>> open_run(const std::string& path,
                                                  const EmbedderSettings& settings) const override {
    return open_torch_run(path, settings);
  }
  Result<std::unique_ptr<ImageEmbedder>> open_backbone(
      const NetSpec& spec, const std::string& weights,
      const EmbedderSettings& settings) const override {
    return open_torch_backbone(spec, weights, settings);
  }
  Result<StateDict> read_torchscript(const std::string& path) const override {
    return read_weights(path);
  }
  Result<TrainReport> train_network(const TrainingSet& set, const TrainPlan& plan,
                                    const TrainListener& listener,
                                    std::stop_token stop) const override {
    return train(set, plan, listener, std::move(stop));
  }
  TorchInfo info() const override { return torch_info(); }
};

}  // namespace
}  // namespace paco

int main(int argc, char** argv) {
  const paco::LinkedTorch torch;
  return paco::run_program(argc, argv, &torch);
}
