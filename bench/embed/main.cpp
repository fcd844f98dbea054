// How fast do images become embeddings on a CPU? One network on one thread and on two, in float32
// and in what the processor has of fewer bits, as a share of sgemm's peak in the same run. The
// arithmetic counted is that of the definition, less what no one asks for: the last block makes the
// class token alone. Decoding is not part of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/cpu/plain_forward.hpp"
#include "embed/cpu/reduced.hpp"
#include "embed/weights/weights.hpp"
#include "harness.hpp"

namespace {

using namespace paco;

// Multiplications and additions of all products for one image.
double flops_of(const embed::NetSpec& spec) {
  if (spec.kind == embed::BackboneKind::small) {
    double total = 2.0 * spec.features() * spec.dimension, from = 3;
    double side = spec.input;
    for (const double width : {spec.width / 4.0, spec.width / 2.0, spec.width * 1.0}) {
      side = std::floor((side + 1) / 2);
      total += 2 * side * side * width * (9 * from + 9 * width + width);
      from = width;
    }
    return total;
  }
  const double side = spec.input / spec.patch, tokens = 1 + side * side, width = spec.width;
  const double patches = 2 * side * side * width * spec.patch * spec.patch * 3;
  const double block = 2 * tokens * width * width * 12 + 4 * tokens * tokens * width;
  const double last = 2 * tokens * width * width * 2 + 2 * width * width * 10 + 4 * tokens * width;
  return patches + (spec.depth - 1) * block + last + 2 * width * spec.dimension;
}

embed::Batch made_batch(const embed::NetSpec& spec, std::size_t count) {
  core::Random random(11);
  embed::Batch batch;
  batch.input = spec.input;
  batch.views = 1;
  const std::size_t bytes = count * spec.input * spec.input * 3;
  batch.pixels = std::shared_ptr<std::uint8_t[]>(new std::uint8_t[bytes]);
  for (std::size_t i = 0; i < bytes; ++i)
    batch.pixels[i] = static_cast<std::uint8_t>(random.below(256));
  for (std::size_t i = 0; i < count; ++i) batch.samples.push_back(i);
  return batch;
}

double relative_error(const std::vector<double>& expected, const float* found) {
  double difference = 0, size = 0;
  for (std::size_t j = 0; j < expected.size(); ++j) {
    difference += std::pow(found[j] - expected[j], 2);
    size += std::pow(expected[j], 2);
  }
  return std::sqrt(difference / size);
}

void measure(bench::Harness& harness, const std::string& name, std::size_t count) {
  embed::NetSpec spec = harness.take(embed::make_spec(name));
  spec.dimension = 0;
  const embed::StateDict weights = embed::fresh_tensors(spec, 1);
  const embed::Batch batch = made_batch(spec, count);
  math::Matrix<float> out(count, static_cast<std::size_t>(spec.embedding()));
  // Plain loops take minutes for the large networks: those are held to themselves in float32.
  std::vector<double> expected;
  if (flops_of(spec) < 3e9) expected = embed::plain::forward(spec, weights, batch.pixels.get());
  for (const embed::CpuPrecision precision :
       {embed::CpuPrecision::float32, embed::CpuPrecision::bfloat16, embed::CpuPrecision::int8}) {
    const std::string bits = embed::cpu_precision_name(precision);
    if (!embed::processor_has(precision)) {
      harness.note(fmt::format("{}: this processor has no {}", name, bits));
      continue;
    }
    for (const unsigned threads : {1u, 2u}) {
      if (threads > core::available_threads()) continue;
      embed::EmbedderSettings settings;
      settings.threads = threads;
      settings.precision = bits;
      const auto embedder = harness.take(embed::open_cpu_backbone(spec, weights, "made", settings));
      harness.take(embedder->embed(batch, out.view()));
      if (expected.empty()) expected.assign(out.data(), out.data() + out.columns());
      const double error = relative_error(expected, out.data());
      harness.require(error < (precision == embed::CpuPrecision::float32 ? 1e-5 : 0.2),
                      fmt::format("{} in {}: error {:.2g}", name, bits, error));
      Measurement figure;
      figure.contender = fmt::format("{}, {} thread{}", bits, threads, threads == 1 ? "" : "s");
      figure.shape = name;
      figure.items = static_cast<double>(count);
      figure.flops = flops_of(spec) * figure.items;
      figure.time = time_runs(harness.clock(), 1.0,
                              [&] { harness.take(embedder->embed(batch, out.view())); });
      figure.more["images_per_second"] = figure.items / figure.time.median;
      figure.more["relative_error"] = error;
      harness.add(figure);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("embed", argc, argv);
  measure(harness, "vit_ti16", 8);
  measure(harness, "vit_s16", 4);
  measure(harness, "vit_b16", 2);
  measure(harness, "small", 512);
  return harness.finish();
}
