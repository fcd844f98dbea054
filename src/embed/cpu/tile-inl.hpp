// The inner loops of the networks on a CPU: the sums of one tile of a matrix product, and the
// exponential and the GELU of a register. Included by .cpp files that Highway's foreach_target
// compiles once per instruction set, hence the unusual guard; nothing here is chosen at run time.
//
// The terms of a sum are added in order, one fused multiply-add each, in every tile. So the result
// of a row depends neither on the rows beside it nor on how they are split.
#if defined(PACO_VISION_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PACO_VISION_TILE_INL
#undef PACO_VISION_TILE_INL
#else
#define PACO_VISION_TILE_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace paco::embed {
namespace HWY_NAMESPACE {
namespace vision {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Register = hn::Vec<Floats>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kTileColumns = 2 * kLanes;
// Sums of a tile are held in registers: two for each row. AVX-512 has 32 registers, others 16.
constexpr std::size_t kTileRows = kLanes >= 16 ? 12 : 6;

// out (Rows, kTileColumns) = a (Rows, depth; row stride a_stride) * b (depth, kTileColumns; row
// stride b_stride).
template <std::size_t Rows>
HWY_INLINE void TileSums(const float* HWY_RESTRICT a, std::size_t a_stride,
                         const float* HWY_RESTRICT b, std::size_t b_stride, std::size_t depth,
                         float* HWY_RESTRICT out) {
  const Floats d;
  Register left[Rows], right[Rows];
  for (std::size_t r = 0; r < Rows; ++r) left[r] = right[r] = hn::Zero(d);
  for (std::size_t k = 0; k < depth; ++k) {
    const Register b0 = hn::LoadU(d, b + k * b_stride);
    const Register b1 = hn::LoadU(d, b + k * b_stride + kLanes);
    HWY_UNROLL(12)
    for (std::size_t r = 0; r < Rows; ++r) {
      const Register x = hn::Set(d, a[r * a_stride + k]);
      left[r] = hn::MulAdd(x, b0, left[r]);
      right[r] = hn::MulAdd(x, b1, right[r]);
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    hn::Store(left[r], d, out + r * kTileColumns);
    hn::Store(right[r], d, out + r * kTileColumns + kLanes);
  }
}

// The same for a number of rows that is known at run time, 1 to kTileRows.
template <std::size_t Rows = kTileRows>
HWY_INLINE void SumTile(std::size_t rows, const float* a, std::size_t a_stride, const float* b,
                        std::size_t b_stride, std::size_t depth, float* out) {
  if (rows == Rows) return TileSums<Rows>(a, a_stride, b, b_stride, depth, out);
  if constexpr (Rows > 1) SumTile<Rows - 1>(rows, a, a_stride, b, b_stride, depth, out);
}

// e^x for x <= 0: 2^n e^r with |r| at most half of log 2. Below -87 the result is that of -87,
// about 0.
HWY_INLINE Register Exponential(Register x) {
  const Floats d;
  const hn::RebindToSigned<Floats> whole;
  const Register kept = hn::Max(x, hn::Set(d, -87.0f));
  const Register n = hn::Round(hn::Mul(kept, hn::Set(d, 1.44269504f)));
  Register r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), kept);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  constexpr float kInverse[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
  Register series = hn::Set(d, 1.0f / 5040);
  for (const float c : kInverse) series = hn::MulAdd(series, r, hn::Set(d, c));
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(whole, n), hn::Set(whole, 127)));
  return hn::Mul(series, hn::BitCast(d, power));
}

// x times the normal distribution's share below x, which is 1/2 + z P(z^2) with z = x cut at 5.6
// (beyond it is 0 or 1 in float32). P is a Chebyshev fit in z^2, written in t = z^2 / 15.68 - 1;
// the share is within 1.1e-7.
HWY_INLINE Register Gelu(Register x) {
  const Floats d;
  const Register z = hn::Max(hn::Min(x, hn::Set(d, 5.6f)), hn::Set(d, -5.6f));
  const Register t = hn::MulAdd(hn::Mul(z, z), hn::Set(d, 1.0f / 15.68f), hn::Set(d, -1.0f));
  constexpr float kRest[] = {0.000863639987f, -0.000633703312f, 0.000734655885f, -0.00285010412f,
                             0.00542048179f,  -0.00755757932f,  0.0109268865f,   -0.0157457162f,
                             0.0209606495f,   -0.0263140649f,   0.031967029f,    -0.038345281f,
                             0.0469810404f,   -0.0630512983f,   0.126259595f};
  Register p = hn::Set(d, -0.000330519193f);
  for (const float c : kRest) p = hn::MulAdd(p, t, hn::Set(d, c));
  return hn::Mul(x, hn::MulAdd(z, p, hn::Set(d, 0.5f)));
}

}  // namespace vision
}  // namespace HWY_NAMESPACE
}  // namespace paco::embed
HWY_AFTER_NAMESPACE();

#endif
