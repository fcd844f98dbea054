// What needs torch in verbs that paco has too: for `embed` a GPU and files that hold code, for
// `study` also the training of a network. paco-torch does it (with_torch.cpp); in paco
// (without_torch.cpp) each is an error that says what is missing, and hand_over.hpp sees to it that
// nobody meets that where paco-torch is there.
#pragma once

#include <memory>
#include <string>

#include "embed/embedder.hpp"
#include "embed/weights/state_dict.hpp"
#include "train/train.hpp"

namespace paco::with_torch {

Result<std::unique_ptr<embed::ImageEmbedder>> open_run(const std::string& path,
                                                       const embed::EmbedderSettings& settings);
Result<std::unique_ptr<embed::ImageEmbedder>> open_backbone(
    const embed::NetSpec& spec, const std::string& weights,
    const embed::EmbedderSettings& settings);
Result<embed::StateDict> read_torchscript(const std::string& path);
Result<void> train_network(const train::TrainingSet& set, const train::TrainPlan& plan,
                           const train::TrainListener& listener, std::stop_token stop);

}  // namespace paco::with_torch
