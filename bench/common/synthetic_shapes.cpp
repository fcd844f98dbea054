// See synthetic_shapes.hpp.
#include "bench/common/synthetic_shapes.hpp"

namespace paco {

// The noise is chosen so that the number of categories at the end is near that of the real set.
io::SyntheticShape cars_shape() { return {"cars", 768, 98, 98, 2000, 6144, 2.97, 1}; }
io::SyntheticShape cub_shape() { return {"cub", 768, 100, 100, 1498, 4496, 2.5, 1}; }
io::SyntheticShape imagenet_shape() { return {"imagenet-100", 768, 50, 50, 31860, 95255, 2.5, 1}; }

Result<Model> calibrate_made(const io::SyntheticData& data, const CalibrationOptions& options) {
  const math::Matrix<double> support = data.support();
  const std::vector<std::int64_t> labels = data.support_labels();
  return calibrate({support, labels, {}, {}}, options);
}

}  // namespace paco
