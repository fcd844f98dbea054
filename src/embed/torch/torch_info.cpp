#include "embed/torch/torch_info.hpp"

#ifdef PACO_HAS_TORCH
#include <torch/cuda.h>
#include <torch/version.h>
#endif

namespace paco::embed {

TorchInfo torch_info() {
#ifdef PACO_HAS_TORCH
  return {TORCH_VERSION, static_cast<std::size_t>(torch::cuda::device_count())};
#else
  return {};
#endif
}

}  // namespace paco::embed
