// What does a decision cost in Python over the same call in C++? This is the C++ side: it writes
// the made stream of the Cars shape for bench/python/decide.py, then answers its lines, so that
// both take turns on one machine at one time.
//
//   bench_python FOLDER      writes support.npy, labels.npy, stream.npy, categories.npy
//   "block"                  one pass in blocks: microseconds of the processor a decision
//   "single"                 one pass one by one: median microseconds of the last third
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>

#include "bench/common/synthetic_shapes.hpp"
#include "harness.hpp"
#include "io/npy.hpp"
#include "paco/session.hpp"

namespace {

using namespace paco;

constexpr std::size_t kBlock = 256;  // as the command line and 'paco bench' have it

template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    std::cerr << result.error().message << "\n";
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// Processor seconds of this process: a pass is long enough to be interrupted, and the time of
// others is not ours.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

double in_blocks(const std::shared_ptr<const Model>& model, Rows<const double> stream,
                 std::vector<Decision>& decisions) {
  Session session = must(Session::start(model));
  const double before = processor_seconds();
  for (std::size_t start = 0; start < stream.rows; start += kBlock) {
    const std::size_t rows = std::min(kBlock, stream.rows - start);
    must(session.decide(stream.slice(start, rows), std::span(decisions).subspan(start, rows)));
  }
  return (processor_seconds() - before) / static_cast<double>(stream.rows) * 1e6;
}

double one_by_one(const std::shared_ptr<const Model>& model, Rows<const double> stream,
                  const core::Clock& clock) {
  Session session = must(Session::start(model));
  std::vector<double> seconds;
  for (std::size_t i = 0; i < stream.rows; ++i) {
    Decision decision;
    const double before = clock();
    must(session.decide(stream.slice(i, 1), {&decision, 1}));
    if (i >= stream.rows - stream.rows / 3) seconds.push_back(clock() - before);
  }
  return timing_of(std::move(seconds)).median * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: bench_python FOLDER\n", 2;
  const std::string folder = argv[1];
  const io::SyntheticData cars(cars_shape());
  const math::Matrix<double> support = cars.support();
  const std::vector<std::int64_t> labels = cars.support_labels();
  const math::Matrix<double> stream = cars.stream(0, cars.shape().stream);
  const auto model = std::make_shared<const Model>(must(calibrate_made(cars)));
  const core::Clock clock = core::steady_clock();
  std::vector<Decision> decisions(stream.rows());
  in_blocks(model, stream, decisions);
  std::vector<std::int64_t> categories;
  for (const Decision& d : decisions) categories.push_back(d.category);
  const auto write = [&](const char* name, const math::Matrix<double>& rows) {
    const std::uint64_t shape[] = {rows.rows(), rows.columns()};
    must(io::write_npy<double>(folder + "/" + name, shape,
                               {rows.view().data, rows.rows() * rows.columns()}));
  };
  write("support.npy", support);
  write("stream.npy", stream);
  const std::uint64_t rows[] = {labels.size()}, decided[] = {categories.size()};
  must(io::write_npy<std::int64_t>(folder + "/labels.npy", rows, labels));
  must(io::write_npy<std::int64_t>(folder + "/categories.npy", decided, categories));
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const double microseconds =
        line == "block" ? in_blocks(model, stream, decisions) : one_by_one(model, stream, clock);
    std::cout << fmt::format("{}", microseconds) << std::endl;
  }
  return 0;
}
