// What the CUDA kernels share: vectors of eight values in and out of memory as float32, sums over a
// warp, and the last step of a sum over rows. Included by .cu files alone.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "embed/torch/vit_kernels.hpp"

namespace paco::embed::cuda {

using Half = __nv_bfloat16;

constexpr int kLanes = 32;
constexpr int kVector = 8;  // values a thread loads at a time

// A vector as it lies in memory.
template <class T>
struct Packed {
  uint4 words[sizeof(T) * kVector / sizeof(uint4)];
};

template <class T>
__device__ inline Packed<T> fetch(const T* from) {
  return *reinterpret_cast<const Packed<T>*>(from);
}

__device__ inline void unpack(const Packed<Half>& from, float (&to)[kVector]) {
  const unsigned words[4] = {from.words[0].x, from.words[0].y, from.words[0].z, from.words[0].w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // a bfloat16 is the upper half of a float
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

__device__ inline void unpack(const Packed<float>& from, float (&to)[kVector]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    to[4 * i] = __uint_as_float(from.words[i].x);
    to[4 * i + 1] = __uint_as_float(from.words[i].y);
    to[4 * i + 2] = __uint_as_float(from.words[i].z);
    to[4 * i + 3] = __uint_as_float(from.words[i].w);
  }
}

template <class T>
__device__ inline void load(const T* from, float (&to)[kVector]) {
  unpack(fetch(from), to);
}

// Stores and leaves in `values` what was stored.
__device__ inline void store(Half* to, float (&values)[kVector]) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(values[2 * i], values[2 * i + 1]);
    words[i] = *reinterpret_cast<const unsigned*>(&pair);
    values[2 * i] = __uint_as_float(words[i] << 16);
    values[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
  *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
}

__device__ inline void store(float* to, float (&values)[kVector]) {
#pragma unroll
  for (int i = 0; i < 2; ++i)
    reinterpret_cast<float4*>(to)[i] =
        make_float4(values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]);
}

__device__ inline void put(Half* to, float value) { *to = __float2bfloat16_rn(value); }
__device__ inline void put(float* to, float value) { *to = value; }

__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

// out[column] = sum over the partial rows. A block has kLanes columns and kLanes threads for each.
template <class T>
__global__ void add_partials_kernel(const float* partial, int partials, int columns, T* out) {
  __shared__ float shared[kLanes][kLanes + 1];
  const int column = blockIdx.x * kLanes + threadIdx.x;
  float total = 0;
  if (column < columns)
    for (int row = threadIdx.y; row < partials; row += kLanes)
      total += partial[static_cast<std::int64_t>(row) * columns + column];
  shared[threadIdx.y][threadIdx.x] = total;
  __syncthreads();
  total = warp_sum(shared[threadIdx.x][threadIdx.y]);
  const int reduced = blockIdx.x * kLanes + threadIdx.y;
  if (threadIdx.x == 0 && reduced < columns) put(out + reduced, total);
}

inline void add_partials(const float* partial, std::int64_t partials, int columns, bool wide,
                         void* out, Stream stream) {
  const dim3 threads(kLanes, kLanes);
  const int blocks = (columns + kLanes - 1) / kLanes, count = static_cast<int>(partials);
  if (wide)
    add_partials_kernel<<<blocks, threads, 0, stream>>>(partial, count, columns,
                                                        static_cast<float*>(out));
  else
    add_partials_kernel<<<blocks, threads, 0, stream>>>(partial, count, columns,
                                                        static_cast<Half*>(out));
}

}  // namespace paco::embed::cuda
