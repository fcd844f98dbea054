// What runs column by column: bias with GELU, the gradients of heads side by side, and pixels to
// normalised values. A thread holds eight columns and walks down a strip of rows, with the loads of
// several rows under way at once; sums over rows stay in its registers.
#include <algorithm>

#include "embed/torch/vit_vectors.cuh"

namespace paco::embed::cuda {
namespace {

constexpr int kColumns = 128;    // threads of a block, kVector columns each
constexpr int kRowsAhead = 4;    // rows a thread loads before it uses them
constexpr int kBlocksHeld = 16;  // blocks that a multiprocessor runs at a time

// The share of a normal variable below x, to 1e-7 (Abramowitz and Stegun 7.1.26); `bell` is
// exp(-x * x / 2), which the slope of GELU needs too.
__device__ float normal_below(float x, float* bell) {
  const float size = fabsf(x) * 0.70710678f;
  const float t = __fdividef(1.f, fmaf(0.3275911f, size, 1.f));
  *bell = __expf(-size * size);
  const float series =
      t * fmaf(t,
               fmaf(t, fmaf(t, fmaf(t, 1.061405429f, -1.453152027f), 1.421413741f), -0.284496736f),
               0.254829592f);
  const float tail = 0.5f * series * *bell;
  return x < 0.f ? tail : 1.f - tail;
}

template <class T>
__global__ void __launch_bounds__(kColumns, kBlocksHeld)
    bias_gelu_kernel(std::int64_t rows, int width, const Half* __restrict__ h,
                     const T* __restrict__ bias, Half* __restrict__ y) {
  const int column = (blockIdx.x * kColumns + threadIdx.x) * kVector;
  if (column >= width) return;
  float constant[kVector];
  load(bias + column, constant);
  const std::int64_t step = gridDim.y;
#pragma unroll kRowsAhead
  for (std::int64_t row = blockIdx.y; row < rows; row += step) {
    float values[kVector], bell;
    load(h + row * width + column, values);
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      const float x = values[j] + constant[j];
      values[j] = x * normal_below(x, &bell);
    }
    store(y + row * width + column, values);
  }
}

template <class T>
__global__ void __launch_bounds__(kColumns)
    bias_gelu_gradient_kernel(std::int64_t rows, int width, const Half* __restrict__ h,
                              const T* __restrict__ bias, const Half* __restrict__ y_gradient,
                              Half* __restrict__ h_gradient, float* __restrict__ partial) {
  const int column = (blockIdx.x * kColumns + threadIdx.x) * kVector;
  if (column >= width) return;
  float constant[kVector], totals[kVector] = {};
  load(bias + column, constant);
  const std::int64_t step = gridDim.y;
#pragma unroll kRowsAhead
  for (std::int64_t row = blockIdx.y; row < rows; row += step) {
    float values[kVector], gradient[kVector];
    load(h + row * width + column, values);
    load(y_gradient + row * width + column, gradient);
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      const float x = values[j] + constant[j];
      float bell;
      const float below = normal_below(x, &bell);
      gradient[j] *= fmaf(x * 0.39894228f, bell, below);
      totals[j] += gradient[j];
    }
    store(h_gradient + row * width + column, gradient);
  }
  store(partial + static_cast<std::int64_t>(blockIdx.y) * width + column, totals);
}

struct Parts {
  const Half* part[3];
};

__global__ void __launch_bounds__(kColumns)
    side_by_side_kernel(std::int64_t rows, int width, int columns, Parts parts,
                        Half* __restrict__ together, float* __restrict__ partial) {
  const int column = (blockIdx.x * kColumns + threadIdx.x) * kVector;
  if (column >= columns) return;
  const int which = column / width;
  const Half* part = (which == 0   ? parts.part[0]
                      : which == 1 ? parts.part[1]
                                   : parts.part[2]) +
                     (column - which * width);
  float totals[kVector] = {};
  const std::int64_t step = gridDim.y;
#pragma unroll kRowsAhead
  for (std::int64_t row = blockIdx.y; row < rows; row += step) {
    float values[kVector];
    load(part + row * width, values);
#pragma unroll
    for (int j = 0; j < kVector; ++j) totals[j] += values[j];
    store(together + row * columns + column, values);
  }
  store(partial + static_cast<std::int64_t>(blockIdx.y) * columns + column, totals);
}

struct Channels {
  float scale[3], shift[3];
};

template <class T>
__global__ void normalise_kernel(const std::uint8_t* pixels, std::int64_t vectors,
                                 Channels channels, T* values) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  const uint2 raw = reinterpret_cast<const uint2*>(pixels)[i];
  const int first = static_cast<int>(i * kVector % 3);
  float out[kVector];
#pragma unroll
  for (int j = 0; j < kVector; ++j) {
    const unsigned byte = ((j < 4 ? raw.x : raw.y) >> (8 * (j % 4))) & 0xffu;
    const int place = first + j % 3;  // 0 .. 4
    const int channel = place >= 3 ? place - 3 : place;
    const float scale = channel == 0   ? channels.scale[0]
                        : channel == 1 ? channels.scale[1]
                                       : channels.scale[2];
    const float shift = channel == 0   ? channels.shift[0]
                        : channel == 1 ? channels.shift[1]
                                       : channels.shift[2];
    out[j] = fmaf(static_cast<float>(byte), scale, shift);
  }
  store(values + i * kVector, out);
}

dim3 column_grid(std::int64_t rows, int columns, int multiprocessors) {
  const int across = (columns / kVector + kColumns - 1) / kColumns;
  return dim3(across, static_cast<unsigned>(partial_rows(rows, multiprocessors)));
}

}  // namespace

void bias_gelu(const Shape& shape, const void* h, const void* bias, void* y, int multiprocessors,
               Stream stream) {
  // No sums, so no scratch: as many blocks as the device can hold.
  dim3 grid = column_grid(shape.rows, shape.width, multiprocessors);
  grid.y = static_cast<unsigned>(
      std::min<std::int64_t>(shape.rows, (kBlocksHeld * multiprocessors + grid.x - 1) / grid.x));
  const auto launch = [&](auto type) {
    bias_gelu_kernel<<<grid, kColumns, 0, stream>>>(
        shape.rows, shape.width, static_cast<const Half*>(h),
        static_cast<const decltype(type)*>(bias), static_cast<Half*>(y));
  };
  shape.wide ? launch(float{}) : launch(Half{});
}

void bias_gelu_gradient(const Shape& shape, const BiasGeluGradient& a, int multiprocessors,
                        Stream stream) {
  const dim3 grid = column_grid(shape.rows, shape.width, multiprocessors);
  const auto launch = [&](auto type) {
    bias_gelu_gradient_kernel<<<grid, kColumns, 0, stream>>>(
        shape.rows, shape.width, static_cast<const Half*>(a.h),
        static_cast<const decltype(type)*>(a.bias), static_cast<const Half*>(a.y_gradient),
        static_cast<Half*>(a.h_gradient), a.partial);
  };
  shape.wide ? launch(float{}) : launch(Half{});
  add_partials(a.partial, grid.y, shape.width, shape.wide, a.bias_gradient, stream);
}

void side_by_side(const Shape& shape, const SideBySide& a, int multiprocessors, Stream stream) {
  const int columns = a.parts * shape.width;
  const dim3 grid = column_grid(shape.rows, columns, multiprocessors);
  Parts parts{};
  for (int i = 0; i < a.parts; ++i) parts.part[i] = static_cast<const Half*>(a.part[i]);
  side_by_side_kernel<<<grid, kColumns, 0, stream>>>(shape.rows, shape.width, columns, parts,
                                                     static_cast<Half*>(a.together), a.partial);
  add_partials(a.partial, grid.y, columns, /*wide=*/false, a.column_sums, stream);
}

void normalise(const std::uint8_t* pixels, std::int64_t count, const float scale[3],
               const float shift[3], bool wide, void* values, Stream stream) {
  Channels channels{};
  for (int c = 0; c < 3; ++c) channels.scale[c] = scale[c], channels.shift[c] = shift[c];
  const std::int64_t vectors = count / kVector;
  constexpr int kThreads = 256;
  const auto blocks = static_cast<unsigned>((vectors + kThreads - 1) / kThreads);
  if (wide)
    normalise_kernel<<<blocks, kThreads, 0, stream>>>(pixels, vectors, channels,
                                                      static_cast<float*>(values));
  else
    normalise_kernel<<<blocks, kThreads, 0, stream>>>(pixels, vectors, channels,
                                                      static_cast<Half*>(values));
}

}  // namespace paco::embed::cuda
