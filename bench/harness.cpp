#include "harness.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/files.hpp"
#include "math/kernels.hpp"

namespace paco::bench {
namespace {

// Nobody who asks for help wants a file of that name.
std::string result_path(int argc, char** argv) {
  if (argc < 2) return "";
  if (argv[1][0] != '-') return argv[1];
  fmt::print("usage: {} [RESULT.json]\n", argv[0]);
  std::exit(std::string_view(argv[1]) == "--help" ? 0 : 2);
}

}  // namespace

Harness::Harness(std::string question, int argc, char** argv)
    : question_(std::move(question)),
      out_(result_path(argc, argv)),
      clock_(core::steady_clock()),
      peak_(take(measure_peak(clock_))) {
  fmt::print("{}: sgemm {:.1f} GFLOP/s, memory {:.1f} GB/s, kernels {}\n", question_,
             peak_.sgemm_gflops, peak_.memory_gb_per_second, math::kernel_target());
}

void Harness::fail(const std::string& message) const {
  fmt::print(stderr, "{}: {}\n", question_, message);
  std::exit(1);
}

void Harness::require(bool equal, const std::string& what_differs) const {
  if (!equal) fail("answers differ: " + what_differs);
}

void Harness::add(Measurement measurement) {
  if (measurement.question.empty()) measurement.question = question_;
  const bool timed = measurement.time.median > 0;
  fmt::print("{}", timed ? to_text(measurement, peak_)
                         : fmt::format("{} {} {}\n", measurement.contender, measurement.shape,
                                       measurement.more.dump()));
  std::fflush(stdout);
  measurements_.push_back(std::move(measurement));
}

void Harness::time(const std::string& contender, const std::string& shape, double items,
                   const std::function<void()>& body, double flops, double bytes,
                   double least_seconds) {
  add({question_, contender, shape, time_runs(clock_, least_seconds, body), items, flops, bytes});
}

void Harness::note(const std::string& text) {
  fmt::print("{}: {}\n", question_, text);
  notes_.push_back(text);
}

int Harness::finish() {
  if (out_.empty()) return 0;
  const MachinePeak after = take(measure_peak(clock_));
  peak_.sgemm_gflops = std::max(peak_.sgemm_gflops, after.sgemm_gflops);
  peak_.memory_gb_per_second = std::max(peak_.memory_gb_per_second, after.memory_gb_per_second);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Measurement& m : measurements_) rows.push_back(to_json(m, peak_));
  const nlohmann::ordered_json json = {{"question", question_},
                                       {"kernels", math::kernel_target()},
                                       {"peak", to_json(peak_)},
                                       {"notes", notes_},
                                       {"rows", rows}};
  const Result<void> written = core::write_file(out_, json.dump(1) + "\n");
  if (!written.ok()) fail(written.error().message);
  return 0;
}

double peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

double resident_bytes() {
  malloc_trim(0);
  const auto statm = core::read_file("/proc/self/statm");
  if (!statm.ok()) return 0;
  const std::string text(reinterpret_cast<const char*>(statm->data()), statm->size());
  const std::size_t second = text.find(' ') + 1;
  return std::strtod(text.c_str() + second, nullptr) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace paco::bench
