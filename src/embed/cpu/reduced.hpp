// Weights of a linear layer in fewer bits, and products with them: bfloat16 (AVX512-BF16) and 8-bit
// whole numbers (AVX512-VNNI), if the processor supports them. Only x86 supports them.
//
// In bfloat16 both factors are rounded to 8 bits of precision, sums are float32. In int8 every
// output has a scale of its own for its weights (-127 .. 127) and every row of x a scale and an
// offset (0 .. 255); sums are exact. A row's result depends on that row alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/large_pages.hpp"
#include "paco/result.hpp"

namespace paco::embed {

enum class CpuPrecision { float32, bfloat16, int8 };

// "float32", "bfloat16", "int8"; also an error if the processor does not support it.
Result<CpuPrecision> parse_cpu_precision(const std::string& text);
std::string cpu_precision_name(CpuPrecision precision);
bool processor_has(CpuPrecision precision);

class ReducedWeights {
 public:
  static constexpr std::size_t kPanel = 32;  // outputs side by side
  static constexpr std::size_t kRows = 12;   // of x that are multiplied together

  ReducedWeights() = default;
  // weights (outputs, inputs). `precision` must be supported by the processor and not be float32.
  ReducedWeights(const float* weights, std::size_t outputs, std::size_t inputs,
                 CpuPrecision precision);

  // Rows of x in the layer's precision; the memory can be reused for the next rows.
  struct RoundedRows {
    std::vector<std::uint8_t> bytes;
    std::vector<float> scale, offset;  // int8: x = scale * byte + offset
  };
  void round_rows(const float* x, std::size_t rows, std::size_t stride, RoundedRows& rounded) const;

  // sums (rows, kPanel) = W x for the outputs of one panel and `rows` (up to kRows) rows from
  // `first` on. `sums` is aligned to 64 bytes.
  void multiply(const RoundedRows& x, std::size_t first, std::size_t rows, std::size_t panel,
                float* sums) const;

 private:
  std::size_t inputs_ = 0;
  std::size_t row_bytes_ = 0;  // of one row of x, and of one output's weights
  CpuPrecision precision_ = CpuPrecision::float32;
  // Panels: four bytes of each of 32 outputs, then the next four.
  std::vector<std::uint8_t, core::LargePages<std::uint8_t>> panels_;
  std::vector<float> scale_, total_;  // int8: of each output's weights; scale times their sum
};

}  // namespace paco::embed
