// Do mirror's candidates stay bounded, and does the bound change what is answered?
//
// Some samples are junk: a direction of its own each, which nothing explains and nothing joins.
// Each leaves a candidate behind. Accuracy is that of the samples that are no junk. Two streams:
//
// Long: ten million samples of few dimensions, one in a hundred is junk. The threshold falls with
// the length of the stream, and candidates become rare by themselves.
//
// Outliers: every second sample is junk, in so many dimensions that no two are alike, so candidates
// grow with the stream unless they are bounded. One sample in fifty is of one of 100 rare classes,
// whose second sample comes thousands of samples after the first: those are what a bound can cost.
// Decided with several bounds, and without one.
//
// Takes some minutes.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/random.hpp"
#include "harness.hpp"
#include "io/synthetic_data.hpp"
#include "methods/mirror/mirror_evidence.hpp"
#include "methods/mirror/pseudo_stream.hpp"

namespace {

using namespace paco;

constexpr std::size_t kBlock = 1000;

struct Mixture {
  std::string name;
  io::SyntheticData data;
  std::uint64_t junk_one_in;
  std::uint64_t rare_one_in;  // 0: none
  std::optional<io::SyntheticData> rare;

  bool is_junk(std::uint64_t i) const { return i % junk_one_in == 0; }
  bool is_rare(std::uint64_t i) const { return rare && i % rare_one_in == 1; }
  // Rare classes come after all others.
  std::uint32_t label(std::uint64_t i) const {
    return static_cast<std::uint32_t>(is_rare(i) ? data.shape().known + data.shape().novel +
                                                       rare->stream_label(i)
                                                 : data.stream_label(i));
  }
  void make(std::uint64_t first, math::Matrix<double>& block) const {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      if (is_junk(first + i)) {
        core::Random random(first + i, 17);
        for (double& x : block[i]) x = random.normal();
      } else {
        (is_rare(first + i) ? *rare : data).stream_row(first + i, block[i]);
      }
    }
  }
};

std::uint64_t candidates_after(const Decision& d) {
  return static_cast<std::uint64_t>(d.evidence[methods::kCandidates]);
}

void decide_stream(bench::Harness& harness, const Mixture& stream, const Model& learned,
                   int candidates, std::initializer_list<std::uint64_t> ends) {
  Model model = learned;
  model.sections.at("mirror").settings["candidates"] = std::to_string(candidates);
  const auto method =
      harness.take(make_method("mirror", std::make_shared<const Model>(std::move(model))));
  std::vector<std::uint32_t> truth, answered;
  std::vector<Decision> decisions(kBlock);
  math::Matrix<double> block(kBlock, stream.data.shape().dimension);
  std::uint64_t done = 0, most = 0;
  for (const std::uint64_t end : ends) {
    std::vector<double> seconds;
    for (; done < end; done += kBlock) {
      stream.make(done, block);
      const double before = harness.clock()();
      harness.take(method->decide_block(block, decisions));
      seconds.push_back(harness.clock()() - before);
      for (std::size_t i = 0; i < kBlock; ++i) {
        most = std::max(most, candidates_after(decisions[i]));
        if (stream.is_junk(done + i)) continue;
        truth.push_back(stream.label(done + i));
        answered.push_back(static_cast<std::uint32_t>(decisions[i].category));
      }
    }
    Measurement m{"mirror_stream", fmt::format("at most {} candidates", candidates),
                  fmt::format("{}, {} samples", stream.name, end), timing_of(std::move(seconds)),
                  static_cast<double>(kBlock)};
    const double strict = methods::strict_all(truth, answered);
    const CategoryId categories = method->categories().next();
    const std::uint64_t waiting = candidates_after(decisions.back());
    m.more = {{"candidates", waiting},
              {"most_candidates", most},
              {"prototypes_made", method->next_prototype()},
              {"categories", categories},
              {"strict_all", strict},
              {"resident_bytes", bench::resident_bytes()}};
    harness.add(std::move(m));
    harness.note(
        fmt::format("{} candidates, {} at most, of {} prototypes made, {} categories, Strict All "
                    "{:.2f} %",
                    waiting, most, method->next_prototype(), categories, 100 * strict));
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("mirror_stream", argc, argv);
  const auto learn = [&](const io::SyntheticData& data) {
    CalibrationOptions options;
    options.method = "mirror";
    return harness.take(calibrate({data.support(), data.support_labels(), {}, {}}, options));
  };
  const Mixture outliers{"outliers", io::SyntheticData({"", 512, 20, 20, 400, 0, 1, 9}), 2, 50,
                         io::SyntheticData({"", 512, 0, 100, 0, 0, 1, 10})};
  const Model of_outliers = learn(outliers.data);
  for (const int candidates : {1'000'000, 5'000, 2000, 500, 100})
    decide_stream(harness, outliers, of_outliers, candidates, {10'000, 40'000});
  decide_stream(harness, outliers, of_outliers, 2000, {200'000});

  const Mixture long_one{"long", io::SyntheticData({"", 32, 20, 20, 400, 0, 0.6, 9}), 100, 0,
                         std::nullopt};
  const Model of_long = learn(long_one.data);
  decide_stream(harness, long_one, of_long, 1'000'000, {10'000, 100'000, 1'000'000});
  decide_stream(harness, long_one, of_long, 2000, {10'000, 100'000, 1'000'000, 10'000'000});
  return harness.finish();
}
