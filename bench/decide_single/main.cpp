// How long does one decision take when samples come one at a time? Contenders: the engine ("paco")
// and the plain reference, both behind the one interface of all methods. At the Cars shape; the
// timing is over the last third of the stream, where the memory is near its final size.
#include "bench/common/short_bench.hpp"
#include "harness.hpp"

int main(int argc, char** argv) {
  using namespace paco;
  bench::Harness harness("decide_single", argc, argv);
  const io::SyntheticData cars(cars_shape());
  const auto model = std::make_shared<const Model>(harness.take(calibrate_made(cars)));
  const math::Matrix<double> stream = cars.stream(0, cars.shape().stream);
  harness.take(same_decisions("paco", "reference", model, stream));
  for (const char* method : {"paco", "reference"}) {
    harness.add(harness.take(time_singles(method, model, cars.shape(), stream, harness.clock())));
  }
  return harness.finish();
}
