#include "methods/paco/paco_section.hpp"

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "methods/common/option_names.hpp"
#include "methods/common/option_table.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
#include "methods/common/von_mises_fisher.hpp"

namespace paco::methods {
namespace {

struct LeaderOptions {
  int replays = 3;
  std::uint32_t seed = 0;
  Tie tie = Tie::mid;
};

// The options of a replay of the support set.
template <class T>
void add_replay(std::vector<typename OptionTable<T>::Row>& rows) {
  rows.push_back({"replays", &T::replays, 1, 1000, "passes of the replay"});
  rows.push_back({"seed", &T::seed, 0, 4294967295, "of the replay order"});
  rows.push_back({"tie", &T::tie, kTies, "where to stand among equally good thresholds"});
}

const OptionTable<PacoOptions>& paco_table() {
  static const OptionTable<PacoOptions> table("paco", [] {
    using O = PacoOptions;
    constexpr auto kLater = OptionTable<O>::kLater;
    // Beyond these ranges the float32 side of a score would overflow.
    std::vector<OptionTable<O>::Row> rows{
        {"temperature", &O::temperature, 1e-6, 1e6,
         "divides every cosine in the birth test and the assignment"},
        {"alpha", &O::alpha, 1e-6, 1e18, "smoothing of the size prior in the assignment", kLater},
        {"beta", &O::beta, 0, 100,
         "a category is mature from the median support size to this power", kLater},
        {"spread", &O::spread, -1e6, 1e6,
         "standard deviations by which the birth boundary is lowered"}};
    add_replay<O>(rows);
    rows.push_back(
        {"routing", &O::routing, "off: every prototype competes for every sample", kLater});
    rows.push_back({"adaptive_birth", &O::adaptive_birth,
                    "off: the birth boundary stays where the support set put it", kLater});
    return rows;
  }());
  return table;
}

const OptionTable<LeaderOptions>& leader_table() {
  static const OptionTable<LeaderOptions> table("leader", [] {
    std::vector<OptionTable<LeaderOptions>::Row> rows;
    add_replay<LeaderOptions>(rows);
    return rows;
  }());
  return table;
}

// tau_hi, tau_lo, tau_birth and tau_birth_sup, all computed from the views on the chosen bank.
void set_reference_thresholds(PacoParameters& p, std::span<const methods::BankView> views) {
  const double T = p.options.temperature;
  std::vector<double> margins, masked_margins, births, masked_births;
  double lowest = views[0].top, mean = 0;
  for (const methods::BankView& view : views) {
    margins.push_back(view.top - view.second);
    masked_margins.push_back(view.masked_top - view.masked_second);
    births.push_back(view.top / T - p.log_p0);
    masked_births.push_back(view.masked_top / T - p.log_p0);
    lowest = std::min(lowest, view.top);
    mean += view.top;
  }
  mean /= static_cast<double>(views.size());
  double variance = 0;
  for (const methods::BankView& view : views) variance += (view.top - mean) * (view.top - mean);
  p.sigma_pos = std::sqrt(variance / static_cast<double>(views.size()));

  p.hi = methods::choose_threshold(margins, masked_margins, p.options.tie);
  p.tau_lo = std::min(p.hi.value, lowest - p.sigma_pos);
  p.birth = methods::choose_threshold(births, masked_births, p.options.tie);
  p.tau_birth_sup = p.birth.value - p.options.spread * p.sigma_pos / T;
}

// Stored only if not all samples are scored.
void put_scored(Section& section, const SupportView& support) {
  if (support.scored() < support.labels().size())
    section.numbers["scored_samples"] = static_cast<double>(support.scored());
}

}  // namespace

const std::vector<MethodOption>& paco_options() { return paco_table().options(); }

Section paco_section(const Settings& settings, PacoParameters p) {
  Section section;
  section.settings = settings;
  put_threshold(section, "tau_hi", std::move(p.hi));
  put_threshold(section, "tau_birth", std::move(p.birth));
  put_threshold(section, "tau_create", std::move(p.create));
  section.numbers["tau_lo"] = p.tau_lo;
  section.numbers["tau_birth_sup"] = p.tau_birth_sup;
  section.numbers["sigma_pos"] = p.sigma_pos;
  section.numbers["base_median"] = p.base_median;
  section.numbers["log_p0"] = p.log_p0;
  return section;
}

Result<Section> calibrate_paco(SupportView& support, const Settings& settings) {
  PacoParameters p;
  PACO_ASSIGN(p.options, paco_table().read(settings));
  p.log_p0 = log_uniform_density(support.model().dimension);
  p.base_median = support.base_median();
  set_reference_thresholds(p, support.views());
  PACO_ASSIGN(const ReplayScores* scores, support.replay(p.options.replays, p.options.seed));
  p.create = choose_threshold(scores->attach_positives, scores->attach_negatives, p.options.tie);
  Section section = paco_section(settings, std::move(p));
  put_scored(section, support);
  return section;
}

}  // namespace paco::methods

namespace paco {

Result<PacoParameters> paco_parameters(const Model& model, const Settings& changed) {
  PACO_ASSIGN(const Section* section, model.section("paco"));
  PacoParameters p;
  PACO_ASSIGN(p.options, methods::paco_table().read(section->settings, changed));
  PACO_ASSIGN(p.hi, methods::get_threshold(*section, "tau_hi"));
  PACO_ASSIGN(p.birth, methods::get_threshold(*section, "tau_birth"));
  PACO_ASSIGN(p.create, methods::get_threshold(*section, "tau_create"));
  PACO_ASSIGN(p.tau_lo, section->number("tau_lo"));
  PACO_ASSIGN(p.tau_birth_sup, section->number("tau_birth_sup"));
  PACO_ASSIGN(p.sigma_pos, section->number("sigma_pos"));
  PACO_ASSIGN(p.base_median, section->number("base_median"));
  PACO_ASSIGN(p.log_p0, section->number("log_p0"));
  return p;
}

}  // namespace paco

namespace paco::methods {

const std::vector<MethodOption>& leader_options() { return leader_table().options(); }

Result<Section> calibrate_leader(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const LeaderOptions options, leader_table().read(settings));
  PACO_ASSIGN(const ReplayScores* scores, support.replay(options.replays, options.seed));
  Section section;
  section.settings = settings;
  put_threshold(section, "leader",
                choose_threshold(scores->cosine_positives, scores->cosine_negatives, options.tie));
  put_scored(section, support);
  return section;
}

}  // namespace paco::methods
