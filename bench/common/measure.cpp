#include "bench/common/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "bench/common/openblas.hpp"
#include "core/try.hpp"

namespace paco {
namespace {

// Best of repeated runs within a time: a limit is what was reached once.
double best_seconds(const core::Clock& clock, double budget, const std::function<void()>& body) {
  double best = 1e9;
  const double start = clock();
  do {
    const double before = clock();
    body();
    best = std::min(best, clock() - before);
  } while (clock() - start < budget);
  return best;
}

// Reads every element once; the product of a buffer with itself loads each line once from wherever
// it is. Keeps the compiler from leaving it out.
void read_all(const OpenBlas& blas, const std::vector<float>& buffer) {
  volatile float sum = blas.dot(buffer.data(), buffer.data(), static_cast<int>(buffer.size()));
  (void)sum;
}

Result<const OpenBlas*> yardstick() {
  const OpenBlas* const blas = openblas();
  if (blas != nullptr) return blas;
  return Error{ErrorCode::unsupported, "no OpenBLAS is installed to measure this machine with",
               "install libopenblas0"};
}

}  // namespace

Result<MachinePeak> measure_peak(const core::Clock& clock) {
  PACO_ASSIGN(const OpenBlas* const blas, yardstick());
  MachinePeak peak;
  {
    constexpr int n = 1024;
    const std::vector<float> a(n * n, 0.5f), b(n * n, 0.25f);
    std::vector<float> c(n * n);
    const double seconds = best_seconds(
        clock, 0.5, [&] { blas->multiply_transposed(n, n, n, a.data(), b.data(), c.data()); });
    peak.sgemm_gflops = 2e-9 * n * n * n / seconds;
  }
  const std::vector<float> large(std::size_t{64} << 20, 1.0f);
  const double seconds = best_seconds(clock, 0.3, [&] { read_all(*blas, large); });
  peak.memory_gb_per_second = 1e-9 * static_cast<double>(large.size() * sizeof(float)) / seconds;
  return peak;
}

Result<double> reread_seconds(std::size_t bytes, const core::Clock& clock) {
  PACO_ASSIGN(const OpenBlas* const blas, yardstick());
  const std::vector<float> buffer(std::max<std::size_t>(bytes / sizeof(float), 1), 1.0f);
  read_all(*blas, buffer);
  return time_runs(clock, 0.05, [&] { read_all(*blas, buffer); }).median;
}

Timing timing_of(std::vector<double> seconds) {
  assert(!seconds.empty());
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  return {seconds[n / 2], seconds[0], seconds[std::min(n - 1, n * 99 / 100)], n};
}

Timing time_runs(const core::Clock& clock, double least_seconds, const std::function<void()>& body,
                 const std::function<void()>& prepare) {
  std::vector<double> seconds;
  double spent = 0;
  while (spent < least_seconds || seconds.size() < 3) {
    if (prepare) prepare();
    const double before = clock();
    body();
    seconds.push_back(clock() - before);
    spent += seconds.back();
  }
  return timing_of(std::move(seconds));
}

double Measurement::share_of_sgemm(const MachinePeak& peak) const {
  return flops / time.median / (peak.sgemm_gflops * 1e9);
}

double Measurement::share_of_memory(const MachinePeak& peak) const {
  return bytes / time.median / (peak.memory_gb_per_second * 1e9);
}

nlohmann::ordered_json to_json(const MachinePeak& peak) {
  return {{"sgemm_gflops", peak.sgemm_gflops}, {"memory_gb_per_second", peak.memory_gb_per_second}};
}

nlohmann::ordered_json to_json(const Measurement& m, const MachinePeak& peak) {
  nlohmann::ordered_json json = {{"question", m.question},
                                 {"contender", m.contender},
                                 {"shape", m.shape},
                                 {"seconds", m.time.median},
                                 {"low_seconds", m.time.low},
                                 {"p99_seconds", m.time.p99},
                                 {"runs", m.time.runs},
                                 {"items", m.items},
                                 {"microseconds_per_item", m.microseconds_per_item()}};
  if (m.flops > 0) json["share_of_sgemm"] = m.share_of_sgemm(peak);
  if (m.bytes > 0) json["share_of_memory"] = m.share_of_memory(peak);
  json.update(m.more);
  return json;
}

std::string to_text(const Measurement& m, const MachinePeak& peak) {
  const double per_item = m.microseconds_per_item();
  std::string text = fmt::format("{:<17} {:<20} {:<14} {:>12} {}", m.question, m.contender, m.shape,
                                 per_item >= 1e4 ? fmt::format("{:.1f} ms", per_item / 1e3)
                                                 : fmt::format("{:.2f} us", per_item),
                                 m.items > 1 ? "each" : "    ");
  if (m.flops > 0) text += fmt::format("  {:5.1f} % of sgemm", 100 * m.share_of_sgemm(peak));
  if (m.bytes > 0) text += fmt::format("  {:5.1f} % of memory", 100 * m.share_of_memory(peak));
  return text + "\n";
}

}  // namespace paco
