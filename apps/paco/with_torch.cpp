#include "with_torch.hpp"

#include "represent/torch_embedder.hpp"

namespace paco::with_torch {

Result<std::unique_ptr<ImageEmbedder>> open_run(const std::string& path,
                                                const EmbedderSettings& settings) {
  return open_torch_run(path, settings);
}

Result<std::unique_ptr<ImageEmbedder>> open_backbone(const NetSpec& spec,
                                                     const std::string& weights,
                                                     const EmbedderSettings& settings) {
  return open_torch_backbone(spec, weights, settings);
}

Result<StateDict> read_torchscript(const std::string& path) { return read_weights(path); }

Result<void> train_network(const TrainingSet& set, const TrainPlan& plan,
                           const TrainListener& listener, std::stop_token stop) {
  const Result<TrainReport> report = train(set, plan, listener, std::move(stop));
  if (!report.ok()) return report.error();
  return {};
}

}  // namespace paco::with_torch
