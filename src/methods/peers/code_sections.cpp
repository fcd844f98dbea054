// Calibration of the peers that keep codes: the head is trained, and the results of its codes on
// the support set are stored with it.
#include <algorithm>
#include <optional>

#include "core/random.hpp"
#include "core/try.hpp"
#include "math/code_distance.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
#include "methods/peers/given_head.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kRankOutputs = 32, kWinnerOutputs = 48;

const OptionTable<CodeOptions>& hash_table() {
  static const OptionTable<CodeOptions> table(
      "hash-head", with_training<CodeOptions>({{"bits", &CodeOptions::bits, 2, 48, "of a code"}}));
  return table;
}

const OptionTable<TrainingOptions>& descriptor_table() {
  static const OptionTable<TrainingOptions> table("rankstat-head",
                                                  with_training<TrainingOptions>());
  return table;
}

Section section_of(SupportView& support, const Settings& settings, const Head& head, Coding coding,
                   Seen seen) {
  Section section;
  section.settings = settings;
  put_seen(section, seen);
  head.put(section, "head");
  section.words["coding"] = std::string(kCodings.name(coding));
  const std::vector<Code> codes =
      codes_of(head.apply(support_as_seen(support, seen), support.pool()), coding);
  const CodeQuality quality = code_quality(codes, support.labels());
  section.numbers["support_codes"] = static_cast<double>(quality.codes);
  section.numbers["support_purity"] = quality.purity;
  return section;
}

// The radius by PACO's calibration. Each class in turn is treated as novel: its centre is removed,
// and the centres of all other classes are present, as when a stream begins. Its samples come in
// random order. The first sample shows what the start of a category looks like. Its code is then
// present, so the later samples show what joining looks like. The threshold is on minus the
// distance to the closest code.
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

// Stores the data that PHE's rule needs in addition to the head.
void put_centres(SupportView& support, const CodeOptions& options, const Head& head,
                 const std::vector<Code>& centres, Seen seen, Section& section) {
  const std::size_t bits = head.outputs(), classes = centres.size();
  const int most = math::most_distance(bits, options.counted > 0 ? options.counted : classes);
  section.tensors["centres"] = {{classes},
                                std::vector<std::int64_t>(centres.begin(), centres.end())};
  section.numbers["most_distance"] = most;
  section.numbers["radius"] = std::max(most / 2, 1);
  const std::vector<Code> codes =
      codes_of(head.apply(support_as_seen(support, seen), support.pool()), Coding::signs);
  ThresholdEvidence replayed =
      replayed_radius(codes, support.labels(), centres, static_cast<std::uint32_t>(options.seed));
  // A sample joins at a distance of at most -value. The radius is the largest such integer.
  int radius = 0;
  while (-(radius + 1) >= replayed.value) ++radius;
  section.numbers["ssc.radius"] = radius;
  put_threshold(section, "ssc", std::move(replayed));
}

// Virtual samples are made between points on the sphere, so raw embeddings are then divided by
// their length.
Seen seen_with(const TrainingOptions& options, bool with_virtual) {
  return with_virtual && options.embeddings == Seen::raw ? Seen::direction : options.embeddings;
}

Result<Section> phe_section(SupportView& support, const Settings& settings, bool leaders) {
  PACO_ASSIGN(const CodeOptions options, phe_table().read(settings));
  const Seen seen = seen_with(options, leaders);
  HeadTrainingSet set = HeadTrainingSet::from(support, seen);
  if (leaders) set = with_virtual_samples(set, options.seed);
  PACO_ASSIGN(const PheHead phe,
              train_phe_head(support, set, options, options.bits, options.prototypes, leaders));
  Section section = section_of(support, settings, phe.head, Coding::signs, seen);
  put_centres(support, options, phe.head, phe.centres, seen, section);
  return section;
}

// SMILE and the plain hash baseline.
template <class Train>
Result<Section> hash_section(SupportView& support, const Settings& settings, bool with_virtual,
                             Train train_head, bool more) {
  PACO_ASSIGN(const CodeOptions options, hash_table().read(settings));
  const Seen seen = seen_with(options, with_virtual);
  HeadTrainingSet set = HeadTrainingSet::from(support, seen);
  if (with_virtual) set = with_virtual_samples(set, options.seed);
  PACO_ASSIGN(const Head head, train_head(support, set, options, options.bits, more));
  return section_of(support, settings, head, Coding::signs, seen);
}

Result<Section> descriptor_section(SupportView& support, const Settings& settings,
                                   std::size_t outputs, Coding coding) {
  PACO_ASSIGN(const TrainingOptions options, descriptor_table().read(settings));
  PACO_ASSIGN(const Head head,
              train_classified_head(support, HeadTrainingSet::from(support, options.embeddings),
                                    options, outputs));
  return section_of(support, settings, head, coding, options.embeddings);
}

// The options of PHE's rule, after those of the training.
std::vector<OptionTable<CodeOptions>::Row> deciding_rows(
    std::vector<OptionTable<CodeOptions>::Row> rows) {
  using O = CodeOptions;
  constexpr auto kLater = OptionTable<O>::kLater;
  rows.push_back({"counted", &O::counted, 0, 1e7,
                  "classes that the radius is for; 0: the known ones (released code: all)"});
  rows.push_back({"rule", &O::rule, kPheRules,
                  "literal: compare codes with centres as the released code does, which hardly "
                  "ever agrees",
                  kLater});
  rows.push_back({"ssc", &O::ssc,
                  "on: the radius comes from PACO's calibration (our reading), not from the number "
                  "of classes",
                  kLater});
  return rows;
}

}  // namespace

const OptionTable<CodeOptions>& phe_table() {
  using O = CodeOptions;
  static const OptionTable<O> table(
      "phe-head", with_training<O>(deciding_rows(
                      {{"bits", &O::bits, 2, 48, "of a code"},
                       {"prototypes", &O::prototypes, 1, 100, "of each class in training"}})));
  return table;
}

const OptionTable<CodeOptions>& given_phe_table() {
  static const OptionTable<CodeOptions> table("phe", deciding_rows({}));
  return table;
}

const std::vector<MethodOption>& hash_options() { return hash_table().options(); }
const std::vector<MethodOption>& descriptor_options() { return descriptor_table().options(); }
const std::vector<MethodOption>& phe_options() { return phe_table().options(); }
const std::vector<MethodOption>& given_phe_options() { return given_phe_table().options(); }

Result<Section> calibrate_smile(SupportView& support, const Settings& settings) {
  return hash_section(support, settings, false, train_smile_head, false);
}
Result<Section> calibrate_given_smile(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const Head head, given_smile_head(support.given_head(), support.model().dimension));
  return section_of(support, settings, head, Coding::signs, Seen::raw);
}
Result<Section> calibrate_given_phe(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const CodeOptions options, given_phe_table().read(settings));
  const Model& model = support.model();
  PACO_ASSIGN(const GivenPheHead phe, given_phe_head(support.given_head(), model.dimension,
                                                     model.known_classes(), support.pool()));
  Section section = section_of(support, settings, phe.head, Coding::signs, Seen::raw);
  put_centres(support, options, phe.head, phe.centres, Seen::raw, section);
  return section;
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
