#include "embed/weights/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/random.hpp"
#include "core/try.hpp"
#include "io/npy.hpp"

namespace paco::embed {
namespace {

// Parts of published files that a backbone without its classifier has no use for. DINOv2's mask
// token stands for patches hidden in its own training.
constexpr std::string_view kUnused[] = {"head.", "head_dist.", "fc.", "classifier.", "mask_token"};

bool is_unused(const std::string& name) {
  return std::any_of(std::begin(kUnused), std::end(kUnused),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// PHE's checkpoints have the backbone under "features." and the method's heads beside it.
bool is_under_features(const NamedTensor& tensor) {
  return tensor.name.starts_with("features.") || tensor.name.starts_with("module.features.");
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

// Adds slots to a list, with the prefix of the part of the network that is being described.
struct SlotList {
  std::vector<TensorSlot> slots;

  void add(const std::string& name, std::vector<std::uint64_t> shape) {
    slots.push_back({name, std::move(shape)});
  }
  void norm(const std::string& name, std::uint64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }
  void linear(const std::string& name, std::uint64_t outputs, std::uint64_t inputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  }
};

void add_vit(SlotList& list, const NetSpec& spec) {
  const auto width = static_cast<std::uint64_t>(spec.width);
  const auto patch = static_cast<std::uint64_t>(spec.patch);
  const auto grid = static_cast<std::uint64_t>(spec.grid);
  list.add("backbone.cls_token", {1, 1, width});
  list.add("backbone.pos_embed", {1, 1 + grid * grid, width});
  list.add("backbone.patch_embed.proj.weight", {width, 3, patch, patch});
  list.add("backbone.patch_embed.proj.bias", {width});
  for (int i = 0; i < spec.depth; ++i) {
    const std::string block = fmt::format("backbone.blocks.{}.", i);
    list.norm(block + "norm1", width);
    list.linear(block + "attn.qkv", 3 * width, width);
    list.linear(block + "attn.proj", width, width);
    list.norm(block + "norm2", width);
    list.linear(block + "mlp.fc1", 4 * width, width);
    list.linear(block + "mlp.fc2", width, 4 * width);
    if (spec.layer_scale) {
      list.add(block + "ls1.gamma", {width});
      list.add(block + "ls2.gamma", {width});
    }
  }
  list.norm("backbone.norm", width);
}

void add_small(SlotList& list, const NetSpec& spec) {
  const auto full = static_cast<std::uint64_t>(spec.width);
  const std::uint64_t widths[] = {full / 4, full / 2, full};
  std::uint64_t from = 3;
  for (int i = 0; i < 3; ++i) {
    const std::string stage = fmt::format("backbone.stages.{}.", i);
    const std::uint64_t width = widths[i];
    list.add(stage + "0.weight", {width, from, 3, 3});
    list.norm(stage + "1.norm1", width);
    list.add(stage + "1.conv1.weight", {width, width, 3, 3});
    list.norm(stage + "1.norm2", width);
    list.add(stage + "1.conv2.weight", {width, width, 1, 1});
    from = width;
  }
  list.norm("backbone.norm", full);
}

}  // namespace

std::vector<TensorSlot> net_slots(const NetSpec& spec) {
  SlotList list;
  if (spec.kind == BackboneKind::vit)
    add_vit(list, spec);
  else
    add_small(list, spec);
  if (spec.dimension > 0)
    list.linear("head", static_cast<std::uint64_t>(spec.dimension),
                static_cast<std::uint64_t>(spec.features()));
  return std::move(list.slots);
}

Result<std::vector<const NamedTensor*>> match_tensors(const std::vector<TensorSlot>& slots,
                                                      NamedTensors tensors,
                                                      const std::string& origin) {
  std::vector<std::string> missing, misshapen, left_over;
  std::vector<const NamedTensor*> matched;
  for (const TensorSlot& slot : slots) {
    const auto found = tensors.find(slot.name);
    if (found == tensors.end()) {
      missing.push_back(slot.name);
      continue;
    }
    if (found->second->shape != slot.shape)
      misshapen.push_back(fmt::format("{} is {} instead of {}", slot.name,
                                      io::shape_text(found->second->shape),
                                      io::shape_text(slot.shape)));
    matched.push_back(found->second);
    tensors.erase(found);
  }
  for (const auto& each : tensors) left_over.push_back(each.first);
  if (missing.empty() && misshapen.empty() && left_over.empty()) return matched;
  std::vector<std::string> parts;
  if (!missing.empty()) parts.push_back(fmt::format("missing: {}", fmt::join(missing, ", ")));
  if (!misshapen.empty()) parts.push_back(fmt::format("misshapen: {}", fmt::join(misshapen, ", ")));
  if (!left_over.empty()) parts.push_back(fmt::format("left over: {}", fmt::join(left_over, ", ")));
  return Error{
      ErrorCode::mismatch,
      fmt::format("{}: the weights do not fit the network; {}", origin, fmt::join(parts, "; ")),
      "name the network that the weights were made for"};
}

Result<BackboneTensors> backbone_tensors(const StateDict& weights, const std::string& origin) {
  BackboneTensors result;
  const bool under_features = std::any_of(weights.begin(), weights.end(), is_under_features);
  for (const NamedTensor& tensor : weights) {
    const std::string name = plain_name(tensor.name);
    if (is_unused(name) || (under_features && !is_under_features(tensor))) {
      result.ignored.push_back(name);
    } else if (!result.tensors.emplace(name, &tensor).second) {
      return Error{
          ErrorCode::bad_format,
          fmt::format("{}: tensor {} is there twice, with and without a prefix", origin, name),
          "keep one of them"};
    }
  }
  return result;
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
        "name the network that the weights were made for");
  const auto patch = static_cast<int>(patches->shape[3]),
             width = static_cast<int>(patches->shape[0]);
  if (patch != spec.patch)
    return misfit(fmt::format("the weights are for patches of {} px, {} has patches of {} px",
                              patch, spec.backbone, spec.patch),
                  "choose the network with that number at the end of its name");
  if (width != spec.width)
    return misfit(
        fmt::format("the weights are {} wide, {} is {} wide", width, spec.backbone, spec.width),
        "vit_ti is 192 wide, vit_s 384, vit_b 768");
  if (const int blocks = count_blocks(weights); blocks != spec.depth)
    return misfit(
        fmt::format("the weights hold {} blocks, {} has {}", blocks, spec.backbone, spec.depth),
        "name the network that the weights were made for");
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

StateDict fresh_tensors(const NetSpec& spec, std::uint64_t seed) {
  StateDict result;
  std::uint64_t number = 0;
  for (TensorSlot& slot : net_slots(spec)) {
    std::size_t count = 1;
    for (const std::uint64_t size : slot.shape) count *= size;
    NamedTensor tensor{slot.name, slot.shape, std::vector<float>(count)};
    core::Random random(seed, number++);
    const bool gain = slot.shape.size() == 1 && slot.name.ends_with("weight");
    const double reach = 1.0 / std::sqrt(static_cast<double>(count / slot.shape[0]));
    for (float& value : tensor.values) {
      if (slot.name.ends_with("gamma"))
        value = 1e-5f;
      else if (slot.shape.size() == 1)
        value = gain ? 1.0f : 0.0f;
      else if (spec.kind == BackboneKind::small)
        value = static_cast<float>(random.uniform(-reach, reach));
      else
        value = static_cast<float>(0.02 * std::clamp(random.normal(), -2.0, 2.0));
    }
    result.push_back(std::move(tensor));
  }
  return result;
}

}  // namespace paco::embed
