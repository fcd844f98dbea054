// How a decision grows with the length of an embedding.
#include "growth.hpp"

namespace paco::bench {

void grow_dimension(Harness& harness) {
  for (const std::size_t dimension : {64, 128, 256, 512, 1024, 2048, 4096}) {
    const io::SyntheticData data({"", dimension, 98, 98, 980, 0, 0.7, 5});
    const auto method = harness.take(
        make_method("paco", std::make_shared<const Model>(harness.take(calibrate_made(data)))));
    add_decisions(harness, *method, data.stream(0, 2048), data.stream(2048, 512), "dimensions",
                  dimension);
  }
}

}  // namespace paco::bench
