// What needs torch in the verbs. `paco` has none of it (Context::torch is null); `paco-torch`,
// which is the same program linked with torch, has all of it (main_torch.cpp). A verb says with
// Options::set_needs_torch if it needs torch with the options it was given; the program then
// becomes paco-torch before the verb begins.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "embed/embedder.hpp"
#include "embed/torch/torch_info.hpp"
#include "embed/weights/state_dict.hpp"
#include "train/train.hpp"

namespace paco {

class TorchParts {
 public:
  virtual ~TorchParts() = default;
  virtual Result<std::unique_ptr<embed::ImageEmbedder>> open_run(
      const std::string& path, const embed::EmbedderSettings& settings) const = 0;
  virtual Result<std::unique_ptr<embed::ImageEmbedder>> open_backbone(
      const embed::NetSpec& spec, const std::string& weights,
      const embed::EmbedderSettings& settings) const = 0;
  virtual Result<embed::StateDict> read_torchscript(const std::string& path) const = 0;
  virtual Result<train::TrainReport> train_network(const train::TrainingSet& set,
                                                   const train::TrainPlan& plan,
                                                   const train::TrainListener& listener,
                                                   std::stop_token stop) const = 0;
  virtual embed::TorchInfo info() const = 0;
};

// Whether paco-torch was built too. Without it, verbs that do not need torch still work.
bool built_with_torch();

}  // namespace paco
