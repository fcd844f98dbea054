// A linear layer y = W x + b with its weights laid out for the processor, and what follows it in a
// network done while the numbers are at hand: GELU, or the addition to what was there.
//
// Every row of the result depends on its own row of x alone, bit for bit: not on the number of rows
// nor on threads. Layers are read-only once made; any number of threads may apply one. Not BLAS:
// OpenBLAS's number of threads belongs to the whole process.
#pragma once

#include <cstddef>
#include <vector>

#include "core/large_pages.hpp"
#include "embed/cpu/reduced.hpp"

namespace paco::embed {

// What becomes of a row of sums.
enum class Finish {
  store,  // out = W x + b
  gelu,   // out = gelu(W x + b)
  add,    // out += W x + b
};

// Rows of numbers whose starts are `stride` apart, a stride that no cache maps onto few places.
constexpr std::size_t padded_stride(std::size_t columns) {
  constexpr std::size_t kLine = 16;
  return ((columns + kLine - 1) / kLine | 1) * kLine;
}

class Linear {
 public:
  Linear() = default;
  // weights (outputs, inputs); bias (outputs), or null for none. `precision` is one that the
  // processor has.
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
  // Panels of 32 outputs, side by side, input after input; the last one filled up with zeros.
  std::vector<float, core::LargePages<float>> panels_;
  ReducedWeights reduced_;   // in place of them
  std::vector<float> bias_;  // filled up likewise
};

}  // namespace paco::embed
