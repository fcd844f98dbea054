// The norms of the networks on a CPU, in float32. Each row or image is normalised separately: no
// result depends on other rows or images.
#pragma once

#include <cstddef>
#include <vector>

namespace paco::embed {

struct NormWeights {
  const float* gain;
  const float* shift;
};

struct Norm {
  std::vector<float> gain, shift;
  NormWeights weights() const { return {gain.data(), shift.data()}; }
};

// out = (x - mean) / sqrt(variance + epsilon) * gain + shift, for each of `rows` rows.
void layer_norm(const float* x, std::size_t rows, std::size_t x_stride, std::size_t columns,
                float epsilon, NormWeights weights, float* out, std::size_t out_stride);

// max(0, the same), with mean and variance over all pixels and the channels of one of `groups`
// groups; x and out are (pixels, channels).
void group_norm_relu(const float* x, std::size_t pixels, std::size_t channels, std::size_t groups,
                     float epsilon, NormWeights weights, float* out);

}  // namespace paco::embed
