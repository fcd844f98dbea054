// A linear layer y = W x + b with its weights laid out for the processor. The next step of the
// network is done while the results are in registers or the cache: GELU, or an addition to the
// previous contents.
//
// Every row of the result depends bit for bit only on its own row of x, not on the number of rows
// or threads. Layers are read-only after construction; any number of threads may apply one. It does
// not use BLAS: OpenBLAS's number of threads is a setting of the whole process.
#pragma once

#include <cstddef>
#include <vector>

#include "core/large_pages.hpp"
#include "embed/cpu/reduced.hpp"

namespace paco::embed {

// What is done with a row of sums.
enum class Finish {
  store,  // out = W x + b
  gelu,   // out = gelu(W x + b)
  add,    // out += W x + b
};

// A distance between rows that avoids cache conflicts.
constexpr std::size_t padded_stride(std::size_t columns) {
  constexpr std::size_t kLine = 16;
  return ((columns + kLine - 1) / kLine | 1) * kLine;
}

class Linear {
 public:
  Linear() = default;
  // weights (outputs, inputs); bias (outputs), or null for none. The processor must support
  // `precision`.
  Linear(const float* weights, const float* bias, std::size_t outputs, std::size_t inputs,
         CpuPrecision precision = CpuPrecision::float32);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }

  // x is (rows, inputs) with row stride x_stride, out (rows, outputs) with row stride out_stride.
  void apply(const float* x, std::size_t rows, std::size_t x_stride, float* out,
             std::size_t out_stride, Finish finish) const;

 private:
  void apply_reduced(const float* x, std::size_t rows, std::size_t x_stride, float* out,
                     std::size_t out_stride, Finish finish) const;

  std::size_t inputs_ = 0, outputs_ = 0;
  CpuPrecision precision_ = CpuPrecision::float32;
  // Panels of 32 outputs, side by side, one input after another; the last panel is padded with
  // zeros.
  std::vector<float, core::LargePages<float>> panels_;
  ReducedWeights reduced_;   // in place of them
  std::vector<float> bias_;  // filled up likewise
};

}  // namespace paco::embed
