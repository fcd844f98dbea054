// Calibration of the peers that keep codes: the head is trained, and what its codes say of the
// support set is kept beside it.
#include <algorithm>
#include <optional>

#include "core/random.hpp"
#include "core/try.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

using Kind = MethodOption::Kind;
using Stage = MethodOption::Stage;

constexpr std::size_t kRankOutputs = 32, kWinnerOutputs = 48;

MethodOption bits_option() {
  return {"bits", Kind::whole, Stage::calibrating, "12", "of a code", 2, 48, {}};
}

std::vector<MethodOption> with(std::vector<MethodOption> options,
                               std::initializer_list<MethodOption> more) {
  options.insert(options.begin(), more);
  return options;
}

Section section_of(SupportView& support, const Settings& settings, const Head& head,
                   Coding coding) {
  Section section;
  section.settings = settings;
  head.put(section, "head");
  section.words["coding"] = std::string(kCodings.name(coding));
  const std::vector<Code> codes = codes_of(head.apply(support.units(), support.pool()), coding);
  const CodeQuality quality = code_quality(codes, support.labels());
  section.numbers["support_codes"] = static_cast<double>(quality.codes);
  section.numbers["support_purity"] = quality.purity;
  return section;
}

std::size_t bits_of(const Settings& settings) {
  return static_cast<std::size_t>(whole_setting(settings, "bits"));
}

// The radius by PACO's calibration: each class in turn is taken for novel, its centre away and the
// centres of all others there, as they are when a stream begins. Its samples come in random order;
// the first is what starting looks like, and as its code is then there, the later ones are what
// joining looks like. Minus the distance to the closest code tells the two apart.
ThresholdEvidence replayed_radius(std::span<const Code> codes, std::span<const std::int64_t> labels,
                                  std::span<const Code> centres, std::uint32_t seed) {
  constexpr int kPasses = 3;
  std::vector<double> positives, negatives;
  core::NumpyLegacyRandom random(seed);
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<std::optional<Code>> first(centres.size());
    for (const std::size_t i : random.permutation(codes.size())) {
      const auto own = static_cast<std::size_t>(labels[i]);
      int closest = static_cast<int>(kMostBits) + 1;
      for (std::size_t k = 0; k < centres.size(); ++k) {
        if (k != own) closest = std::min(closest, differing(centres[k], codes[i]));
      }
      if (first[own]) {
        positives.push_back(-std::min(closest, differing(*first[own], codes[i])));
      } else {
        negatives.push_back(-closest);
        first[own] = codes[i];
      }
    }
  }
  return choose_threshold(positives, negatives, Tie::mid);
}

Result<Section> phe_section(SupportView& support, const Settings& settings,
                            const HeadTrainingSet& set, bool leaders) {
  const std::size_t bits = bits_of(settings), classes = support.model().known_classes();
  PACO_ASSIGN(
      const PheHead phe,
      train_phe_head(support, set, TrainingOptions::from(settings), bits,
                     static_cast<std::size_t>(whole_setting(settings, "prototypes")), leaders));
  Section section = section_of(support, settings, phe.head, Coding::signs);
  section.tensors["centres"] = {{classes},
                                std::vector<std::int64_t>(phe.centres.begin(), phe.centres.end())};
  section.numbers["most_distance"] = most_distance(bits, classes);
  section.numbers["radius"] = std::max(most_distance(bits, classes) / 2, 1);
  const std::vector<Code> codes =
      codes_of(phe.head.apply(support.units(), support.pool()), Coding::signs);
  ThresholdEvidence replayed =
      replayed_radius(codes, support.labels(), phe.centres,
                      static_cast<std::uint32_t>(whole_setting(settings, "seed")));
  // A distance of at most -value joins: the largest whole one.
  int radius = 0;
  while (-(radius + 1) >= replayed.value) ++radius;
  section.numbers["ssc.radius"] = radius;
  put_threshold(section, "ssc", std::move(replayed));
  return section;
}

}  // namespace

const std::vector<MethodOption>& hash_options() {
  static const auto options = with(TrainingOptions::declared(), {bits_option()});
  return options;
}

const std::vector<MethodOption>& descriptor_options() {
  static const auto options = TrainingOptions::declared();
  return options;
}

const std::vector<MethodOption>& phe_options() {
  static const auto options = with(
      TrainingOptions::declared(),
      {bits_option(),
       {"prototypes",
        Kind::whole,
        Stage::calibrating,
        "10",
        "of each class in training",
        1,
        100,
        {}},
       {"rule",
        Kind::choice,
        Stage::deciding,
        "intended",
        "literal: compare codes with centres as the released code does, which hardly ever agrees",
        0,
        0,
        {"intended", "literal"}},
       {"ssc",
        Kind::flag,
        Stage::deciding,
        "off",
        "on: the radius comes from PACO's calibration (our reading), not from the number of "
        "classes",
        0,
        0,
        {}}});
  return options;
}

Result<Section> calibrate_smile(SupportView& support, const Settings& settings) {
  const HeadTrainingSet set = HeadTrainingSet::from(support);
  PACO_ASSIGN(const Head head, train_smile_head(support, set, TrainingOptions::from(settings),
                                                bits_of(settings), false));
  return section_of(support, settings, head, Coding::signs);
}

Result<Section> calibrate_diffgre_smile(SupportView& support, const Settings& settings) {
  const TrainingOptions options = TrainingOptions::from(settings);
  const HeadTrainingSet set = with_virtual_samples(HeadTrainingSet::from(support), options.seed);
  PACO_ASSIGN(const Head head, train_smile_head(support, set, options, bits_of(settings), true));
  return section_of(support, settings, head, Coding::signs);
}

Result<Section> calibrate_hash(SupportView& support, const Settings& settings) {
  const HeadTrainingSet set = HeadTrainingSet::from(support);
  PACO_ASSIGN(const Head head, train_hash_head(support, set, TrainingOptions::from(settings),
                                               bits_of(settings), false));
  return section_of(support, settings, head, Coding::signs);
}

Result<Section> calibrate_mldg(SupportView& support, const Settings& settings) {
  const HeadTrainingSet set = HeadTrainingSet::from(support);
  PACO_ASSIGN(const Head head, train_hash_head(support, set, TrainingOptions::from(settings),
                                               bits_of(settings), true));
  return section_of(support, settings, head, Coding::signs);
}

Result<Section> calibrate_phe(SupportView& support, const Settings& settings) {
  return phe_section(support, settings, HeadTrainingSet::from(support), false);
}

Result<Section> calibrate_diffgre_phe(SupportView& support, const Settings& settings) {
  const TrainingOptions options = TrainingOptions::from(settings);
  return phe_section(support, settings,
                     with_virtual_samples(HeadTrainingSet::from(support), options.seed), true);
}

Result<Section> calibrate_rankstat(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const Head head,
              train_classified_head(support, HeadTrainingSet::from(support),
                                    TrainingOptions::from(settings), kRankOutputs));
  return section_of(support, settings, head, Coding::top);
}

Result<Section> calibrate_wta(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const Head head,
              train_classified_head(support, HeadTrainingSet::from(support),
                                    TrainingOptions::from(settings), kWinnerOutputs));
  return section_of(support, settings, head, Coding::groups);
}

}  // namespace paco::methods
