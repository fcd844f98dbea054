#include "methods/paco/paco_section.hpp"

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "methods/common/option_names.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/common/threshold.hpp"
#include "methods/common/von_mises_fisher.hpp"

namespace paco {
namespace {

using Kind = MethodOption::Kind;
using Stage = MethodOption::Stage;

MethodOption replays_option() {
  return {"replays", Kind::whole, Stage::calibrating, "3", "passes of the replay", 1, 1000, {}};
}
MethodOption seed_option() {
  return {"seed", Kind::whole, Stage::calibrating, "0", "of the replay order", 0, 4294967295, {}};
}
MethodOption tie_option() {
  return {"tie",
          Kind::choice,
          Stage::calibrating,
          "mid",
          "where to stand among equally good thresholds",
          0,
          0,
          {"mid", "low", "high"}};
}

Tie tie_of(const Settings& settings) {
  return methods::kTies.value(choice_setting(settings, "tie")).value_or(Tie::mid);
}

PacoOptions options_from(const Settings& s) {
  PacoOptions o;
  o.temperature = number_setting(s, "temperature");
  o.alpha = number_setting(s, "alpha");
  o.beta = number_setting(s, "beta");
  o.spread = number_setting(s, "spread");
  o.replays = static_cast<int>(whole_setting(s, "replays"));
  o.seed = static_cast<std::uint32_t>(whole_setting(s, "seed"));
  o.tie = tie_of(s);
  o.routing = flag_setting(s, "routing");
  o.adaptive_birth = flag_setting(s, "adaptive_birth");
  return o;
}

// tau_hi, tau_lo, tau_birth and tau_birth_sup, all read off the views on the winning bank.
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

// Only where it is not all of them.
void put_scored(Section& section, const methods::SupportView& support) {
  if (support.scored() < support.labels().size())
    section.numbers["scored_samples"] = static_cast<double>(support.scored());
}

}  // namespace

}  // namespace paco

namespace paco::methods {

const std::vector<MethodOption>& paco_options() {
  // Beyond these ranges the float32 side of a score would overflow.
  static const std::vector<MethodOption> options{
      {"temperature",
       Kind::number,
       Stage::calibrating,
       "1",
       "divides every cosine in the birth test and the assignment",
       1e-6,
       1e6,
       {}},
      {"alpha",
       Kind::number,
       Stage::deciding,
       "1e6",
       "smoothing of the size prior in the assignment",
       1e-6,
       1e18,
       {}},
      {"beta",
       Kind::number,
       Stage::deciding,
       "0.5",
       "a category is mature from the median support size to this power",
       0,
       100,
       {}},
      {"spread",
       Kind::number,
       Stage::calibrating,
       "1",
       "standard deviations by which the birth boundary is lowered",
       -1e6,
       1e6,
       {}},
      replays_option(),
      seed_option(),
      tie_option(),
      {"routing",
       Kind::flag,
       Stage::deciding,
       "on",
       "off: every prototype competes for every sample",
       0,
       0,
       {}},
      {"adaptive_birth",
       Kind::flag,
       Stage::deciding,
       "on",
       "off: the birth boundary stays where the support set put it",
       0,
       0,
       {}}};
  return options;
}

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
  p.options = options_from(settings);
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
  Settings given = section->settings;
  PACO_ASSIGN(const Settings wanted,
              complete_settings(methods::paco_options(), changed, Stage::deciding, "paco"));
  for (const auto& [name, value] : wanted) given.insert_or_assign(name, value);
  PACO_ASSIGN(const Settings settings,
              complete_settings(methods::paco_options(), given, Stage::calibrating, "paco"));
  PacoParameters p;
  p.options = options_from(settings);
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

const std::vector<MethodOption>& leader_options() {
  static const std::vector<MethodOption> options{replays_option(), seed_option(), tie_option()};
  return options;
}

Result<Section> calibrate_leader(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const ReplayScores* scores,
              support.replay(static_cast<int>(whole_setting(settings, "replays")),
                             static_cast<std::uint32_t>(whole_setting(settings, "seed"))));
  Section section;
  section.settings = settings;
  put_threshold(
      section, "leader",
      choose_threshold(scores->cosine_positives, scores->cosine_negatives, tie_of(settings)));
  put_scored(section, support);
  return section;
}

}  // namespace paco::methods
