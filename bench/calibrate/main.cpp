// How long does calibration take, at the CUB and the ImageNet-100 shape? Contenders: calibrate() on
// one and two threads, the plain definition, and the bare matrix products in float32.
#include "bench/common/short_bench.hpp"
#include "contenders.hpp"
#include "harness.hpp"

int main(int argc, char** argv) {
  using namespace paco;
  bench::Harness harness("calibrate", argc, argv);
  for (const io::SyntheticShape& shape : {cub_shape(), imagenet_shape()}) {
    const io::SyntheticData data(shape);
    const math::Matrix<double> support = data.support();
    const std::vector<std::int64_t> labels = data.support_labels();
    const PacoOptions options;

    bench::Thresholds plain;
    const double before = harness.clock()();
    plain = bench::plain_calibration(support, labels, shape.known, options);
    const double plain_seconds = harness.clock()() - before;
    const Model model = harness.take(calibrate({support, labels, {}, {}}));
    const PacoParameters fast = harness.take(paco_parameters(model));
    harness.require(plain.hi == fast.hi.value && plain.birth == fast.birth.value &&
                        plain.create == fast.create.value,
                    "thresholds of calibrate() and of the plain loops, " + shape.name);

    math::Matrix<float> units(support.rows(), support.columns());
    for (std::size_t i = 0; i < units.rows(); ++i) {
      for (std::size_t j = 0; j < units.columns(); ++j) {
        units[i][j] = static_cast<float>(support[i][j]);
      }
    }
    const double flops = calibration_flops(model, support.rows());
    const Timing products = time_runs(harness.clock(), 0.3, [&] {
      bench::calibration_products(units, shape.known, options.replays);
    });
    for (const int threads : {1, 2}) {
      Measurement m = harness.take(time_calibration(data, threads, harness.clock(), 0.5));
      if (threads > 1) m.contender += ", 2 threads";
      m.more["over_products"] = m.time.median / products.median;
      harness.add(std::move(m));
    }
    harness.add({"", "float32 products alone", shape.name, products, 1, flops});
    harness.add({"", "plain loops", shape.name, timing_of({plain_seconds}), 1, flops});
  }
  return harness.finish();
}
