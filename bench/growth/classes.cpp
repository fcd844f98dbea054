// How calibration and decisions grow with the number of known classes.
#include <fmt/format.h>

#include "growth.hpp"

namespace paco::bench {

void grow_known_classes(Harness& harness) {
  for (const std::size_t known : {10, 100, 1'000, 10'000}) {
    const io::SyntheticShape shape{"", 128, known, 10, 3 * known, 0, 0.6, 5};
    const io::SyntheticData data(shape);
    const math::Matrix<double> support = data.support();
    const std::vector<std::int64_t> labels = data.support_labels();
    const double before = harness.clock()();
    Model model = harness.take(calibrate({support, labels, {}, {}}));
    const double seconds = harness.clock()() - before;
    Measurement m{"growth", "paco calibrates", fmt::format("{} known classes", known),
                  timing_of({seconds}), static_cast<double>(support.rows())};
    m.more = {{"axis", "known classes"}, {"at", known}, {"d", shape.dimension}};
    harness.add(std::move(m));
    const auto method =
        harness.take(make_method("paco", std::make_shared<const Model>(std::move(model))));
    add_decisions(harness, *method, data.stream(0, 2048), data.stream(2048, 256), "known classes",
                  known);
  }
}

}  // namespace paco::bench
