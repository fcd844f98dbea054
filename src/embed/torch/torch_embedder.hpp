// Embedders that compute with torch, on a GPU or a CPU. Torch-free to include.
#pragma once

#include <memory>
#include <string>

#include "embed/embedder.hpp"
#include "embed/weights/state_dict.hpp"

namespace paco::embed {

// A run folder that `paco train` wrote.
Result<std::unique_ptr<ImageEmbedder>> open_torch_run(const std::string& path,
                                                      const EmbedderSettings& settings);
// A backbone without head; `weights` empty means fresh weights from seed 0.
Result<std::unique_ptr<ImageEmbedder>> open_torch_backbone(const NetSpec& spec,
                                                           const std::string& weights,
                                                           const EmbedderSettings& settings);

// A weights file of any kind (safetensors, state dict, TorchScript) as named tensors.
Result<StateDict> read_weights(const std::string& path);

}  // namespace paco::embed
