#include "with_torch.hpp"

#include "embed/torch/torch_embedder.hpp"

namespace paco::with_torch {

Result<std::unique_ptr<embed::ImageEmbedder>> open_run(const std::string& path,
                                                       const embed::EmbedderSettings& settings) {
  return embed::open_torch_run(path, settings);
}

Result<std::unique_ptr<embed::ImageEmbedder>> open_backbone(
    const embed::NetSpec& spec, const std::string& weights,
    const embed::EmbedderSettings& settings) {
  return embed::open_torch_backbone(spec, weights, settings);
}

Result<embed::StateDict> read_torchscript(const std::string& path) {
  return embed::read_weights(path);
}

Result<void> train_network(const train::TrainingSet& set, const train::TrainPlan& plan,
                           const train::TrainListener& listener, std::stop_token stop) {
  const Result<train::TrainReport> report = train::train(set, plan, listener, std::move(stop));
  if (!report.ok()) return report.error();
  return {};
}

}  // namespace paco::with_torch
