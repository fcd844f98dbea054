// Calibration of LTC and TALON: the space that a head learns, the mean direction of each known
// class there, and the cosine from which on a sample belongs to what is there.
//
// Neither threshold comes from a stream. LTC's follows the training. TALON's was chosen for each
// data set and backbone by its authors; ours comes from a replay of the support set.
#include <algorithm>

#include "core/random.hpp"
#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/references.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
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

std::vector<OptionTable<SpaceOptions>::Row> rows_with(OptionTable<SpaceOptions>::Row last) {
  auto rows = with_training<SpaceOptions>({}, false);
  rows.push_back(threshold_row());
  rows.push_back(std::move(last));
  return rows;
}

// The balanced boundary between samples that start a category and samples that join one, were their
// class novel: the largest cosine with the means of all other classes, and the same with the first
// sample of their class beside them.
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

Result<Section> section_of(SupportView& support, const Settings& settings,
                           const HeadTrainingSet& set, const Head& head, std::uint64_t seed) {
  Section section;
  section.settings = settings;
  head.put(section, "head");
  const math::Matrix<float> points = unit_rows(head.apply(support.units(), support.pool())).units;
  PACO_ASSIGN(const math::Matrix<float> centres,
              class_prototypes(points, support.labels(), support.model().class_names));
  put_matrix(section, "centres", centres);
  put_threshold(section, "ssc",
                replayed_threshold(views_through(head, set, support.pool()), centres, seed));
  return section;
}

}  // namespace

const OptionTable<SpaceOptions>& ltc_table() {
  static const OptionTable<SpaceOptions> table(
      "ltc", rows_with({"ssc", &SpaceOptions::ssc,
                        "on: the threshold comes from PACO's calibration (our reading), not from "
                        "the training",
                        OptionTable<SpaceOptions>::kLater}));
  return table;
}

const OptionTable<SpaceOptions>& talon_table() {
  SpaceOptions presets;
  presets.batch = 64;
  static const OptionTable<SpaceOptions> table(
      "talon",
      rows_with({"batch", &SpaceOptions::batch, 0, 100000,
                 "samples after which prototypes follow those that joined them; 0: never",
                 OptionTable<SpaceOptions>::kLater}),
      presets);
  return table;
}

const std::vector<MethodOption>& ltc_options() { return ltc_table().options(); }
const std::vector<MethodOption>& talon_options() { return talon_table().options(); }

Result<Section> calibrate_ltc(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const SpaceOptions options, ltc_table().read(settings));
  const HeadTrainingSet set = HeadTrainingSet::from(support);
  PACO_ASSIGN(const SpaceHead space, train_ltc_head(support, set, options));
  PACO_ASSIGN(Section section, section_of(support, settings, set, space.head, options.seed));
  section.numbers["tau"] = space.threshold;
  return section;
}

Result<Section> calibrate_talon(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const SpaceOptions options, talon_table().read(settings));
  const HeadTrainingSet set = HeadTrainingSet::from(support);
  PACO_ASSIGN(const SpaceHead space, train_talon_head(support, set, options));
  PACO_ASSIGN(Section section, section_of(support, settings, set, space.head, options.seed));
  section.numbers["tau"] = section.numbers.at("ssc");
  return section;
}

}  // namespace paco::methods
