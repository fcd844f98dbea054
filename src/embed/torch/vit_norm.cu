// The residual sum with its norm, and the gradient of both. A warp holds a row in registers, so a
// row is read once. The gradient's sums over rows stay in registers too, come together once per
// block, and add_partials adds the blocks in a fixed order.
#include <algorithm>

#include "embed/torch/vit_vectors.cuh"

namespace paco::embed::cuda {
namespace {

constexpr int kWarps = 4;  // of a block, each with a row of its own

// Vectors is how many vectors of a row one lane holds: width <= Vectors * 256.
template <class T, int Vectors>
__global__ void __launch_bounds__(kLanes* kWarps)
    add_norm_kernel(std::int64_t rows, int width, const T* __restrict__ x,
                    const Half* __restrict__ branch, const T* __restrict__ bias,
                    const T* __restrict__ weight, const T* __restrict__ shift, float epsilon,
                    T* __restrict__ sum, Half* __restrict__ y, float* __restrict__ stats) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.y;
  if (row >= rows) return;
  const int lane = threadIdx.x;
  const std::int64_t start = row * width;
  float values[Vectors][kVector];
  float total = 0;
#pragma unroll
  for (int i = 0; i < Vectors; ++i) {
    const int column = (i * kLanes + lane) * kVector;
    if (column >= width) continue;
    float added[kVector], constant[kVector];
    load(x + start + column, values[i]);
    load(branch + start + column, added);
    load(bias + column, constant);
#pragma unroll
    for (int j = 0; j < kVector; ++j) values[i][j] += added[j] + constant[j];
    store(sum + start + column, values[i]);
#pragma unroll
    for (int j = 0; j < kVector; ++j) total += values[i][j];
  }
  const float mean = warp_sum(total) / width;
  float squares = 0;
#pragma unroll
  for (int i = 0; i < Vectors; ++i) {
    if ((i * kLanes + lane) * kVector >= width) continue;
#pragma unroll
    for (int j = 0; j < kVector; ++j) squares += (values[i][j] - mean) * (values[i][j] - mean);
  }
  const float scale = rsqrtf(warp_sum(squares) / width + epsilon);
  if (lane == 0) stats[row] = mean, stats[rows + row] = scale;
#pragma unroll
  for (int i = 0; i < Vectors; ++i) {
    const int column = (i * kLanes + lane) * kVector;
    if (column >= width) continue;
    float factor[kVector], offset[kVector];
    load(weight + column, factor);
    load(shift + column, offset);
#pragma unroll
    for (int j = 0; j < kVector; ++j)
      values[i][j] = (values[i][j] - mean) * scale * factor[j] + offset[j];
    store(y + start + column, values[i]);
  }
}

template <class T, int Vectors>
__global__ void __launch_bounds__(kLanes* kWarps, Vectors <= 3 ? 3 : 2)
    add_norm_gradient_kernel(std::int64_t rows, int width, const T* __restrict__ sum_gradient,
                             const Half* __restrict__ y_gradient, const T* __restrict__ sum,
                             const float* __restrict__ stats, const T* __restrict__ weight,
                             T* __restrict__ x_gradient, Half* __restrict__ branch_gradient,
                             float* __restrict__ partial) {
  extern __shared__ float shared[];  // (kWarps, width)
  const int lane = threadIdx.x;
  float totals[3][Vectors][kVector] = {};  // of weight, shift and bias
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.y; row < rows;
       row += step) {
    const std::int64_t start = row * width;
    const float mean = stats[row], scale = stats[rows + row];
    float slope[Vectors][kVector], unit[Vectors][kVector];
    Packed<T> passed[Vectors];  // asked for with the rest, used last
    float slopes = 0, products = 0;
#pragma unroll
    for (int i = 0; i < Vectors; ++i) {
      const int column = (i * kLanes + lane) * kVector;
      if (column >= width) continue;
      float factor[kVector];
      passed[i] = fetch(sum_gradient + start + column);
      load(y_gradient + start + column, slope[i]);
      load(sum + start + column, unit[i]);
      load(weight + column, factor);
#pragma unroll
      for (int j = 0; j < kVector; ++j) {
        unit[i][j] = (unit[i][j] - mean) * scale;
        totals[0][i][j] += slope[i][j] * unit[i][j];
        totals[1][i][j] += slope[i][j];
        slope[i][j] *= factor[j];
        slopes += slope[i][j];
        products += slope[i][j] * unit[i][j];
      }
    }
    slopes = warp_sum(slopes) / width;
    products = warp_sum(products) / width;
#pragma unroll
    for (int i = 0; i < Vectors; ++i) {
      const int column = (i * kLanes + lane) * kVector;
      if (column >= width) continue;
      float gradient[kVector];
      unpack(passed[i], gradient);
#pragma unroll
      for (int j = 0; j < kVector; ++j) {
        gradient[j] += scale * (slope[i][j] - slopes - unit[i][j] * products);
        totals[2][i][j] += gradient[j];
      }
      store(x_gradient + start + column, gradient);
      if constexpr (sizeof(T) == 4) store(branch_gradient + start + column, gradient);
    }
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) {
#pragma unroll
    for (int i = 0; i < Vectors; ++i) {
      const int column = (i * kLanes + lane) * kVector;
      if (column < width) store(shared + threadIdx.y * width + column, totals[k][i]);
    }
    __syncthreads();
    float* out = partial + (static_cast<std::int64_t>(blockIdx.x) * 3 + k) * width;
    for (int column = threadIdx.y * kLanes + lane; column < width; column += kLanes * kWarps) {
      float total = 0;
      for (int warp = 0; warp < kWarps; ++warp) total += shared[warp * width + column];
      out[column] = total;
    }
    __syncthreads();
  }
}

template <class T, int Vectors>
void add_norm_as(const Shape& shape, const AddNorm& a, Stream stream) {
  const auto blocks = static_cast<unsigned>((shape.rows + kWarps - 1) / kWarps);
  add_norm_kernel<T, Vectors><<<blocks, dim3(kLanes, kWarps), 0, stream>>>(
      shape.rows, shape.width, static_cast<const T*>(a.x), static_cast<const Half*>(a.branch),
      static_cast<const T*>(a.bias), static_cast<const T*>(a.weight),
      static_cast<const T*>(a.shift), a.epsilon, static_cast<T*>(a.sum), static_cast<Half*>(a.y),
      a.stats);
}

template <class T, int Vectors>
void add_norm_gradient_as(const Shape& shape, const AddNormGradient& a, int multiprocessors,
                          Stream stream) {
  const auto blocks = partial_rows(shape.rows, multiprocessors);
  add_norm_gradient_kernel<T, Vectors>
      <<<static_cast<unsigned>(blocks), dim3(kLanes, kWarps),
         sizeof(float) * kWarps* static_cast<std::size_t>(shape.width), stream>>>(
          shape.rows, shape.width, static_cast<const T*>(a.sum_gradient),
          static_cast<const Half*>(a.y_gradient), static_cast<const T*>(a.sum), a.stats,
          static_cast<const T*>(a.weight), static_cast<T*>(a.x_gradient),
          static_cast<Half*>(a.branch_gradient), a.partial);
  add_partials(a.partial, blocks, 3 * shape.width, shape.wide, a.parameters, stream);
}

// Calls `work` with how the residual stream is held and how many vectors a lane needs for a row.
template <class Work>
void with_kind(const Shape& shape, const Work& work) {
  const auto with_type = [&](auto type) {
    using T = decltype(type);
    switch ((shape.width + kLanes * kVector - 1) / (kLanes * kVector)) {
      case 1:
        return work.template operator()<T, 1>();
      case 2:
        return work.template operator()<T, 2>();
      case 3:
        return work.template operator()<T, 3>();
      case 4:
        return work.template operator()<T, 4>();
      default:
        return work.template operator()<T, 5>();
    }
  };
  shape.wide ? with_type(float{}) : with_type(Half{});
}

}  // namespace

std::int64_t partial_rows(std::int64_t rows, int multiprocessors) {
  return std::max<std::int64_t>(
      1, std::min<std::int64_t>((rows + kWarps - 1) / kWarps, 3 * multiprocessors));
}

void add_norm(const Shape& shape, const AddNorm& a, Stream stream) {
  with_kind(shape, [&]<class T, int Vectors>() { add_norm_as<T, Vectors>(shape, a, stream); });
}

void add_norm_gradient(const Shape& shape, const AddNormGradient& a, int multiprocessors,
                       Stream stream) {
  with_kind(shape, [&]<class T, int Vectors>() {
    add_norm_gradient_as<T, Vectors>(shape, a, multiprocessors, stream);
  });
}

}  // namespace paco::embed::cuda
