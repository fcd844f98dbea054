// The kernels of vit_kernels.hpp as operations on tensors that torch can differentiate. Only in
// builds with a CUDA libtorch; torch_vit_ops.cpp decides when they are used.
#pragma once

#include <torch/types.h>

#include <utility>
#include <vector>

namespace paco::embed::cuda {

// Whether they take a residual stream like x: on a GPU, in bfloat16 or under autocast to it, of a
// width that they can hold.
bool fuses(const torch::Tensor& x);

// (x + branch + bias, its norm). branch is bfloat16; the parameters have x's type; the norm comes
// as bfloat16.
std::pair<torch::Tensor, torch::Tensor> add_norm(const torch::Tensor& x,
                                                 const torch::Tensor& branch,
                                                 const torch::Tensor& bias,
                                                 const torch::Tensor& weight,
                                                 const torch::Tensor& shift, double epsilon);

// gelu(h + bias), h bfloat16.
torch::Tensor bias_gelu(const torch::Tensor& h, const torch::Tensor& bias);

// linear(y, weight, bias), all bfloat16, as `parts` tensors (B, heads, N, width / heads) without a
// copy; their gradients come together in one pass that also sums the bias's.
std::vector<torch::Tensor> project_heads(const torch::Tensor& y, const torch::Tensor& weight,
                                         const torch::Tensor& bias, std::int64_t heads,
                                         std::int64_t parts);

// pixels * scale + shift by channel in one pass: bytes (..., 3) -> values of `type` of the same
// shape. Undefined where the pixels do not suit it.
torch::Tensor normalise(const torch::Tensor& pixels, const float scale[3], const float shift[3],
                        torch::ScalarType type);

}  // namespace paco::embed::cuda
