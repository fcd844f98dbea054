// Which torch this build has. Torch-free to include.
#pragma once

#include <cstddef>
#include <string>

namespace paco::embed {

struct TorchInfo {
  std::string version;   // "1.13.1"; empty in a build without torch
  std::size_t gpus = 0;  // that torch itself can use
};

TorchInfo torch_info();

}  // namespace paco::embed
