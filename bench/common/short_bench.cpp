#include "bench/common/short_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"

namespace paco {
namespace {

Result<std::vector<Decision>> run(const std::string& name, std::shared_ptr<const Model> model,
                                  Rows<const double> stream, std::size_t block, int threads = 1) {
  PACO_ASSIGN(const auto method, make_method(name, std::move(model), {threads, {}}));
  std::vector<Decision> decisions(stream.rows);
  for (std::size_t start = 0; start < stream.rows; start += block) {
    const std::size_t rows = std::min(block, stream.rows - start);
    PACO_TRY(
        method->decide_block(stream.slice(start, rows), std::span(decisions).subspan(start, rows)));
  }
  return decisions;
}

// What was answered and why, number by number.
bool alike(const Decision& a, const Decision& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.category == b.category && a.verdict == b.verdict && a.runner_up == b.runner_up &&
         same(a.score, b.score) &&
         std::equal(a.evidence.begin(), a.evidence.end(), b.evidence.begin(), same);
}

}  // namespace

Result<void> same_decisions(const std::string& one, const std::string& other,
                            std::shared_ptr<const Model> model, Rows<const double> stream) {
  PACO_ASSIGN(const std::vector<Decision> a, run(one, model, stream, 256));
  PACO_ASSIGN(const std::vector<Decision> b, run(other, model, stream, 1));
  for (std::size_t i = 0; i < stream.rows; ++i) {
    if (alike(a[i], b[i])) continue;
    return Error{ErrorCode::mismatch,
                 fmt::format("'{}' and '{}' decide differently on sample {}: category {} and {}",
                             one, other, i, a[i].category, b[i].category),
                 "speed means nothing until they agree: please report this with 'paco doctor'"};
  }
  return {};
}

double decision_flops(const Model& model, std::span<const Decision> decisions) {
  double products = 0;
  for (const Decision& decision : decisions) {
    products += static_cast<double>(model.known_classes() + decision.categories_after);
  }
  return 2 * products * static_cast<double>(model.dimension);
}

double calibration_flops(const Model& model, std::size_t samples) {
  const auto section = model.section(model.method);
  const bool replays = section.ok() && (*section)->settings.contains("replays");
  const double passes = 1 + (replays ? number_setting((*section)->settings, "replays") : 0);
  return 2 * passes * static_cast<double>(samples) * static_cast<double>(model.known_classes()) *
         static_cast<double>(model.dimension);
}

Result<Measurement> time_blocks(const std::string& name, std::shared_ptr<const Model> model,
                                const io::SyntheticShape& shape, Rows<const double> stream,
                                std::size_t block, int threads, const core::Clock& clock,
                                double least_seconds) {
  PACO_ASSIGN(const std::vector<Decision> decisions, run(name, model, stream, block, threads));
  Measurement m{"decide_block", name, shape.name, {}, static_cast<double>(stream.rows)};
  Result<void> outcome;
  m.time = time_runs(clock, least_seconds, [&] {
    const auto again = run(name, model, stream, block, threads);
    if (!again.ok()) outcome = again.error();
  });
  PACO_TRY(outcome);
  m.flops = decision_flops(*model, decisions);
  m.more = {{"block", block},
            {"threads", threads},
            {"prototypes", model->known_classes() + decisions.back().categories_after}};
  return m;
}

Result<Measurement> time_singles(const std::string& name, std::shared_ptr<const Model> model,
                                 const io::SyntheticShape& shape, Rows<const double> stream,
                                 const core::Clock& clock) {
  PACO_ASSIGN(const auto method, make_method(name, model));
  std::vector<double> seconds;
  std::size_t prototypes = 0;
  for (std::size_t i = 0; i < stream.rows; ++i) {
    const double before = clock();
    PACO_ASSIGN(const Decision decision, method->decide(stream[i]));
    seconds.push_back(clock() - before);
    prototypes = model->known_classes() + decision.categories_after;
  }
  // The last third: the memory is near its final size there, and the bytes below are of that size.
  seconds.erase(seconds.begin(), seconds.end() - static_cast<std::ptrdiff_t>(seconds.size() / 3));
  Measurement m{"decide_single", name, shape.name, timing_of(std::move(seconds)), 1};
  const std::size_t bytes = prototypes * model->dimension * sizeof(float);
  PACO_ASSIGN(const double reread, reread_seconds(bytes, clock));
  m.bytes = static_cast<double>(bytes);
  m.flops = 2.0 * static_cast<double>(prototypes * model->dimension);
  m.more = {{"prototypes", prototypes},
            {"p99_over_median", m.time.p99 / m.time.median},
            {"reread_microseconds", reread * 1e6},
            {"median_over_reread", m.time.median / reread}};
  return m;
}

Result<Measurement> time_calibration(const io::SyntheticData& data, int threads,
                                     const core::Clock& clock, double least_seconds) {
  const math::Matrix<double> support = data.support();
  const std::vector<std::int64_t> labels = data.support_labels();
  CalibrationOptions options;
  options.threads = threads;
  const SupportSet set{support, labels, {}, {}};
  PACO_ASSIGN(const Model model, calibrate(set, options));
  Measurement m{"calibrate", "paco", data.shape().name, {}, 1};
  Result<void> outcome;
  m.time = time_runs(clock, least_seconds, [&] {
    const auto again = calibrate(set, options);
    if (!again.ok()) outcome = again.error();
  });
  PACO_TRY(outcome);
  m.flops = calibration_flops(model, support.rows());
  m.more = {{"threads", threads}, {"samples", support.rows()}, {"classes", model.known_classes()}};
  return m;
}

Result<ShortBench> run_short_bench(const core::Clock& clock, core::Progress& progress,
                                   std::stop_token stop) {
  constexpr std::size_t kCompared = 600;  // samples that the plain reference decides too
  ShortBench out;
  std::uint64_t done = 0;
  const auto next = [&](const char* note) -> Result<void> {
    progress.update(done++, note);
    if (stop.stop_requested()) return Error{ErrorCode::interrupted, "stopped", ""};
    return {};
  };
  progress.start("bench", "steps", 6);
  PACO_TRY(next("limits of the machine"));
  PACO_ASSIGN(out.peak, measure_peak(clock));

  const io::SyntheticData cars(cars_shape());
  PACO_ASSIGN(Model calibrated, calibrate_made(cars));
  const auto model = std::make_shared<const Model>(std::move(calibrated));
  const math::Matrix<double> stream = cars.stream(0, cars.shape().stream);
  PACO_TRY(next("answers compared"));
  PACO_TRY(same_decisions("paco", "reference", model, stream.view().slice(0, kCompared)));
  PACO_TRY(next("decisions in blocks"));
  PACO_ASSIGN(Measurement blocks,
              time_blocks("paco", model, cars.shape(), stream, 256, 1, clock, 1.0));
  PACO_TRY(next("decisions one by one"));
  PACO_ASSIGN(Measurement singles, time_singles("paco", model, cars.shape(), stream, clock));
  PACO_TRY(next("calibration, CUB shape"));
  PACO_ASSIGN(Measurement cub, time_calibration(io::SyntheticData(cub_shape()), 1, clock, 0.5));
  PACO_TRY(next("calibration, ImageNet-100 shape"));
  PACO_ASSIGN(Measurement imagenet,
              time_calibration(io::SyntheticData(imagenet_shape()), 1, clock, 0.5));
  out.measurements = {std::move(singles), std::move(blocks), std::move(cub), std::move(imagenet)};
  progress.update(done);
  progress.finish();
  return out;
}

}  // namespace paco
