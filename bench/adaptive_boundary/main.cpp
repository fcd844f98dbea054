// What does keeping the birth boundary cost after each sample that touched a category? Contenders:
// AdaptiveBoundary, which keeps medians in order, and plain_boundary, the obvious sort per sample.
#include <fmt/format.h>

#include "core/random.hpp"
#include "harness.hpp"
#include "methods/paco/boundary.hpp"

namespace {

using namespace paco;

// Categories that grow at random; the boundary after every step is the answer.
struct Growth {
  std::vector<std::int64_t> sizes;
  std::vector<double> resultants;
  core::Random random{11};

  explicit Growth(std::size_t categories) : sizes(categories, 40), resultants(categories) {
    for (double& r : resultants) r = 40 * random.uniform(0.5, 0.8);
  }
  struct Step {
    std::int64_t old_size;
    double old_resultant, new_resultant;
  };
  Step grow() {
    const std::size_t k = random.below(sizes.size());
    const double before = resultants[k];
    resultants[k] += random.uniform(0.4, 0.9);
    return {sizes[k]++, before, resultants[k]};
  }
};

PacoParameters small_parameters() {
  PacoParameters parameters;
  parameters.base_median = 30;
  parameters.tau_birth_sup = 0.9;
  return parameters;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("adaptive_boundary", argc, argv);
  const PacoParameters parameters = small_parameters();
  for (const std::size_t categories : {100, 1'000, 10'000, 100'000}) {
    Growth growth(categories);
    methods::AdaptiveBoundary boundary(parameters);
    boundary.rebuild([&](auto insert) {
      for (std::size_t k = 0; k < categories; ++k) insert(growth.sizes[k], growth.resultants[k]);
    });
    const auto incremental = [&] {
      const Growth::Step step = growth.grow();
      boundary.grown(step.old_size, step.old_resultant, step.new_resultant);
      return boundary.now();
    };
    for (int i = 0; i < 50; ++i) {
      const methods::Boundary fast = incremental();
      const methods::Boundary plain =
          methods::plain_boundary(parameters, growth.sizes, growth.resultants);
      harness.require(fast.tau_birth == plain.tau_birth && fast.eta == plain.eta,
                      fmt::format("boundary of {} categories after step {}", categories, i));
    }
    const std::string shape = fmt::format("{} categories", categories);
    constexpr int kSteps = 1000;
    harness.time("paco", shape, kSteps, [&] {
      for (int i = 0; i < kSteps; ++i) incremental();
    });
    harness.time("sort per sample", shape, 1, [&] {
      growth.grow();
      (void)methods::plain_boundary(parameters, growth.sizes, growth.resultants);
    });
  }
  return harness.finish();
}
