// Products of bytes are whole numbers: the fast ones, the plain loop and the definition are equal.
#include "math/gemm_int8.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.hpp"

namespace paco::math {
namespace {

// Samples and rows of bytes, with the rows both as they are and in panels.
struct Bytes {
  std::size_t n, rows;
  std::vector<std::int8_t> samples, row_bytes;
  std::vector<std::uint8_t> panels;
  std::vector<float> sample_scales, row_scales;
  std::vector<std::int32_t> starts;

  template <class Draw>
  Bytes(std::size_t sample_count, std::size_t row_count, std::size_t length, Draw draw)
      : n(length),
        rows(row_count),
        samples(sample_count * byte_stride(n)),
        row_bytes(row_count * byte_stride(n)),
        panels(panel_bytes(row_count, n), std::uint8_t{77}) {
    for (std::size_t i = 0; i < sample_count; ++i) {
      std::int32_t sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += samples[i * byte_stride(n) + j] = draw();
      starts.push_back(-128 * sum);
      sample_scales.push_back(0.5f + static_cast<float>(i));
    }
    for (std::size_t k = 0; k < row_count; ++k) {
      std::int8_t* row = row_bytes.data() + k * byte_stride(n);
      for (std::size_t j = 0; j < byte_stride(n); ++j) row[j] = draw();  // padding does not matter
      store_in_panel(row, n, k, panels.data());
      row_scales.push_back(1.25f + static_cast<float>(k));
    }
  }
  ByteSamples byte_samples() const {
    return {samples.data(), sample_scales.data(), starts.data(), starts.size()};
  }
  ByteRows byte_rows() const { return {panels.data(), row_scales.data(), rows}; }
  float defined(std::size_t i, std::size_t k) const {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += samples[i * byte_stride(n) + j] * row_bytes[k * byte_stride(n) + j];
    return static_cast<float>(sum) * sample_scales[i] * row_scales[k];
  }
};

void expect_defined_products(const Bytes& bytes) {
  constexpr float kUntouched = -0.125f;
  const std::size_t stride = bytes.rows + 3;
  std::vector<float> fast(bytes.starts.size() * stride, kUntouched), slow = fast;
  multiply_bytes(bytes.byte_samples(), bytes.byte_rows(), bytes.n, fast.data(), stride);
  plain::multiply_bytes(bytes.byte_samples(), bytes.byte_rows(), bytes.n, slow.data(), stride);
  ASSERT_EQ(fast, slow);
  for (std::size_t i = 0; i < bytes.starts.size(); ++i) {
    for (std::size_t k = 0; k < bytes.rows; ++k)
      ASSERT_EQ(fast[i * stride + k], bytes.defined(i, k)) << "sample " << i << ", row " << k;
    for (std::size_t k = bytes.rows; k < stride; ++k)
      ASSERT_EQ(fast[i * stride + k], kUntouched) << "wrote beyond its columns";
  }
}

TEST(ByteProducts, AreTheSumsOfTheDefinitionForEveryShape) {
  core::Random random(51);
  const auto any = [&] {
    return static_cast<std::int8_t>(static_cast<int>(random.below(255)) - 127);
  };
  for (const std::size_t n : {1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 100, 768}) {
    for (const std::size_t rows : {1, 3, 15, 16, 17, 40}) {
      for (const std::size_t samples : {1, 2, 3, 4, 7, 8, 9, 11, 12, 20}) {
        SCOPED_TRACE(::testing::Message()
                     << n << " bytes, " << rows << " rows, " << samples << " samples, seed 51");
        expect_defined_products(Bytes(samples, rows, n, any));
      }
    }
  }
}

TEST(ByteProducts, DoNotOverflowAtTheirLargest) {
  // The longest vectors that the fast products are used for, all at one end of the range.
  const std::size_t n = std::size_t{1} << 17;
  for (const int value : {127, -127}) {
    expect_defined_products(Bytes(9, 17, n, [&] { return static_cast<std::int8_t>(value); }));
  }
  bool plus = false;
  expect_defined_products(Bytes(1, 2, n, [&] {
    plus = !plus;
    return static_cast<std::int8_t>(plus ? 127 : -127);
  }));
  EXPECT_FALSE(has_fast_gemm_int8(n + 1));
}

}  // namespace
}  // namespace paco::math
