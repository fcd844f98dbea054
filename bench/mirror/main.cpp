// How fast is mirror? Blocks at the Cars shape against PACO's engine, without rehearsal and with
// it, on one thread and two; single samples; and calibration at the CUB and ImageNet-100 shapes.
// The answers are compared with the plain form's before anything is timed.
//
// The figure to trust is the one of runs in turn: a neighbour who slows the machine down for some
// seconds slows both of a pair, where it would fall on one of two measurements made apart.
#include <fmt/format.h>

#include <algorithm>

#include "bench/common/short_bench.hpp"
#include "harness.hpp"

namespace {

using namespace paco;

Result<std::shared_ptr<const Model>> calibrate_mirror_made(const io::SyntheticData& data,
                                                           int rehearse, int threads) {
  CalibrationOptions options;
  options.method = "mirror";
  options.threads = threads;
  options.set("rehearse", rehearse);
  auto model = calibrate({data.support(), data.support_labels(), {}, {}}, options);
  if (!model.ok()) return model.error();
  return std::make_shared<const Model>(std::move(model).value());
}

std::vector<Decision> decide_all(const bench::Harness& harness, Method& method,
                                 Rows<const double> stream, std::size_t block) {
  std::vector<Decision> decisions(stream.rows);
  for (std::size_t start = 0; start < stream.rows; start += block) {
    const std::size_t rows = std::min(block, stream.rows - start);
    harness.take(
        method.decide_block(stream.slice(start, rows), std::span(decisions).subspan(start, rows)));
  }
  return decisions;
}

// The whole stream by PACO, then by mirror, so many times; blocks of 256 on one thread.
void in_turn(bench::Harness& harness, const std::shared_ptr<const Model>& paco_model,
             const std::shared_ptr<const Model>& model, int rehearse,
             const io::SyntheticShape& shape, Rows<const double> stream) {
  constexpr std::size_t kPairs = 31, kBlock = 256;
  std::vector<double> paco_seconds, seconds, rates;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const double before = harness.clock()();
    decide_all(harness, *harness.take(make_method("paco", paco_model, {1, {}})), stream, kBlock);
    const double between = harness.clock()();
    decide_all(harness, *harness.take(make_method("mirror", model, {1, {}})), stream, kBlock);
    paco_seconds.push_back(between - before);
    seconds.push_back(harness.clock()() - between);
    rates.push_back(paco_seconds.back() / seconds.back());
  }
  std::sort(rates.begin(), rates.end());
  Measurement m{"mirror", fmt::format("mirror rehearse {} in turn with paco", rehearse), shape.name,
                timing_of(std::move(seconds)), static_cast<double>(stream.rows)};
  m.more = {{"block", kBlock},
            {"threads", 1},
            {"pairs", kPairs},
            {"paco_seconds", timing_of(std::move(paco_seconds)).median},
            {"rate_over_paco", rates[kPairs / 2]},
            {"rate_over_paco_quartiles", {rates[kPairs / 4], rates[kPairs * 3 / 4]}}};
  harness.note(fmt::format("{}: {:.3f} of paco's rate, quartiles {:.3f} and {:.3f} of {} pairs",
                           m.contender, rates[kPairs / 2], rates[kPairs / 4], rates[kPairs * 3 / 4],
                           kPairs));
  harness.add(std::move(m));
}

void blocks(bench::Harness& harness, const io::SyntheticData& cars,
            const math::Matrix<double>& stream) {
  const auto paco_model = std::make_shared<const Model>(harness.take(calibrate_made(cars)));
  Measurement paco = harness.take(
      time_blocks("paco", paco_model, cars.shape(), stream, 256, 1, harness.clock(), 0.5));
  const double least = paco.time.median;
  paco.question = "mirror";
  paco.contender = "paco block 256";
  harness.add(std::move(paco));
  for (const int rehearse : {0, 2}) {
    const auto model = harness.take(calibrate_mirror_made(cars, rehearse, 2));
    math::Matrix<double> first(1000, stream.columns());
    std::copy_n(stream.data(), first.rows() * first.columns(), first.data());
    harness.take(same_decisions("mirror", "mirror-reference", model, first));
    in_turn(harness, paco_model, model, rehearse, cars.shape(), stream);
    for (const auto& [block, threads] :
         std::vector<std::pair<std::size_t, int>>{{1, 1}, {1024, 1}, {256, 2}}) {
      std::size_t prototypes = 0;
      Measurement m{"mirror",
                    fmt::format("mirror rehearse {} block {}{}", rehearse, block,
                                threads > 1 ? ", 2 threads" : ""),
                    cars.shape().name,
                    {},
                    static_cast<double>(stream.rows())};
      m.time = time_runs(harness.clock(), 0.5, [&] {
        const auto fresh = harness.take(make_method("mirror", model, {threads, {}}));
        decide_all(harness, *fresh, stream, block);
        prototypes = static_cast<std::size_t>(fresh->next_prototype());
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
  for (const io::SyntheticShape& shape : {cub_shape(), imagenet_shape()}) {
    const io::SyntheticData data(shape);
    for (const int threads : {1, 2}) {
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
  const io::SyntheticData cars(cars_shape());
  blocks(harness, cars, cars.stream(0, cars.shape().stream));
  calibrations(harness);
  return harness.finish();
}
