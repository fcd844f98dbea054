// Embeds images on a CPU without torch, through the interface in embed/embedder.hpp.
//
// The threads of the pool take images (or small groups of them) one after another, so a slow or
// busy core gets fewer. The embeddings are the same bytes for any batch and any number of threads.
#pragma once

#include <memory>
#include <string>

#include "embed/embedder.hpp"
#include "embed/weights/state_dict.hpp"

namespace paco::embed {

// Opens a run folder that `paco train` wrote. The device in `settings` is ignored.
Result<std::unique_ptr<ImageEmbedder>> open_cpu_run(const std::string& path,
                                                    const EmbedderSettings& settings);

// Opens a backbone without head and its weights file (safetensors or a state dict of PyTorch);
// without a file, the weights are fresh, from seed 0.
Result<std::unique_ptr<ImageEmbedder>> open_cpu_backbone(const NetSpec& spec,
                                                         const std::string& weights,
                                                         const EmbedderSettings& settings);

// Same with the tensors of such a file; `origin` names them in errors.
Result<std::unique_ptr<ImageEmbedder>> open_cpu_backbone(const NetSpec& spec,
                                                         const StateDict& weights,
                                                         const std::string& origin,
                                                         const EmbedderSettings& settings);

}  // namespace paco::embed
