// A small fixed job for each hot path, to be run under callgrind by tools/check_instructions.
// Nothing is timed: what counts is how many instructions our own functions execute, which is the
// same on a noisy machine as on a quiet one.
//
//   instruction_driver calibrate|decide_single|decide_block|boundary|bytes|compiler
//
// Setting up is done before the marked function starts, and callgrind counts only inside it (the
// option --toggle-collect names it). Valgrind has no AVX-512, so products of bytes are counted by
// step_counter instead, between two signals.
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/common/synthetic_shapes.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/gemm_int8.hpp"
#include "math/kernels.hpp"
#include "math/prefilter.hpp"
#include "methods/paco/boundary.hpp"
#include "paco/method.hpp"
#include "paco/thresholds.hpp"

namespace {

using namespace paco;

io::SyntheticShape shape() { return {"small", 256, 20, 20, 200, 600, 0.9, 1}; }

std::shared_ptr<const Model> model() {
  return std::make_shared<const Model>(*calibrate_made(io::SyntheticData(shape())));
}

// Products of bytes in the shapes that blocks and single samples give: whole tiles of samples, a
// rest that is worth a tile and one that is not, a panel that is not full.
int count_bytes() {
  constexpr std::size_t kRows = 75, kSamples = 29, kDimension = 192;
  if (!math::has_fast_gemm_int8(kDimension)) {
    std::fputs("this processor has no instructions for products of bytes\n", stderr);
    return 77;
  }
  core::Random random(4);
  math::Matrix<float> rows(kRows, kDimension), samples(kSamples, kDimension);
  for (math::Matrix<float>* matrix : {&rows, &samples})
    for (std::size_t i = 0; i < matrix->rows(); ++i)
      for (float& x : (*matrix)[i]) x = static_cast<float>(random.normal() / 14);
  const math::Prefilter bank(rows, math::PrefilterFormat::bytes);
  math::SampleBlock block, single;
  block.assign(samples, math::PrefilterFormat::bytes);
  single.assign(samples.view().slice(0, 1), math::PrefilterFormat::bytes);
  std::vector<float> products(kSamples * kRows), gram(kSamples * kSamples);
  core::ThreadPool pool;
  std::raise(SIGTRAP);
  bank.multiply(block, products.data(), kRows, pool);
  bank.multiply(single, products.data(), kRows, pool);
  block.multiply_self(gram.data());
  std::raise(SIGTRAP);
  std::printf("%g\n", static_cast<double>(products.back() + gram.back()));
  return 0;
}

}  // namespace

// Not inlined and with a C name, so that the tool finds them.
extern "C" {

[[gnu::noinline]] double counted_calibrate(const SupportSet& support) {
  return paco_parameters(*calibrate(support))->create.value;
}

[[gnu::noinline]] void counted_single(Method& method, Rows<const double> stream,
                                      std::vector<Decision>& decisions) {
  for (std::size_t i = 0; i < stream.rows; ++i) decisions[i] = *method.decide(stream[i]);
}

[[gnu::noinline]] bool counted_block(Method& method, Rows<const double> stream,
                                     std::vector<Decision>& decisions) {
  return method.decide_block(stream, decisions).ok();
}

[[gnu::noinline]] double counted_boundary(methods::AdaptiveBoundary& boundary,
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
    std::printf("%s, %s\n", __VERSION__, math::kernel_target().c_str());
    return 0;
  }
  if (job == "bytes") return count_bytes();
  const io::SyntheticData data(shape());
  if (job == "calibrate") {
    const math::Matrix<double> support = data.support();
    const std::vector<std::int64_t> labels = data.support_labels();
    std::printf("%g\n", counted_calibrate({support, labels, {}, {}}));
    return 0;
  }
  if (job == "boundary") {
    const PacoParameters parameters = *paco_parameters(*model());
    methods::AdaptiveBoundary boundary(parameters);
    core::Random random(3);
    std::vector<double> sizes(500), resultants(500), steps;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      sizes[k] = 20;
      resultants[k] = 20 * random.uniform(0.5, 0.8);
    }
    boundary.rebuild([&](auto insert) {
      for (const double resultant : resultants) insert(20, resultant);
    });
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
    std::fputs("usage: instruction_driver calibrate|decide_single|decide_block|boundary|bytes\n",
               stderr);
    return 2;
  }
  const math::Matrix<double> stream = data.stream(0, data.shape().stream);
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
