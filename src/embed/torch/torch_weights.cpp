// Copies weights into and out of torch's networks. weights.hpp checks whether they fit.
#include <fmt/format.h>
#include <torch/script.h>

#include "core/try.hpp"
#include "embed/torch/torch_net.hpp"

namespace paco::embed {
namespace {

using torch::Tensor;

std::vector<std::uint64_t> shape_of(const Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}

// Copies by name; `weights` is by the names of the module's own tensors.
Result<void> fill(torch::nn::Module& module, NamedTensors weights, const std::string& origin) {
  std::vector<TensorSlot> slots;
  std::vector<Tensor> places;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    slots.push_back({name, shape_of(tensor)});
    places.push_back(tensor);
  };
  for (const auto& item : module.named_parameters()) add(item.key(), item.value());
  for (const auto& item : module.named_buffers()) add(item.key(), item.value());
  PACO_ASSIGN(const auto found, match_tensors(slots, std::move(weights), origin));
  try {
    torch::NoGradGuard no_gradient;
    for (std::size_t i = 0; i < places.size(); ++i)
      places[i].copy_(torch::from_blob(const_cast<float*>(found[i]->values.data()),
                                       places[i].sizes(), torch::kFloat32));
  } catch (const std::exception& error) {
    return torch_error(error, fmt::format("{}: copying weights", origin));
  }
  return {};
}

Result<StateDict> read_torchscript(const std::string& path) {
  try {
    const auto module = torch::jit::load(path, torch::kCPU);
    StateDict result;
    const auto add = [&](const std::string& name, const Tensor& value) {
      const Tensor flat = value.detach().to(torch::kFloat32).contiguous();
      const float* data = flat.data_ptr<float>();
      result.push_back({name, shape_of(value), std::vector<float>(data, data + flat.numel())});
    };
    for (const auto& item : module.named_parameters()) add(item.name, item.value);
    for (const auto& item : module.named_buffers()) add(item.name, item.value);
    return result;
  } catch (const std::exception& error) {
    return torch_error(error, fmt::format("{}: reading a TorchScript archive", path));
  }
}

}  // namespace

Result<StateDict> read_weights(const std::string& path) {
  PACO_ASSIGN(const bool script, is_torchscript_file(path));
  return script ? read_torchscript(path) : read_state_dict(path);
}

Result<LoadReport> load_backbone(Backbone& backbone, const StateDict& weights,
                                 const std::string& origin) {
  PACO_ASSIGN(BackboneTensors usable, backbone_tensors(weights, origin));
  LoadReport report{usable.tensors.size(), std::move(usable.ignored)};
  PACO_TRY(fill(backbone, std::move(usable.tensors), origin));
  return report;
}

Result<void> load_module(torch::nn::Module& module, const StateDict& weights,
                         const std::string& origin) {
  NamedTensors by_name;
  for (const NamedTensor& tensor : weights) by_name.emplace(tensor.name, &tensor);
  return fill(module, std::move(by_name), origin);
}

StateDict state_of(const torch::nn::Module& module, const std::string& prefix) {
  StateDict state;
  const auto add = [&](const std::string& name, const Tensor& value) {
    const Tensor flat = value.detach().to(torch::kCPU, torch::kFloat32).contiguous();
    const float* data = flat.data_ptr<float>();
    state.push_back(
        {prefix + name, shape_of(value), std::vector<float>(data, data + flat.numel())});
  };
  for (const auto& item : module.named_parameters()) add(item.key(), item.value());
  for (const auto& item : module.named_buffers()) add(item.key(), item.value());
  return state;
}

}  // namespace paco::embed
