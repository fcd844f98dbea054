// What a vision transformer does between its large matrix products, as functions of tensors and
// layers. Each has one meaning and two ways: torch's own operations, and, on a GPU in bfloat16 (the
// network itself, or autocast), the kernels of vit_kernels.hpp, which pass over memory a third as
// often. Both can be differentiated. Internal to represent/; includes torch.
//
// B images, N tokens, `width` features; x is the residual stream (B, N, width), y what a norm made
// of it.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace paco::embed {

inline constexpr double kVitNormEpsilon = 1e-6;

// Linear layer with its bias added in the same pass: torch::nn::Linear takes two where the input
// has three dimensions.
torch::Tensor linear(const torch::nn::Linear& layer, const torch::Tensor& x);

// linear(y, weight, bias) cut into heads: `parts` tensors (B, heads, N, width / heads), where
// weight is (parts * width, width).
std::vector<torch::Tensor> project_heads(const torch::Tensor& y, const torch::Tensor& weight,
                                         const torch::Tensor& bias, std::int64_t heads,
                                         std::int64_t parts);

// gelu(layer(y)).
torch::Tensor project_gelu(const torch::Tensor& y, const torch::nn::Linear& layer);

struct Normed {
  torch::Tensor x;  // the residual stream with the branch added
  torch::Tensor y;  // its norm
};
// x + layer(z) * scale, and the norm of that. `scale` is (width), or undefined for one.
Normed add_project_norm(const torch::Tensor& x, const torch::Tensor& z,
                        const torch::nn::Linear& layer, const torch::Tensor& scale,
                        const torch::nn::LayerNorm& norm);

}  // namespace paco::embed
