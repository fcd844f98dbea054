#include "processor_targets.hpp"

#include <cpuid.h>
#include <hwy/targets.h>

namespace paco {
namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf) {
  Registers r;
  __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);  // all zero where there is no such leaf
  return r;
}

bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

// The registers that the system saves when it changes from one thread to another.
unsigned saved_registers() {
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// Each set needs all of the one before it.
std::int64_t x86_targets() {
  constexpr unsigned kAvxState = 0x6, kAvx512State = 0xE6;
  constexpr unsigned kAvx512Vnni = 1U << 11, kAvx512Vbmi = 1U << 1, kAvx512Vbmi2 = 1U << 6;
  constexpr unsigned kAvx512Bitalg = 1U << 12, kAvx512Vpopcntdq = 1U << 14;
  constexpr unsigned kVaes = 1U << 9, kVpclmulqdq = 1U << 10;
  const Registers basic = cpuid(1), more = cpuid(7), extended = cpuid(0x80000001U);

  std::int64_t targets = 0;
  if (!has(basic.c, bit_SSE3 | bit_SSSE3)) return targets;
  targets |= HWY_SSSE3;
  if (!has(basic.c, bit_SSE4_1 | bit_SSE4_2 | bit_AES | bit_PCLMUL)) return targets;
  targets |= HWY_SSE4;
  if (!has(basic.c, bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C) ||
      !has(more.b, bit_AVX2 | bit_BMI | bit_BMI2) || !has(extended.c, bit_LZCNT) ||
      !has(saved_registers(), kAvxState)) {
    return targets;
  }
  targets |= HWY_AVX2;
  if (!has(more.b, bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW | bit_AVX512CD) ||
      !has(saved_registers(), kAvx512State)) {
    return targets;
  }
  targets |= HWY_AVX3;
  if (has(more.c, kAvx512Vnni | kAvx512Vbmi | kAvx512Vbmi2 | kAvx512Bitalg | kAvx512Vpopcntdq |
                      kVaes | kVpclmulqdq)) {
    targets |= HWY_AVX3_DL;
  }
  return targets;
}

}  // namespace

std::int64_t processor_targets() {
  return HWY_STATIC_TARGET | HWY_EMU128 | HWY_SCALAR | x86_targets();
}

}  // namespace paco
