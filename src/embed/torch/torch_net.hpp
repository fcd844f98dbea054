// The networks themselves. This header includes torch: only .cpp files of represent/ and train/
// include it.
//
// A Net is a backbone and a linear head. Input to both: normalised float images (B, 3, S, S), see
// normalise_pixels. Exceptions of torch pass through forward(); everything that returns a Result
// catches them.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "embed/torch/torch_embedder.hpp"
#include "embed/weights/net_spec.hpp"
#include "embed/weights/state_dict.hpp"
#include "embed/weights/weights.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// A backbone turns images (B, 3, S, S) into features (B, width). Parameter names are those of DINO
// and timm.
class Backbone : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  // What `--train-blocks last` trains: the last block and what comes after it.
  virtual std::vector<torch::Tensor> last_block() = 0;
};

// Parameters are named backbone.* and head.weight, head.bias; without a head (spec.dimension 0)
// only the former.
class Net : public torch::nn::Module {
 public:
  explicit Net(const NetSpec& spec);
  torch::Tensor forward(
      const torch::Tensor& images);  // (B, 3, S, S) -> embeddings (B, spec.embedding())

  const NetSpec spec;
  std::shared_ptr<Backbone> backbone;
  torch::nn::Linear head{nullptr};
};

// A net with fresh weights drawn from `seed` alone, on the CPU, in float32.
Result<std::shared_ptr<Net>> make_net(const NetSpec& spec, std::uint64_t seed);

struct LoadReport {
  std::size_t loaded = 0;
  std::vector<std::string>
      ignored;  // classifier heads and the like that the backbone has no use for
};
// Into the backbone alone. Every tensor that is missing, left over or of another shape is named in
// the error.
Result<LoadReport> load_backbone(Backbone& backbone, const StateDict& weights,
                                 const std::string& origin);
// Into every parameter and buffer of a module, by its own names (minus `prefix`); the same
// strictness.
Result<void> load_module(torch::nn::Module& module, const StateDict& weights,
                         const std::string& origin);
// All parameters and buffers, names in module order with `prefix` before them, copied to the CPU as
// float32.
StateDict state_of(const torch::nn::Module& module, const std::string& prefix = "");

// 8-bit pixels (B, S, S, 3) on any device -> normalised floats (B, 3, S, S) on the same device,
// channels last.
torch::Tensor normalise_pixels(const torch::Tensor& pixels, const Normalisation& normalisation,
                               torch::ScalarType type = torch::kFloat32);

// "cpu", "cuda" or "cuda:N" where there is such a device.
Result<torch::Device> parse_device(const std::string& text);

// An exception of torch as an Error; running out of memory becomes out_of_memory. `what` says what
// was being done.
bool is_out_of_memory(const std::exception& error);
Error torch_error(const std::exception& error, const std::string& what);

}  // namespace paco::embed
