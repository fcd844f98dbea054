// How fast do texts become embeddings on a CPU? A network of MiniLM's shape on batches of 128
// tokens, as one text and as eight, and the share of sgemm's peak that it reaches in the same run;
// then the same on two threads, taken in turn with one. The arithmetic counted is that of the
// definition. Cutting texts into tokens is not part of it.
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "embed/cpu/plain_text.hpp"
#include "embed/cpu/text_network.hpp"

namespace paco::bench {
namespace {

constexpr std::size_t kBatchTokens = 128;
constexpr std::size_t kBatches = 16;

embed::TextSpec minilm_shape() {
  embed::TextSpec spec;
  spec.vocabulary = 1000;
  return spec;
}

embed::StateDict made_tensors(const embed::TextSpec& spec) {
  core::Random random(3);
  embed::StateDict tensors;
  for (const embed::TensorSlot& slot : embed::text_slots(spec)) {
    embed::NamedTensor tensor{slot.name, slot.shape, {}};
    std::size_t count = 1;
    for (const std::uint64_t size : slot.shape) count *= size;
    const double middle = slot.name.ends_with("LayerNorm.weight") ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i)
      tensor.values.push_back(static_cast<float>(middle + 0.05 * random.normal()));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// Multiplications and additions of all products for texts of so many tokens.
double text_flops(const embed::TextSpec& spec, double tokens, double texts) {
  const auto width = static_cast<double>(spec.width), hidden = static_cast<double>(spec.hidden);
  const double layers = 2 * tokens * (4 * width * width + 2 * width * hidden);
  return static_cast<double>(spec.depth) * texts * (layers + 4 * tokens * tokens * width);
}

struct Batch {
  std::vector<std::int32_t> tokens;
  std::vector<std::size_t> ends;
};

Batch made_batch(const embed::TextSpec& spec, std::size_t texts) {
  core::Random random(4);
  Batch batch;
  for (std::size_t t = 0; t < kBatchTokens; ++t)
    batch.tokens.push_back(static_cast<std::int32_t>(random.below(spec.vocabulary)));
  for (std::size_t i = 1; i <= texts; ++i) batch.ends.push_back(i * kBatchTokens / texts);
  return batch;
}

void check_answer(Harness& harness, const embed::TextSpec& spec, const embed::StateDict& tensors,
                  const Batch& batch, const std::vector<float>& out, double largest) {
  const auto expected =
      embed::plain::forward_text(spec, tensors, std::span(batch.tokens).subspan(0, batch.ends[0]));
  double difference = 0;
  for (std::size_t j = 0; j < spec.width; ++j)
    difference += std::pow(out[j] - expected[j], 2);  // of a vector of length 1
  harness.require(std::sqrt(difference) < largest,
                  fmt::format("texts: relative error {:.2g}", std::sqrt(difference)));
}

}  // namespace

void measure_texts(Harness& harness) {
  const embed::TextSpec spec = minilm_shape();
  const embed::StateDict tensors = made_tensors(spec);
  for (const embed::CpuPrecision precision :
       {embed::CpuPrecision::float32, embed::CpuPrecision::bfloat16, embed::CpuPrecision::int8}) {
    const std::string bits = embed::cpu_precision_name(precision);
    if (!embed::processor_has(precision)) {
      harness.note(fmt::format("texts: this processor has no {}", bits));
      continue;
    }
    const auto network = harness.take(embed::make_text_network(spec, tensors, "made", precision));
    for (const std::size_t texts : {std::size_t{1}, std::size_t{8}}) {
      const Batch batch = made_batch(spec, texts);
      const auto run = [&](unsigned threads) {
        core::ThreadPool pool(threads);
        std::vector<std::vector<float>> outs(kBatches, std::vector<float>(texts * spec.width));
        const auto all = [&] {
          pool.parallel_for(kBatches, 1, [&](std::size_t i, std::size_t) {
            thread_local embed::Scratch scratch;
            network->run(batch.tokens, batch.ends, outs[i].data(), scratch);
          });
        };
        all();
        check_answer(harness, spec, tensors, batch, outs[0],
                     precision == embed::CpuPrecision::float32 ? 1e-5 : 0.2);
        Measurement figure;
        figure.contender = fmt::format("{}, {} thread{}", bits, threads, threads == 1 ? "" : "s");
        figure.shape = fmt::format("minilm, {} text{} of {} tokens", texts, texts == 1 ? "" : "s",
                                   kBatchTokens / texts);
        figure.items = static_cast<double>(kBatches * texts);
        figure.flops = text_flops(spec, static_cast<double>(kBatchTokens / texts), figure.items);
        figure.time = time_runs(harness.clock(), 1.0, all);
        figure.more["texts_per_second"] = figure.items / figure.time.median;
        harness.add(figure);
      };
      run(1);
      if (core::available_threads() > 1) run(2);
    }
  }
}

}  // namespace paco::bench
