// Dot products of 8-bit vectors, a block of samples with many rows at once. Only for screening; the
// sums themselves are whole numbers and exact.
//
// Processors with AVX-512 VNNI multiply 64 pairs of bytes in the time of 16 pairs of float32, and a
// byte is a quarter of the memory. The instruction takes one unsigned and one signed operand, so
// rows are stored with 128 added to every byte and a sample's sum starts at -128 times the sum of
// its own bytes.
//
// Rows lie in panels of 16: the first 4 bytes of all 16 rows, then the next 4 of all, and so on, so
// that a register holds 4 bytes of each and a sum never has to be folded across lanes. Vectors are
// padded to whole groups of 4 bytes; a sample's padding is zero, a row's does not matter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paco::math {

inline constexpr std::size_t kPanelRows = 16;

// Bytes that a vector of n elements takes, padding included.
constexpr std::size_t byte_stride(std::size_t n) { return (n + 3) / 4 * 4; }
// Bytes that the panels of so many rows take.
constexpr std::size_t panel_bytes(std::size_t rows, std::size_t n) {
  return (rows + kPanelRows - 1) / kPanelRows * kPanelRows * byte_stride(n);
}

// True if the processor has instructions for it and a sum of n products fits 32 bits.
bool has_fast_gemm_int8(std::size_t n);

// (count, byte_stride(n)) signed bytes; sample i stands for scales[i] * bytes.
struct ByteSamples {
  const std::int8_t* bytes = nullptr;
  const float* scales = nullptr;
  const std::int32_t* starts = nullptr;  // -128 times the sum of each sample's bytes
  std::size_t count = 0;
};

// Panels of rows; row k stands for scales[k] * (bytes - 128).
struct ByteRows {
  const std::uint8_t* panels = nullptr;
  const float* scales = nullptr;
  std::size_t count = 0;
};

// Writes a vector of signed bytes, padding included, to its places in the panels.
void store_in_panel(const std::int8_t* bytes, std::size_t n, std::size_t row, std::uint8_t* panels);

// out[i * stride + k] = float32 of (sum of products) * samples.scales[i] * rows.scales[k].
void multiply_bytes(const ByteSamples& samples, const ByteRows& rows, std::size_t n, float* out,
                    std::size_t stride);

namespace plain {

// Same in plain loops, for processors without such instructions, and to check the fast version.
void multiply_bytes(const ByteSamples& samples, const ByteRows& rows, std::size_t n, float* out,
                    std::size_t stride);

}  // namespace plain
}  // namespace paco::math
