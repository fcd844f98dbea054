// The partial sums of plain.hpp in registers, for kernels that add up in double. Included by files
// that Highway's foreach_target compiles once per instruction set, and by no other file; so it has
// no include guard but one that opens with every instruction set.
#if defined(PACO_LINALG_PARTIAL_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PACO_LINALG_PARTIAL_SUMS_INL
#undef PACO_LINALG_PARTIAL_SUMS_INL
#else
#define PACO_LINALG_PARTIAL_SUMS_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>

#include "math/plain.hpp"

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using HalfF32 = hn::Rebind<float, F64>;  // as many floats as a register holds doubles
using VecF64 = hn::Vec<F64>;

constexpr std::size_t kWidth = hn::MaxLanes(F64());
constexpr std::size_t kRegisters = plain::kPartialSums / kWidth;
static_assert(kRegisters * kWidth == plain::kPartialSums);

HWY_INLINE VecF64 load(const double* p) { return hn::LoadU(F64(), p); }
HWY_INLINE VecF64 load(const float* p) { return hn::PromoteTo(F64(), hn::LoadU(HalfF32(), p)); }

// The partial sums of plain.hpp, held in registers: element i of the input belongs to lane i % 32.
struct PartialSums {
  VecF64 sums[kRegisters];

  HWY_INLINE PartialSums() {
    for (std::size_t r = 0; r < kRegisters; ++r) sums[r] = hn::Zero(F64());
  }
  // Adds the tail's terms lane by lane, then folds.
  template <class Term>
  HWY_INLINE double finish(std::size_t first, std::size_t n, Term term) {
    std::array<double, plain::kPartialSums> partial;
    for (std::size_t r = 0; r < kRegisters; ++r) hn::StoreU(sums[r], F64(), &partial[r * kWidth]);
    for (std::size_t i = first; i < n; ++i) partial[i - first] += term(i);
    return plain::fold(partial);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
