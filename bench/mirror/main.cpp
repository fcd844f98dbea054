// How fast is mirror? Blocks at the Cars shape against PACO's engine, without rehearsal and with
// it, on one thread and two; single samples; and calibration at the CUB and ImageNet-100 shapes.
// The engine's answers are compared with the plain rule's before anything is timed.
#include <fmt/format.h>

#include "bench/common/short_bench.hpp"
#include "harness.hpp"
#include "mirror/calibrate.hpp"
#include "mirror/engine.hpp"
#include "mirror/plain.hpp"

namespace {

using namespace paco;

Result<MirrorModel> calibrate_mirror_made(const MadeData& data, int rehearse, unsigned threads) {
  ThreadPool pool(threads);
  NoProgress progress;
  MirrorOptions options;
  options.rehearse = rehearse;
  return calibrate_mirror(data.support(), data.support_labels(), options, pool, progress, {});
}

template <class Rule>
std::vector<MirrorDecision> decide_all(const bench::Harness& harness, Rule& rule,
                                       Rows<const double> stream, std::size_t block) {
  std::vector<MirrorDecision> decisions(stream.rows);
  std::vector<MirrorBirth> births;
  for (std::size_t start = 0; start < stream.rows; start += block) {
    const std::size_t rows = std::min(block, stream.rows - start);
    harness.take(rule.decide_block(stream.slice(start, rows),
                                   std::span(decisions).subspan(start, rows), births));
  }
  return decisions;
}

void blocks(bench::Harness& harness, const MadeData& cars, const Matrix<double>& stream) {
  const auto paco_model = std::make_shared<const Model>(harness.take(calibrate_made(cars)));
  Measurement paco = harness.take(
      time_blocks("paco", paco_model, cars.shape(), stream, 256, 1, harness.clock(), 0.5));
  const double least = paco.time.median;
  paco.question = "mirror";
  paco.contender = "paco block 256";
  harness.add(std::move(paco));
  for (const int rehearse : {0, 2}) {
    const auto model =
        std::make_shared<const MirrorModel>(harness.take(calibrate_mirror_made(cars, rehearse, 2)));
    const auto first = stream.view().slice(0, 1000);
    MirrorEngine engine(model);
    MirrorPlain plain(model);
    harness.require(decide_all(harness, engine, first, 256) == decide_all(harness, plain, first, 1),
                    "engine and plain rule differ");
    for (const auto& [block, threads] :
         std::vector<std::pair<std::size_t, unsigned>>{{1, 1}, {256, 1}, {1024, 1}, {256, 2}}) {
      std::size_t prototypes = 0;
      Measurement m{"mirror",
                    fmt::format("mirror rehearse {} block {}{}", rehearse, block,
                                threads > 1 ? ", 2 threads" : ""),
                    cars.shape().name,
                    {},
                    static_cast<double>(stream.rows())};
      m.time = time_runs(harness.clock(), 0.5, [&] {
        MirrorEngine fresh(model, threads);
        decide_all(harness, fresh, stream, block);
        prototypes = model->known() + fresh.save().prototypes.size();
      });
      m.more = {{"block", block},
                {"threads", threads},
                {"prototypes", prototypes},
                {"rate_over_paco", least / m.time.median}};
      harness.add(std::move(m));
    }
  }
}

void calibrations(bench::Harness& harness) {
  for (const MadeShape& shape : {cub_shape(), imagenet_shape()}) {
    const MadeData data(shape);
    for (const unsigned threads : {1U, 2U}) {
      Measurement m{"mirror", fmt::format("calibrate, {} thread(s)", threads), shape.name, {}, 1};
      m.time = time_runs(harness.clock(), 0,
                         [&] { harness.take(calibrate_mirror_made(data, 2, threads)); });
      harness.add(std::move(m));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("mirror", argc, argv);
  const MadeData cars(cars_shape());
  blocks(harness, cars, cars.stream(0, cars.shape().stream));
  calibrations(harness);
  return harness.finish();
}
