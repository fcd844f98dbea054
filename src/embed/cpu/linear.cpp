// See linear.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "embed/cpu/linear.hpp"

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/cpu/linear.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format keeps this one last: it needs what the two before it set up.
#include "embed/cpu/tile-inl.hpp"

#ifndef PACO_VISION_LINEAR_SHAPES
#define PACO_VISION_LINEAR_SHAPES
namespace paco::embed {

constexpr std::size_t kLinearPanel = 32;
// How many inputs are summed in registers before the sums are stored: the part of a panel then
// stays in the cache for all rows.
constexpr std::size_t kLinearDepth = 384;

struct LinearCall {
  const float *panels, *bias;
  std::size_t inputs, outputs;
  const float* x;
  std::size_t rows, x_stride;
  float* out;
  std::size_t out_stride;
  Finish finish;
};

}  // namespace paco::embed
#endif

HWY_BEFORE_NAMESPACE();
namespace paco::embed {
namespace HWY_NAMESPACE {
namespace vision {

// Writes the sums of a tile, rows `sum_stride` apart, to their destination. `begins`, `ends`: these
// sums include the first, the last inputs.
HWY_INLINE void PlaceTile(const float* sums, std::size_t sum_stride, std::size_t rows,
                          std::size_t columns, const float* bias, bool begins, bool ends,
                          Finish finish, float* out, std::size_t stride) {
  const Floats d;
  const bool adds = !begins || finish == Finish::add;
  const bool curves = ends && finish == Finish::gelu;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; c += kLanes) {
      float* to = out + r * stride + c;
      // The last columns of a matrix may not fill a register.
      const bool whole = c + kLanes <= columns;
      HWY_ALIGN float edge[kLanes] = {};
      if (!whole) std::copy_n(to, columns - c, edge);
      Register value = hn::Load(d, sums + r * sum_stride + c);
      if (begins) value = hn::Add(value, hn::LoadU(d, bias + c));
      if (adds) value = hn::Add(value, hn::LoadU(d, whole ? to : edge));
      if (curves) value = Gelu(value);
      hn::StoreU(value, d, whole ? to : edge);
      if (!whole) std::copy_n(edge, columns - c, to);
    }
  }
}

void ApplyLinear(const LinearCall& call) {
  HWY_ALIGN float sums[kTileRows * kTileColumns];
  for (std::size_t first = 0; first < call.inputs; first += kLinearDepth) {
    const std::size_t depth = std::min(kLinearDepth, call.inputs - first);
    const bool begins = first == 0, ends = first + depth == call.inputs;
    for (std::size_t column = 0; column < call.outputs; column += kTileColumns) {
      const float* panel = call.panels + column / kLinearPanel * kLinearPanel * call.inputs +
                           first * kLinearPanel + column % kLinearPanel;
      const std::size_t columns = std::min(kTileColumns, call.outputs - column);
      for (std::size_t row = 0; row < call.rows; row += kTileRows) {
        const std::size_t rows = std::min(kTileRows, call.rows - row);
        SumTile(rows, call.x + row * call.x_stride + first, call.x_stride, panel, kLinearPanel,
                depth, sums);
        PlaceTile(sums, kTileColumns, rows, columns, call.bias + column, begins, ends, call.finish,
                  call.out + row * call.out_stride + column, call.out_stride);
      }
    }
  }
}

}  // namespace vision

void ApplyLinear(const LinearCall& call) { vision::ApplyLinear(call); }
void PlaceSums(const float* sums, std::size_t rows, std::size_t columns, const float* bias,
               Finish finish, float* out, std::size_t stride) {
  vision::PlaceTile(sums, kLinearPanel, rows, columns, bias, true, true, finish, out, stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::embed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::embed {

HWY_EXPORT(ApplyLinear);
HWY_EXPORT(PlaceSums);

Linear::Linear(const float* weights, const float* bias, std::size_t outputs, std::size_t inputs,
               CpuPrecision precision)
    : inputs_(inputs), outputs_(outputs), precision_(precision) {
  assert(inputs > 0 && outputs > 0);
  const std::size_t filled = (outputs + kLinearPanel - 1) / kLinearPanel * kLinearPanel;
  bias_.resize(filled);
  if (bias != nullptr) std::copy_n(bias, outputs, bias_.begin());
  if (precision != CpuPrecision::float32) {
    reduced_ = ReducedWeights(weights, outputs, inputs, precision);
    return;
  }
  panels_.resize(filled * inputs);
  for (std::size_t j = 0; j < outputs; ++j) {
    float* to = panels_.data() + j / kLinearPanel * kLinearPanel * inputs + j % kLinearPanel;
    for (std::size_t k = 0; k < inputs; ++k) to[k * kLinearPanel] = weights[j * inputs + k];
  }
}

void Linear::apply(const float* x, std::size_t rows, std::size_t x_stride, float* out,
                   std::size_t out_stride, Finish finish) const {
  if (precision_ != CpuPrecision::float32)
    return apply_reduced(x, rows, x_stride, out, out_stride, finish);
  HWY_DYNAMIC_DISPATCH(ApplyLinear)
  ({panels_.data(), bias_.data(), inputs_, outputs_, x, rows, x_stride, out, out_stride, finish});
}

void Linear::apply_reduced(const float* x, std::size_t rows, std::size_t x_stride, float* out,
                           std::size_t out_stride, Finish finish) const {
  static_assert(kLinearPanel == ReducedWeights::kPanel);
  thread_local ReducedWeights::RoundedRows rounded;
  alignas(64) float sums[ReducedWeights::kRows * kLinearPanel];
  reduced_.round_rows(x, rows, x_stride, rounded);
  for (std::size_t column = 0; column < outputs_; column += kLinearPanel) {
    const std::size_t columns = std::min(kLinearPanel, outputs_ - column);
    for (std::size_t row = 0; row < rows; row += ReducedWeights::kRows) {
      const std::size_t there = std::min(ReducedWeights::kRows, rows - row);
      reduced_.multiply(rounded, row, there, column / kLinearPanel, sums);
      HWY_DYNAMIC_DISPATCH(PlaceSums)
      (sums, there, columns, bias_.data() + column, finish, out + row * out_stride + column,
       out_stride);
    }
  }
}

}  // namespace paco::embed
#endif  // HWY_ONCE
