// Calibration of LTC and TALON: the space that a head learns, the mean direction of each known
// class in it, and the cosine from which a sample joins a prototype.
//
// Neither threshold comes from a stream. LTC's follows the training. TALON's authors chose theirs
// for each data set and backbone; ours comes from a replay of the support set.
#include <algorithm>

#include "core/random.hpp"
#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/references.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
#include "methods/peers/given_head.hpp"
#include "methods/peers/head_training.hpp"
#include "methods/peers/losses.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

OptionTable<SpaceOptions>::Row threshold_row() {
  return {"tau",
          &SpaceOptions::tau,
          0,
          1,
          "from this cosine on a sample joins; 0: what calibration found",
          OptionTable<SpaceOptions>::kLater};
}

using SpaceRows = std::vector<OptionTable<SpaceOptions>::Row>;

SpaceRows ltc_rows(SpaceRows rows) {
  rows.push_back(threshold_row());
  rows.push_back({"ssc", &SpaceOptions::ssc,
                  "on: the threshold comes from PACO's calibration (our reading), not from the "
                  "training",
                  OptionTable<SpaceOptions>::kLater});
  return rows;
}

SpaceRows talon_rows(SpaceRows rows) {
  rows.push_back(threshold_row());
  rows.push_back({"batch", &SpaceOptions::batch, 0, 100000,
                  "samples after which prototypes follow those that joined them; 0: never",
                  OptionTable<SpaceOptions>::kLater});
  return rows;
}

SpaceOptions talon_presets() {
  SpaceOptions presets;
  presets.batch = 64;
  return presets;
}

// The balanced boundary between samples that start a category and samples that join one, if their
// class were novel. The first score is the largest cosine with the means of all other classes. The
// second is the same with the first sample of their class added.
ThresholdEvidence replayed_threshold(const Views& views, const math::Matrix<float>& centres,
                                     std::uint64_t seed) {
  constexpr int kPasses = 3;
  const std::size_t d = centres.columns();
  std::vector<double> joining, starting;
  core::Random random(seed, 1u << 27);
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<const float*> first(centres.rows());
    for (const std::size_t i : random.permutation(views.labels.size())) {
      const auto own = static_cast<std::size_t>(views.labels[i]);
      const float* point = views.points[i].data();
      double closest = -1;
      for (std::size_t k = 0; k < centres.rows(); ++k) {
        if (k != own) closest = std::max(closest, math::dot(centres[k].data(), point, d));
      }
      if (first[own] != nullptr) {
        joining.push_back(std::max(closest, math::dot(first[own], point, d)));
      } else {
        starting.push_back(closest);
        first[own] = point;
      }
    }
  }
  return choose_threshold(joining, starting, Tie::mid);
}

// Builds a section from points in the space: those of the support set, and those that the replay
// uses.
Result<Section> section_of(SupportView& support, const Settings& settings,
                           const math::Matrix<float>& points, const Views& views,
                           std::uint64_t seed) {
  Section section;
  section.settings = settings;
  PACO_ASSIGN(const math::Matrix<float> centres,
              class_prototypes(points, support.labels(), support.model().class_names));
  put_matrix(section, "centres", centres);
  put_threshold(section, "ssc", replayed_threshold(views, centres, seed));
  return section;
}

Result<Section> trained_section(SupportView& support, const Settings& settings,
                                const HeadTrainingSet& set, const Head& head,
                                const SpaceOptions& options) {
  PACO_ASSIGN(Section section,
              section_of(support, settings, unit_rows(head.apply(set.units, support.pool())).units,
                         views_through(head, set, support.pool()), options.seed));
  put_seen(section, options.embeddings);
  head.put(section, "head");
  return section;
}

// For methods whose space is the backbone's own.
Result<Section> given_section(SupportView& support, const Settings& settings) {
  const Model& model = support.model();
  PACO_TRY(check_given_classifier(support.given_head(), model.dimension, model.known_classes()));
  const math::Matrix<float> points = support_as_seen(support, Seen::direction);
  PACO_ASSIGN(Section section,
              section_of(support, settings, points,
                         {points, {support.labels().begin(), support.labels().end()}}, 0));
  put_seen(section, Seen::direction);
  return section;
}

}  // namespace

const OptionTable<SpaceOptions>& ltc_table() {
  static const OptionTable<SpaceOptions> table("ltc-head",
                                               ltc_rows(with_training<SpaceOptions>({}, false)));
  return table;
}

const OptionTable<SpaceOptions>& talon_table() {
  static const OptionTable<SpaceOptions> table(
      "talon-head", talon_rows(with_training<SpaceOptions>({}, false)), talon_presets());
  return table;
}

const std::vector<MethodOption>& ltc_options() { return ltc_table().options(); }
const std::vector<MethodOption>& talon_options() { return talon_table().options(); }
const std::vector<MethodOption>& given_ltc_options() {
  static const OptionTable<SpaceOptions> table("ltc", ltc_rows({}));
  return table.options();
}
const std::vector<MethodOption>& given_talon_options() {
  static const OptionTable<SpaceOptions> table("talon", talon_rows({}), talon_presets());
  return table.options();
}

Result<Section> calibrate_ltc(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const SpaceOptions options, ltc_table().read(settings));
  const HeadTrainingSet set = HeadTrainingSet::from(support, options.embeddings);
  PACO_ASSIGN(const SpaceHead space, train_ltc_head(support, set, options));
  PACO_ASSIGN(Section section, trained_section(support, settings, set, space.head, options));
  section.numbers["tau"] = space.threshold;
  return section;
}

Result<Section> calibrate_talon(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const SpaceOptions options, talon_table().read(settings));
  const HeadTrainingSet set = HeadTrainingSet::from(support, options.embeddings);
  PACO_ASSIGN(const SpaceHead space, train_talon_head(support, set, options));
  PACO_ASSIGN(Section section, trained_section(support, settings, set, space.head, options));
  section.numbers["tau"] = section.numbers.at("ssc");
  return section;
}

Result<Section> calibrate_given_ltc(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(Section section, given_section(support, settings));
  PACO_ASSIGN(section.numbers["tau"], given_threshold(support.given_head()));
  return section;
}

Result<Section> calibrate_given_talon(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(Section section, given_section(support, settings));
  section.numbers["tau"] = section.numbers.at("ssc");
  return section;
}

}  // namespace paco::methods
