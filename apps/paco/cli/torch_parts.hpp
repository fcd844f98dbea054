// What needs torch in the verbs. `paco` has none of it (Context::torch is null); `paco-torch`,
// which is the same program linked with torch, has all of it (main_torch.cpp). A verb says with
// Options::set_needs_torch if it needs torch with the options it was given; the program then
// becomes paco-torch before the verb begins.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "represent/embedder.hpp"
#include "represent/state_dict.hpp"
#include "represent/torch_info.hpp"
#include "train/train.hpp"

namespace paco {

class TorchParts {
 public:
  virtual ~TorchParts() = default;
  virtual Result<std::unique_ptr<ImageEmbedder>> open_run(
      const std::string& path, const EmbedderSettings& settings) const = 0;
  virtual Result<std::unique_ptr<ImageEmbedder>> open_backbone(
      const NetSpec& spec, const std::string& weights, const EmbedderSettings& settings) const = 0;
  virtual Result<StateDict> read_torchscript(const std::string& path) const = 0;
  virtual Result<TrainReport> train_network(const TrainingSet& set, const TrainPlan& plan,
                                            const TrainListener& listener,
                                            std::stop_token stop) const = 0;
  virtual TorchInfo info() const = 0;
};

// If paco-torch was built too. Without it the verbs that need nothing else run as they are.
bool built_with_torch();

}  // namespace paco
