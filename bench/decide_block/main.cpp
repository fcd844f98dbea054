// How long does a decision take when samples come in blocks? Contenders: the engine on one and on
// two threads, and the plain reference, which has no faster way for a block. The straightforward
// NumPy program beside this file is compared end to end by bench/decide_block/end_to_end.py.
#include "bench/common/short_bench.hpp"
#include "harness.hpp"

int main(int argc, char** argv) {
  using namespace paco;
  bench::Harness harness("decide_block", argc, argv);
  const io::SyntheticData cars(cars_shape());
  const auto model = std::make_shared<const Model>(harness.take(calibrate_made(cars)));
  const math::Matrix<double> stream = cars.stream(0, cars.shape().stream);
  harness.take(same_decisions("paco", "reference", model, stream));
  const auto blocks = [&](const char* method, std::size_t block, int threads, double seconds) {
    Measurement m = harness.take(
        time_blocks(method, model, cars.shape(), stream, block, threads, harness.clock(), seconds));
    m.contender += " block " + std::to_string(block);
    if (threads > 1) m.contender += ", " + std::to_string(threads) + " threads";
    harness.add(std::move(m));
  };
  for (const std::size_t block : {16, 64, 256, 1024}) blocks("paco", block, 1, 0.5);
  blocks("paco", 256, 2, 0.5);
  blocks("reference", 256, 1, 0);
  return harness.finish();
}
