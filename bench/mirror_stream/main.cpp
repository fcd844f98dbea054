// Do mirror's candidates stay bounded on a stream of ten million samples, and does the bound change
// what is answered?
//
// One sample in a hundred is junk: a direction of its own, which nothing explains and nothing
// joins. Each leaves a candidate behind. The stream is decided with the bound that is set by
// default, and its first million samples also with one that is never reached; accuracy is that of
// the samples that are no junk. Takes a minute or two.
#include <fmt/format.h>

#include "base/random.hpp"
#include "data/made_data.hpp"
#include "harness.hpp"
#include "mirror/calibrate.hpp"
#include "mirror/engine.hpp"
#include "mirror/pseudo_stream.hpp"

namespace {

using namespace paco;

constexpr std::size_t kBlock = 1000;
constexpr std::uint64_t kJunkOneIn = 100;

void make_block(const MadeData& data, std::uint64_t first, Matrix<double>& block) {
  for (std::size_t i = 0; i < block.rows(); ++i) {
    if ((first + i) % kJunkOneIn != 0) {
      data.stream_row(first + i, block[i]);
      continue;
    }
    Random random(first + i, 17);
    for (double& x : block[i]) x = random.normal();
  }
}

void decide_stream(bench::Harness& harness, const MadeData& data, const MirrorModel& learned,
                   int candidates, std::initializer_list<std::uint64_t> ends) {
  MirrorModel model = learned;
  model.options.candidates = candidates;
  MirrorEngine engine(std::make_shared<const MirrorModel>(model));
  std::vector<std::uint32_t> truth, answered;
  std::vector<MirrorDecision> decisions(kBlock);
  Matrix<double> block(kBlock, data.shape().dimension);
  std::uint64_t done = 0;
  for (const std::uint64_t end : ends) {
    std::vector<double> seconds;
    std::vector<MirrorBirth> births;
    for (; done < end; done += kBlock) {
      make_block(data, done, block);
      births.clear();
      const double before = harness.clock()();
      harness.take(engine.decide_block(block, decisions, births));
      seconds.push_back(harness.clock()() - before);
      for (std::size_t i = 0; i < kBlock; ++i) {
        if ((done + i) % kJunkOneIn == 0) continue;
        truth.push_back(static_cast<std::uint32_t>(data.stream_label(done + i)));
        answered.push_back(static_cast<std::uint32_t>(decisions[i].category));
      }
    }
    Measurement m{"mirror_stream", fmt::format("at most {} candidates", candidates),
                  fmt::format("{} samples", end), timing_of(std::move(seconds)),
                  static_cast<double>(kBlock)};
    const double strict = strict_all(truth, answered);
    const std::int64_t categories = engine.save().next_category;
    m.more = {{"candidates", engine.candidates()},
              {"prototypes_made", engine.next_prototype()},
              {"categories", categories},
              {"strict_all", strict},
              {"resident_bytes", bench::resident_bytes()}};
    harness.add(std::move(m));
    harness.note(
        fmt::format("{} candidates of {} prototypes made, {} categories, Strict All {:.2f} %",
                    engine.candidates(), engine.next_prototype(), categories, 100 * strict));
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("mirror_stream", argc, argv);
  const MadeData data({"", 32, 20, 20, 400, 0, 0.6, 9});
  ThreadPool pool(1);
  NoProgress progress;
  const MirrorModel model =
      harness.take(calibrate_mirror(data.support(), data.support_labels(), {}, pool, progress, {}));
  decide_stream(harness, data, model, 1'000'000, {10'000, 100'000, 1'000'000});
  decide_stream(harness, data, model, MirrorOptions{}.candidates,
                {10'000, 100'000, 1'000'000, 10'000'000});
  return harness.finish();
}
