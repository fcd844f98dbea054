#include "embed/torch/torch_info.hpp"

#include <torch/cuda.h>
#include <torch/version.h>

namespace paco::embed {

TorchInfo torch_info() {
  return {TORCH_VERSION, static_cast<std::size_t>(torch::cuda::device_count())};
}

}  // namespace paco::embed
