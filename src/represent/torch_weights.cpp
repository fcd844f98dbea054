// Weights in and out of networks, and the checks that name what does not fit.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/script.h>

#include <algorithm>
#include <map>

#include "base/try.hpp"
#include "data/npy.hpp"
#include "represent/torch_net.hpp"

namespace paco {
namespace {

using torch::Tensor;

// Parts of published files that a backbone without its classifier has no use for. DINOv2's mask
// token stands for patches hidden in its own training.
constexpr std::string_view kUnused[] = {"head.", "head_dist.", "fc.", "classifier.", "mask_token"};

bool is_unused(const std::string& name) {
  return std::any_of(std::begin(kUnused), std::end(kUnused),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<std::uint64_t> shape_of(const Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}

using Slots = std::vector<std::pair<std::string, Tensor>>;

Slots slots_of(torch::nn::Module& module) {
  Slots slots;
  for (const auto& item : module.named_parameters()) slots.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers()) slots.emplace_back(item.key(), item.value());
  return slots;
}

// Copies by name; `weights` is by the slots' names. Says everything that does not fit at once.
Result<void> fill(const Slots& slots, std::map<std::string, const NamedTensor*> weights,
                  const std::string& origin) {
  std::vector<std::string> missing, misshapen, left_over;
  std::vector<std::pair<Tensor, const NamedTensor*>> copies;
  for (const auto& [name, tensor] : slots) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      missing.push_back(name);
      continue;
    }
    if (found->second->shape != shape_of(tensor))
      misshapen.push_back(fmt::format("{} is {} instead of {}", name,
                                      shape_text(found->second->shape),
                                      shape_text(shape_of(tensor))));
    else
      copies.emplace_back(tensor, found->second);
    weights.erase(found);
  }
  for (const auto& [name, tensor] : weights) left_over.push_back(name);
  if (!missing.empty() || !misshapen.empty() || !left_over.empty()) {
    std::vector<std::string> parts;
    if (!missing.empty()) parts.push_back(fmt::format("missing: {}", fmt::join(missing, ", ")));
    if (!misshapen.empty())
      parts.push_back(fmt::format("misshapen: {}", fmt::join(misshapen, ", ")));
    if (!left_over.empty())
      parts.push_back(fmt::format("left over: {}", fmt::join(left_over, ", ")));
    return Error{
        ErrorCode::mismatch,
        fmt::format("{}: the weights do not fit the network; {}", origin, fmt::join(parts, "; ")),
        "choose the --backbone that the weights were made for"};
  }
  try {
    torch::NoGradGuard no_gradient;
    for (auto& [tensor, named] : copies) {
      const auto source = torch::from_blob(const_cast<float*>(named->values.data()), tensor.sizes(),
                                           torch::kFloat32);
      tensor.copy_(source);
    }
  } catch (const std::exception& error) {
    return torch_error(error, fmt::format("{}: copying weights", origin));
  }
  return {};
}

const NamedTensor* find_plain(const StateDict& weights, std::string_view name) {
  for (const NamedTensor& tensor : weights)
    if (plain_name(tensor.name) == name) return &tensor;
  return nullptr;
}

// One more than the largest N of the tensors blocks.N.*.
int count_blocks(const StateDict& weights) {
  int blocks = 0;
  for (const NamedTensor& tensor : weights) {
    const std::string name = plain_name(tensor.name);
    int number = -1;
    if (std::sscanf(name.c_str(), "blocks.%9d.", &number) == 1)
      blocks = std::max(blocks, number + 1);
  }
  return blocks;
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

Result<NetSpec> fit_spec(NetSpec spec, const StateDict& weights, const std::string& origin) {
  if (spec.kind != BackboneKind::vit) return spec;
  const auto misfit = [&](const std::string& what, const std::string& hint) {
    return Error{ErrorCode::mismatch, fmt::format("{}: {}", origin, what), hint};
  };
  const NamedTensor* patches = find_plain(weights, "patch_embed.proj.weight");
  const NamedTensor* positions = find_plain(weights, "pos_embed");
  if (patches == nullptr || positions == nullptr || patches->shape.size() != 4 ||
      positions->shape.size() != 3)
    return misfit(
        fmt::format(
            "these are no weights of a vision transformer: {} is missing or of another shape",
            patches == nullptr || patches->shape.size() != 4 ? "patch_embed.proj.weight"
                                                             : "pos_embed"),
        "choose the --backbone that the weights were made for");
  const auto patch = static_cast<int>(patches->shape[3]),
             width = static_cast<int>(patches->shape[0]);
  if (patch != spec.patch)
    return misfit(fmt::format("the weights are for patches of {} px, {} has patches of {} px",
                              patch, spec.backbone, spec.patch),
                  "choose the --backbone with that number at its end");
  if (width != spec.width)
    return misfit(
        fmt::format("the weights are {} wide, {} is {} wide", width, spec.backbone, spec.width),
        "vit_ti is 192 wide, vit_s 384, vit_b 768");
  if (const int blocks = count_blocks(weights); blocks != spec.depth)
    return misfit(
        fmt::format("the weights hold {} blocks, {} has {}", blocks, spec.backbone, spec.depth),
        "choose the --backbone that the weights were made for");
  const auto places = positions->shape[1];
  int grid = 1;
  while (static_cast<std::uint64_t>(grid) * grid + 1 < places) ++grid;
  if (static_cast<std::uint64_t>(grid) * grid + 1 != places)
    return misfit(
        fmt::format("pos_embed holds {} positions, which is no square grid and a class token",
                    places),
        "only square inputs with one class token are supported");
  spec.grid = grid;
  spec.layer_scale = find_plain(weights, "blocks.0.ls1.gamma") != nullptr;
  return spec;
}

Result<LoadReport> load_backbone(Backbone& backbone, const StateDict& weights,
                                 const std::string& origin) {
  LoadReport report;
  std::map<std::string, const NamedTensor*> by_name;
  for (const NamedTensor& tensor : weights) {
    const std::string name = plain_name(tensor.name);
    if (is_unused(name)) {
      report.ignored.push_back(name);
    } else if (!by_name.emplace(name, &tensor).second) {
      return Error{
          ErrorCode::bad_format,
          fmt::format("{}: tensor {} is there twice, with and without a prefix", origin, name),
          "keep one of them"};
    }
  }
  report.loaded = by_name.size();
  PACO_TRY(fill(slots_of(backbone), std::move(by_name), origin));
  return report;
}

Result<void> load_module(torch::nn::Module& module, const StateDict& weights,
                         const std::string& origin) {
  std::map<std::string, const NamedTensor*> by_name;
  for (const NamedTensor& tensor : weights) by_name.emplace(tensor.name, &tensor);
  return fill(slots_of(module), std::move(by_name), origin);
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

}  // namespace paco
