// What needs torch in verbs that paco has too: for `embed` a GPU and files that hold code, for
// `study` also the training of a network. paco-torch does it (with_torch.cpp); in paco
// (without_torch.cpp) each is an error that says what is missing, and hand_over.hpp sees to it that
// nobody meets that where paco-torch is there.
#pragma once

#include <memory>
#include <string>

#include "represent/embedder.hpp"
#include "represent/state_dict.hpp"
#include "train/train.hpp"

namespace paco::with_torch {

Result<std::unique_ptr<ImageEmbedder>> open_run(const std::string& path,
                                                const EmbedderSettings& settings);
Result<std::unique_ptr<ImageEmbedder>> open_backbone(const NetSpec& spec,
                                                     const std::string& weights,
                                                     const EmbedderSettings& settings);
Result<StateDict> read_torchscript(const std::string& path);
Result<void> train_network(const TrainingSet& set, const TrainPlan& plan,
                           const TrainListener& listener, std::stop_token stop);

}  // namespace paco::with_torch
