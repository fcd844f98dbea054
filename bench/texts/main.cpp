// How fast do texts become embeddings on a CPU? A network of MiniLM's shape with made-up weights,
// on batches of 128 tokens, as a share of what OpenBLAS's sgemm does on one thread. All contenders
// and sgemm take turns, and a share is the median over the rounds, so that a busy machine slows
// both sides of it. `of_processor` is the same of processor time, which other programs do not
// lengthen. The arithmetic counted is that of the definition. Cutting texts into tokens is not part
// of it.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "bench/common/openblas.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "embed/cpu/plain_text.hpp"
#include "embed/cpu/text_network.hpp"
#include "harness.hpp"

namespace paco::bench {
namespace {

constexpr std::size_t kBatchTokens = 128;
constexpr std::size_t kBatches = 4;
constexpr int kRounds = 20;
constexpr int kSide = 1024;  // of the matrices of sgemm

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

// Seconds of the clock and of all processors together.
struct Seconds {
  double wall = 0, processor = 0;
};

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One that takes turns with the others.
struct Contender {
  std::string name, shape;
  double texts = 0, flops = 0;
  std::function<void()> run;
  std::vector<Seconds> rounds;
};

class Contest {
 public:
  explicit Contest(Harness& harness) : harness_(harness), spec_(minilm_shape()) {
    tensors_ = made_tensors(spec_);
    const OpenBlas* const blas = openblas();
    harness.require(blas != nullptr, "no OpenBLAS is installed to compare with");
    const auto a = std::make_shared<std::vector<float>>(kSide * kSide, 0.5f);
    const auto c = std::make_shared<std::vector<float>>(kSide * kSide);
    contenders_.push_back(
        {"sgemm",
         fmt::format("{0} x {0}", kSide),
         1,
         2.0 * kSide * kSide * kSide,
         [=] { blas->multiply_transposed(kSide, kSide, kSide, a->data(), a->data(), c->data()); },
         {}});
  }

  void add(embed::CpuPrecision precision, std::size_t texts, unsigned threads) {
    const std::string bits = embed::cpu_precision_name(precision);
    const std::shared_ptr<embed::TextNetwork> network =
        harness_.take(embed::make_text_network(spec_, tensors_, "made", precision));
    const auto pool = std::make_shared<core::ThreadPool>(threads);
    const auto scratches = std::make_shared<std::vector<embed::Scratch>>(kBatches);
    const auto outs = std::make_shared<std::vector<std::vector<float>>>(
        kBatches, std::vector<float>(texts * spec_.width));
    const Batch batch = made_batch(spec_, texts);
    const auto run = [=] {
      pool->parallel_for(kBatches, 1, [&](std::size_t i, std::size_t) {
        network->run(batch.tokens, batch.ends, (*outs)[i].data(), (*scratches)[i]);
      });
    };
    run();
    check_answer(harness_, spec_, tensors_, batch, outs->front(),
                 precision == embed::CpuPrecision::float32 ? 1e-5 : 0.2);
    const double length = static_cast<double>(kBatchTokens) / static_cast<double>(texts);
    const auto count = static_cast<double>(kBatches * texts);
    contenders_.push_back({fmt::format("{}, {} thread{}", bits, threads, threads == 1 ? "" : "s"),
                           fmt::format("minilm, {} text{} of {} tokens", texts,
                                       texts == 1 ? "" : "s", kBatchTokens / texts),
                           count,
                           text_flops(spec_, length, count),
                           run,
                           {}});
  }

  void run() {
    for (int round = 0; round < kRounds; ++round)
      for (Contender& each : contenders_) {
        const Seconds before{harness_.clock()(), processor_seconds()};
        each.run();
        each.rounds.push_back(
            {harness_.clock()() - before.wall, processor_seconds() - before.processor});
      }
    for (const Contender& each : contenders_) report(each);
  }

 private:
  double share(const Contender& of, double Seconds::*seconds) const {
    const Contender& sgemm = contenders_.front();
    std::vector<double> shares;
    for (int i = 0; i < kRounds; ++i)
      shares.push_back(of.flops / of.rounds[i].*seconds / (sgemm.flops / sgemm.rounds[i].*seconds));
    return timing_of(shares).median;
  }

  void report(const Contender& each) {
    std::vector<double> seconds;
    for (const Seconds& round : each.rounds) seconds.push_back(round.wall);
    Measurement figure;
    figure.contender = each.name;
    figure.shape = each.shape;
    figure.items = each.texts;
    figure.time = timing_of(std::move(seconds));
    figure.more["share_in_turns"] = share(each, &Seconds::wall);
    figure.more["of_processor"] = share(each, &Seconds::processor);
    figure.more["texts_per_second"] = figure.items / figure.time.median;
    harness_.note(fmt::format("{}, {}: {:.3f} of sgemm in turns, {:.3f} by processor time",
                              each.name, each.shape, share(each, &Seconds::wall),
                              share(each, &Seconds::processor)));
    harness_.add(figure);
  }

  Harness& harness_;
  embed::TextSpec spec_;
  embed::StateDict tensors_;
  std::vector<Contender> contenders_;
};

}  // namespace
}  // namespace paco::bench

int main(int argc, char** argv) {
  using namespace paco;
  bench::Harness harness("texts", argc, argv);
  bench::Contest contest(harness);
  for (const embed::CpuPrecision precision :
       {embed::CpuPrecision::float32, embed::CpuPrecision::bfloat16, embed::CpuPrecision::int8}) {
    if (!embed::processor_has(precision)) {
      harness.note(fmt::format("this processor has no {}", embed::cpu_precision_name(precision)));
      continue;
    }
    for (const std::size_t texts : {std::size_t{1}, std::size_t{8}})
      for (unsigned threads = 1; threads <= std::min(2u, core::available_threads()); ++threads)
        contest.add(precision, texts, threads);
  }
  contest.run();
  return harness.finish();
}
