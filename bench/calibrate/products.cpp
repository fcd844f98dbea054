// The matrix products of a calibration alone: no calibration can be faster than these.
#include <algorithm>

#include "contenders.hpp"
#include "core/threads.hpp"
#include "math/gemm.hpp"

namespace paco::bench {

void calibration_products(Rows<const float> units, std::size_t classes, int replays) {
  constexpr std::size_t kRows = 128;
  core::ThreadPool here;
  math::Matrix<float> products(kRows, classes), gram(kRows, kRows);
  // The first samples stand in for the prototypes: the values do not matter, the shapes do.
  for (int pass = 0; pass <= replays; ++pass) {
    for (std::size_t start = 0; start < units.rows; start += kRows) {
      const std::size_t rows = std::min(kRows, units.rows - start);
      const Rows<const float> block = units.slice(start, rows);
      math::multiply_transposed(block.data, rows, units.data, classes, units.columns,
                                products.data(), classes, here);
      if (pass > 0) math::multiply_self(block.data, rows, units.columns, gram.data());
    }
  }
}

}  // namespace paco::bench
