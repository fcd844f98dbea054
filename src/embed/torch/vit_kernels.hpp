// CUDA kernels for what lies between a vision transformer's matrix products: the residual sum with
// the norm after it, the bias with the GELU after it, the gradients of the heads side by side, and
// the normalisation of pixels. Each reads its inputs once and writes its outputs once; the sums
// over rows that are gradients of biases and norms are taken in the same pass.
//
// No torch here and no memory management: pointers to device memory, all 16-byte aligned, rows
// without gaps, widths a multiple of 8. A call puts work on `stream` and returns. Activations are
// bfloat16. "Wide" is how the residual stream and the parameters are held: float32 (wide) or
// bfloat16. Sums are made in float32, in an order that depends on the shape and the device alone.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace paco::embed::cuda {

using Stream = CUstream_st*;

inline constexpr int kMaxNormWidth = 1280;

struct Shape {
  std::int64_t rows = 0;
  int width = 0;
  bool wide = false;
};

// How many rows of partial sums the gradient kernels want as scratch: (partial_rows(), columns)
// float32.
std::int64_t partial_rows(std::int64_t rows, int multiprocessors);

// sum = x + branch + bias; y = norm(sum) * weight + shift. stats is (2, rows): means, then
// reciprocal deviations.
struct AddNorm {
  const void* x;
  const void* branch;  // bfloat16
  const void* bias;
  const void* weight;
  const void* shift;
  float epsilon;
  void* sum;
  void* y;  // bfloat16
  float* stats;
};
void add_norm(const Shape& shape, const AddNorm& a, Stream stream);

// From the gradients of sum and y those of x and branch (the same numbers; where wide,
// `branch_gradient` is their bfloat16 copy, elsewhere it is null) and, in `parameters` (3, width)
// as the parameters are held, those of weight, shift and bias.
struct AddNormGradient {
  const void* sum_gradient;
  const void* y_gradient;  // bfloat16
  const void* sum;
  const float* stats;
  const void* weight;
  void* x_gradient;
  void* branch_gradient;
  float* partial;  // (partial_rows, 3 * width)
  void* parameters;
};
void add_norm_gradient(const Shape& shape, const AddNormGradient& a, int multiprocessors,
                       Stream stream);

// y = gelu(h + bias), h and y bfloat16. Exact GELU to 1e-7, far below bfloat16's step.
void bias_gelu(const Shape& shape, const void* h, const void* bias, void* y, int multiprocessors,
               Stream stream);

struct BiasGeluGradient {
  const void* h;
  const void* bias;
  const void* y_gradient;  // bfloat16
  void* h_gradient;        // bfloat16
  float* partial;          // (partial_rows, width)
  void* bias_gradient;     // (width) as the bias is held
};
void bias_gelu_gradient(const Shape& shape, const BiasGeluGradient& a, int multiprocessors,
                        Stream stream);

// Up to three (rows, width) bfloat16 matrices side by side in (rows, parts * width), and the sums
// of the columns of the result (bfloat16).
struct SideBySide {
  const void* part[3];
  int parts;
  void* together;
  float* partial;  // (partial_rows, parts * width)
  void* column_sums;
};
void side_by_side(const Shape& shape, const SideBySide& a, int multiprocessors, Stream stream);

// values[i] = pixels[i] * scale[i % 3] + shift[i % 3] in float32, stored as float32 (wide) or
// bfloat16. `count` is a multiple of 8.
void normalise(const std::uint8_t* pixels, std::int64_t count, const float scale[3],
               const float shift[3], bool wide, void* values, Stream stream);

}  // namespace paco::embed::cuda
