#include "embed/torch/torch_vit_ops.hpp"

#ifdef PACO_CUDA
#include "embed/torch/torch_vit_fused.hpp"
#endif

namespace paco::embed {
namespace {

using torch::Tensor;

#ifdef PACO_CUDA
bool fuses(const Tensor& x) { return cuda::fuses(x); }
#endif

}  // namespace

Tensor linear(const torch::nn::Linear& layer, const Tensor& x) {
  return torch::linear(x, layer->weight, layer->bias);
}

std::vector<Tensor> project_heads(const Tensor& y, const Tensor& weight, const Tensor& bias,
                                  std::int64_t heads, std::int64_t parts) {
#ifdef PACO_CUDA
  if (fuses(y)) {
    const auto type = torch::kBFloat16;
    return cuda::project_heads(y.to(type), weight.to(type), bias.to(type), heads, parts);
  }
#endif
  return torch::linear(y, weight, bias)
      .view({y.size(0), y.size(1), parts, heads, -1})
      .permute({2, 0, 3, 1, 4})
      .unbind(0);
}

Tensor project_gelu(const Tensor& y, const torch::nn::Linear& layer) {
#ifdef PACO_CUDA
  if (fuses(y)) return cuda::bias_gelu(torch::linear(y, layer->weight), layer->bias);
#endif
  return torch::gelu(linear(layer, y));
}

Normed add_project_norm(const Tensor& x, const Tensor& z, const torch::nn::Linear& layer,
                        const Tensor& scale, const torch::nn::LayerNorm& norm) {
#ifdef PACO_CUDA
  if (fuses(x)) {
    const bool scaled = scale.defined();
    // A scaled branch brings its bias along, so that none is left to add.
    const Tensor branch =
        scaled ? (linear(layer, z) * scale).to(torch::kBFloat16) : torch::linear(z, layer->weight);
    const Tensor bias = scaled ? torch::zeros_like(norm->bias).detach() : layer->bias;
    const auto both = cuda::add_norm(x, branch, bias, norm->weight, norm->bias, kVitNormEpsilon);
    return {both.first, both.second};
  }
#endif
  Tensor branch = linear(layer, z);
  if (scale.defined()) branch = branch * scale;
  const Tensor sum = x + branch;
  return {sum, torch::layer_norm(sum, {sum.size(-1)}, norm->weight, norm->bias, kVitNormEpsilon)};
}

}  // namespace paco::embed
