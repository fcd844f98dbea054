// Named tensors as they lie in a weights file: .safetensors, or a state dict saved by PyTorch
// (.pth, .pt; the zip form and the older plain form).
//
// A PyTorch file is a pickle, which is a program. It is not run here: a small interpreter supports
// only the few opcodes and globals of a state dict; any other is an error that names it, so a
// hostile file cannot run code. Torch-free; TorchScript archives hold code and are read by
// load_weights (torch_net.hpp) instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/file_bytes.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// All number types of a file are converted to float32, the type of the networks here.
struct NamedTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> values;  // row-major
};
using StateDict = std::vector<NamedTensor>;

// Reads by content. Wrappers (`teacher`, `student`, `state_dict`, `model`; teacher before student)
// are opened; names stay as stored, see plain_name.
Result<StateDict> read_state_dict(const std::string& path);

// The same for a file that is open; `origin` names it in errors.
Result<StateDict> parse_state_dict(io::FileBytes bytes, const std::string& origin);

// The same for bytes in memory that are a PyTorch file of either form; `origin` names them in
// errors.
Result<StateDict> parse_torch_file(std::span<const std::byte> bytes, const std::string& origin);

// Whether the file is an archive of torch.jit.save, which holds code beside its tensors.
Result<bool> is_torchscript_file(const std::string& path);

// A name without the prefixes that training wrappers leave: "module.backbone.cls_token" is
// "cls_token".
std::string plain_name(const std::string& name);

}  // namespace paco::embed
