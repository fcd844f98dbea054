// See attention.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "embed/cpu/attention.hpp"

#include <algorithm>
#include <cstdint>

#include "embed/cpu/linear.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/cpu/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format keeps this one last: it needs what the two before it set up.
#include "embed/cpu/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace paco::embed {
namespace HWY_NAMESPACE {
namespace vision {

// Keys (tokens, width) -> columns: element j of key t is at (t / kTileColumns * width + j) *
// kTileColumns + t % kTileColumns. The places after the last key are zero, so they give no score.
void TurnKeys(const float* keys, std::size_t stride, std::size_t tokens, std::size_t width,
              float* turned) {
  for (std::size_t begin = 0; begin < tokens; begin += kTileColumns) {
    const std::size_t there = std::min(kTileColumns, tokens - begin);
    float* panel = turned + begin * width;
    if (there < kTileColumns) std::fill_n(panel, kTileColumns * width, 0.0f);
    for (std::size_t t = 0; t < there; ++t) {
      const float* key = keys + (begin + t) * stride;
      for (std::size_t j = 0; j < width; ++j) panel[j * kTileColumns + t] = key[j];
    }
  }
}

// scores -> e^(score - largest); returns 1 / sum. Numbers after the last score, up to a whole
// register, are overwritten.
HWY_INLINE float Weigh(float* scores, std::size_t count) {
  const Floats d;
  const std::size_t whole = (count + kLanes - 1) / kLanes * kLanes;
  std::fill(scores + count, scores + whole, scores[0]);
  Register largest = hn::Load(d, scores);
  for (std::size_t t = kLanes; t < whole; t += kLanes) {
    largest = hn::Max(largest, hn::Load(d, scores + t));
  }
  largest = hn::MaxOfLanes(d, largest);
  Register sum = hn::Zero(d);
  for (std::size_t t = 0; t < whole; t += kLanes) {
    Register weight = Exponential(hn::Sub(hn::Load(d, scores + t), largest));
    if (t + kLanes > count) weight = hn::IfThenElseZero(hn::FirstN(d, count - t), weight);
    hn::Store(weight, d, scores + t);
    sum = hn::Add(sum, weight);
  }
  return 1.0f / hn::GetLane(hn::SumOfLanes(d, sum));
}

void Attend(const AttentionCall& call, float* turned, float* scores, std::size_t score_stride) {
  HWY_ALIGN float sums[kTileRows * kTileColumns];
  float shares[kTileRows];
  for (std::size_t head = 0; head < call.heads; ++head) {
    const std::size_t place = head * call.head_width;
    TurnKeys(call.keys + place, call.stride, call.tokens, call.head_width, turned);
    for (std::size_t row = 0; row < call.asking; row += kTileRows) {
      const std::size_t rows = std::min(kTileRows, call.asking - row);
      for (std::size_t t = 0; t < call.tokens; t += kTileColumns) {
        SumTile(rows, call.queries + row * call.query_stride + place, call.query_stride,
                turned + t * call.head_width, kTileColumns, call.head_width, sums);
        for (std::size_t r = 0; r < rows; ++r) {
          std::copy_n(sums + r * kTileColumns, kTileColumns, scores + r * score_stride + t);
        }
      }
      for (std::size_t r = 0; r < rows; ++r)
        shares[r] = Weigh(scores + r * score_stride, call.tokens);
      for (std::size_t j = 0; j < call.head_width; j += kTileColumns) {
        SumTile(rows, scores, score_stride, call.values + place + j, call.stride, call.tokens,
                sums);
        const std::size_t columns = std::min(kTileColumns, call.head_width - j);
        for (std::size_t r = 0; r < rows; ++r) {
          float* to = call.out + (row + r) * call.out_stride + place + j;
          for (std::size_t c = 0; c < columns; ++c) to[c] = sums[r * kTileColumns + c] * shares[r];
        }
      }
    }
  }
}

}  // namespace vision

std::size_t AttentionColumns() { return vision::kTileColumns; }
std::size_t AttentionRows() { return vision::kTileRows; }
void Attend(const AttentionCall& call, float* turned, float* scores, std::size_t score_stride) {
  vision::Attend(call, turned, scores, score_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::embed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::embed {

HWY_EXPORT(AttentionColumns);
HWY_EXPORT(AttentionRows);
HWY_EXPORT(Attend);

void attend(const AttentionCall& call, std::vector<float>& scratch) {
  constexpr std::size_t kAlignment = 16;
  const std::size_t columns = HWY_DYNAMIC_DISPATCH(AttentionColumns)();
  const std::size_t places = (call.tokens + columns - 1) / columns * columns;
  const std::size_t score_stride = padded_stride(places);
  const std::size_t scores = HWY_DYNAMIC_DISPATCH(AttentionRows)() * score_stride;
  const std::size_t needed = scores + places * call.head_width + kAlignment;
  if (scratch.size() < needed) scratch.resize(needed);
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
  float* aligned = scratch.data() + (64 - address % 64) % 64 / sizeof(float);
  HWY_DYNAMIC_DISPATCH(Attend)(call, aligned + scores, aligned, score_stride);
}

}  // namespace paco::embed
#endif  // HWY_ONCE
