// A small fixed job for each hot path, to be run under callgrind by tools/check_instructions.
// Nothing is timed: what counts is how many instructions our own functions execute, which is the
// same on a noisy machine as on a quiet one.
//
//   instruction_driver calibrate|decide_single|decide_block|boundary|compiler
//
// Setting up is done before the marked function starts, and callgrind counts only inside it (the
// option
// --toggle-collect names it).
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "discover/boundary.hpp"
#include "linalg/kernels.hpp"
#include "paco/method.hpp"
#include "study/made_data.hpp"

namespace {

using namespace paco;

MadeShape shape() { return {"small", 256, 20, 20, 200, 600, 0.9, 1}; }

std::shared_ptr<const Model> model() {
  return std::make_shared<const Model>(*calibrate_made(MadeData(shape())));
}

}  // namespace

// Not inlined and with a C name, so that the tool finds them.
extern "C" {

[[gnu::noinline]] double counted_calibrate(const SupportSet& support) {
  return calibrate(support)->create.value;
}

[[gnu::noinline]] void counted_single(Method& method, Rows<const double> stream,
                                      std::vector<Decision>& decisions) {
  for (std::size_t i = 0; i < stream.rows; ++i) decisions[i] = *method.decide(stream[i]);
}

[[gnu::noinline]] bool counted_block(Method& method, Rows<const double> stream,
                                     std::vector<Decision>& decisions) {
  return method.decide_block(stream, decisions).ok();
}

[[gnu::noinline]] double counted_boundary(AdaptiveBoundary& boundary,
                                          const std::vector<double>& steps) {
  for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
    boundary.grown(static_cast<std::int64_t>(steps[i]), steps[i + 1], steps[i + 1] + 0.6);
  }
  return boundary.now().tau_birth;
}
}

int main(int argc, char** argv) {
  const std::string_view job = argc > 1 ? argv[1] : "";
  if (job == "compiler") {  // counts of another compiler or instruction set are not comparable
    std::printf("%s, %s\n", __VERSION__, kernel_target().c_str());
    return 0;
  }
  const MadeData data(shape());
  if (job == "calibrate") {
    const Matrix<double> support = data.support();
    const std::vector<std::int64_t> labels = data.support_labels();
    std::printf("%g\n", counted_calibrate({support, labels, {}, {}}));
    return 0;
  }
  if (job == "boundary") {
    const auto calibrated = model();
    AdaptiveBoundary boundary(*calibrated);
    Random random(3);
    std::vector<double> sizes(500), resultants(500), steps;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      sizes[k] = 20;
      resultants[k] = 20 * random.uniform(0.5, 0.8);
      boundary.restore(20, resultants[k]);
    }
    for (int i = 0; i < 2000; ++i) {
      const std::size_t k = random.below(sizes.size());
      steps.insert(steps.end(), {sizes[k], resultants[k]});
      sizes[k] += 1;
      resultants[k] += 0.6;
    }
    std::printf("%g\n", counted_boundary(boundary, steps));
    return 0;
  }
  if (job != "decide_single" && job != "decide_block") {
    std::fputs("usage: instruction_driver calibrate|decide_single|decide_block|boundary\n", stderr);
    return 2;
  }
  const Matrix<double> stream = data.stream(0, data.shape().stream);
  std::vector<Decision> decisions(stream.rows());
  const auto method = make_method("paco", model()).value();
  if (job == "decide_single") {
    counted_single(*method, stream, decisions);
  } else {
    counted_block(*method, stream, decisions);
  }
  std::printf("%llu\n", static_cast<unsigned long long>(decisions.back().categories_after));
  return 0;
}
