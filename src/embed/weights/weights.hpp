// Which tensors a network has, and whether those of a weights file fit it. It only handles names
// and shapes and computes nothing. It does not include torch, so every program checks weights with
// the same messages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "embed/weights/net_spec.hpp"
#include "embed/weights/state_dict.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// A tensor that a network needs.
struct TensorSlot {
  std::string name;
  std::vector<std::uint64_t> shape;
};

// All tensors of a network: backbone.*, and with a head head.weight and head.bias.
std::vector<TensorSlot> net_slots(const NetSpec& spec);

// Tensors by the names that the network has for them.
using NamedTensors = std::map<std::string, const NamedTensor*>;

// Returns the tensor for every slot. The error names every tensor that is missing, unused or of
// another shape.
Result<std::vector<const NamedTensor*>> match_tensors(const std::vector<TensorSlot>& slots,
                                                      NamedTensors tensors,
                                                      const std::string& origin);

// The tensors of a published weights file, by plain name. Tensors that a backbone does not use
// (classifier heads and the like) are left out and listed.
struct BackboneTensors {
  NamedTensors tensors;
  std::vector<std::string> ignored;
};
Result<BackboneTensors> backbone_tensors(const StateDict& weights, const std::string& origin);

// The spec of the backbone in a weights file. Values from the file (grid of positions, layer scale,
// depth) replace the defaults of the name if possible; otherwise they are an error that names them.
Result<NetSpec> fit_spec(NetSpec spec, const StateDict& weights, const std::string& origin);

// Fresh weights for net_slots(spec), from the seed alone: transformers normal with deviation 0.02,
// the small network uniform within one over the root of what a unit sees; norms at one and zero.
StateDict fresh_tensors(const NetSpec& spec, std::uint64_t seed);

}  // namespace paco::embed
