// Calibration of the peers that keep codes: the head is trained, and what its codes say of the
// support set is kept beside it.
#include <algorithm>
#include <optional>

#include "core/random.hpp"
#include "core/try.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kRankOutputs = 32, kWinnerOutputs = 48;

const OptionTable<CodeOptions>& hash_table() {
  static const OptionTable<CodeOptions> table(
      "hash", with_training<CodeOptions>({{"bits", &CodeOptions::bits, 2, 48, "of a code"}}));
  return table;
}

const OptionTable<TrainingOptions>& descriptor_table() {
  static const OptionTable<TrainingOptions> table("rankstat", with_training<TrainingOptions>());
  return table;
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

Result<Section> phe_section(SupportView& support, const Settings& settings, bool leaders) {
  PACO_ASSIGN(const CodeOptions options, phe_table().read(settings));
  HeadTrainingSet set = HeadTrainingSet::from(support);
  if (leaders) set = with_virtual_samples(set, options.seed);
  const std::size_t bits = options.bits, classes = support.model().known_classes();
  PACO_ASSIGN(const PheHead phe,
              train_phe_head(support, set, options, bits, options.prototypes, leaders));
  Section section = section_of(support, settings, phe.head, Coding::signs);
  section.tensors["centres"] = {{classes},
                                std::vector<std::int64_t>(phe.centres.begin(), phe.centres.end())};
  section.numbers["most_distance"] = most_distance(bits, classes);
  section.numbers["radius"] = std::max(most_distance(bits, classes) / 2, 1);
  const std::vector<Code> codes =
      codes_of(phe.head.apply(support.units(), support.pool()), Coding::signs);
  ThresholdEvidence replayed = replayed_radius(codes, support.labels(), phe.centres,
                                               static_cast<std::uint32_t>(options.seed));
  // A distance of at most -value joins: the largest whole one.
  int radius = 0;
  while (-(radius + 1) >= replayed.value) ++radius;
  section.numbers["ssc.radius"] = radius;
  put_threshold(section, "ssc", std::move(replayed));
  return section;
}

// SMILE and the plain hash baseline.
template <class Train>
Result<Section> hash_section(SupportView& support, const Settings& settings, bool with_virtual,
                             Train train_head, bool more) {
  PACO_ASSIGN(const CodeOptions options, hash_table().read(settings));
  HeadTrainingSet set = HeadTrainingSet::from(support);
  if (with_virtual) set = with_virtual_samples(set, options.seed);
  PACO_ASSIGN(const Head head, train_head(support, set, options, options.bits, more));
  return section_of(support, settings, head, Coding::signs);
}

Result<Section> descriptor_section(SupportView& support, const Settings& settings,
                                   std::size_t outputs, Coding coding) {
  PACO_ASSIGN(const TrainingOptions options, descriptor_table().read(settings));
  PACO_ASSIGN(const Head head,
              train_classified_head(support, HeadTrainingSet::from(support), options, outputs));
  return section_of(support, settings, head, coding);
}

}  // namespace

const OptionTable<CodeOptions>& phe_table() {
  using O = CodeOptions;
  constexpr auto kLater = OptionTable<O>::kLater;
  static const OptionTable<O> table(
      "phe",
      with_training<O>(
          {{"bits", &O::bits, 2, 48, "of a code"},
           {"prototypes", &O::prototypes, 1, 100, "of each class in training"},
           {"rule", &O::rule, kPheRules,
            "literal: compare codes with centres as the released code does, which hardly ever "
            "agrees",
            kLater},
           {"ssc", &O::ssc,
            "on: the radius comes from PACO's calibration (our reading), not from the number of "
            "classes",
            kLater}}));
  return table;
}

const std::vector<MethodOption>& hash_options() { return hash_table().options(); }
const std::vector<MethodOption>& descriptor_options() { return descriptor_table().options(); }
const std::vector<MethodOption>& phe_options() { return phe_table().options(); }

Result<Section> calibrate_smile(SupportView& support, const Settings& settings) {
  return hash_section(support, settings, false, train_smile_head, false);
}
Result<Section> calibrate_diffgre_smile(SupportView& support, const Settings& settings) {
  return hash_section(support, settings, true, train_smile_head, true);
}
Result<Section> calibrate_hash(SupportView& support, const Settings& settings) {
  return hash_section(support, settings, false, train_hash_head, false);
}
Result<Section> calibrate_mldg(SupportView& support, const Settings& settings) {
  return hash_section(support, settings, false, train_hash_head, true);
}
Result<Section> calibrate_phe(SupportView& support, const Settings& settings) {
  return phe_section(support, settings, false);
}
Result<Section> calibrate_diffgre_phe(SupportView& support, const Settings& settings) {
  return phe_section(support, settings, true);
}
Result<Section> calibrate_rankstat(SupportView& support, const Settings& settings) {
  return descriptor_section(support, settings, kRankOutputs, Coding::top);
}
Result<Section> calibrate_wta(SupportView& support, const Settings& settings) {
  return descriptor_section(support, settings, kWinnerOutputs, Coding::groups);
}

}  // namespace paco::methods
