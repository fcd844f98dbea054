// Calibration in plain loops: what blocks of products are compared with and measured against.
#include <algorithm>
#include <string>
#include <vector>

#include "contenders.hpp"
#include "core/threads.hpp"
#include "methods/common/references.hpp"
#include "methods/common/standardise.hpp"
#include "methods/common/threshold.hpp"
#include "methods/common/von_mises_fisher.hpp"
#include "methods/paco/replay.hpp"

namespace paco::bench {

Thresholds plain_calibration(Rows<const double> support, std::span<const std::int64_t> labels,
                             std::size_t classes, const PacoOptions& options) {
  const methods::SupportStatistics statistics =
      methods::support_statistics(support, CalibrationOptions().epsilon);
  math::Matrix<float> units(support.rows, support.columns);
  for (std::size_t i = 0; i < support.rows; ++i) {
    methods::standardise_row(support[i], statistics.mean, statistics.deviation, units[i]);
  }
  const std::vector<std::string> names(classes, "class");
  const math::Matrix<float> bank = *methods::class_prototypes(units, labels, names);
  const double log_p0 = methods::log_uniform_density(support.columns);
  std::vector<double> margins, masked_margins, births, masked_births;
  for (const methods::BankView& view : methods::plain_view_bank(units, labels, bank)) {
    margins.push_back(view.top - view.second);
    masked_margins.push_back(view.masked_top - view.masked_second);
    births.push_back(view.top / options.temperature - log_p0);
    masked_births.push_back(view.masked_top / options.temperature - log_p0);
  }
  const methods::ReplayScores scores =
      methods::plain_replay(units, labels, {classes, options.replays, options.seed, log_p0});
  return {methods::choose_threshold(margins, masked_margins, options.tie).value,
          methods::choose_threshold(births, masked_births, options.tie).value,
          methods::choose_threshold(scores.attach_positives, scores.attach_negatives, options.tie)
              .value};
}

}  // namespace paco::bench
