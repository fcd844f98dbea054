// Images to embeddings on a CPU without torch, behind the face of embed/embedder.hpp.
//
// The pool's threads take images (or small groups of them) as they come to it, so a slow or busy
// core takes fewer. Embeddings are the same bytes for any batch and any number of threads.
#pragma once

#include <memory>
#include <string>

#include "embed/embedder.hpp"
#include "embed/weights/state_dict.hpp"

namespace paco::embed {

// A run folder that `paco train` wrote. Of `settings` the device is not looked at.
Result<std::unique_ptr<ImageEmbedder>> open_cpu_run(const std::string& path,
                                                    const EmbedderSettings& settings);

// A backbone without head and its weights file (safetensors or a state dict of PyTorch); no file
// means fresh weights from seed 0.
Result<std::unique_ptr<ImageEmbedder>> open_cpu_backbone(const NetSpec& spec,
                                                         const std::string& weights,
                                                         const EmbedderSettings& settings);

// The same with the tensors of such a file at hand; `origin` names them in errors.
Result<std::unique_ptr<ImageEmbedder>> open_cpu_backbone(const NetSpec& spec,
                                                         const StateDict& weights,
                                                         const std::string& origin,
                                                         const EmbedderSettings& settings);

}  // namespace paco::embed
