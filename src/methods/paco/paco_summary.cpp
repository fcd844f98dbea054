#include "methods/paco/paco_summary.hpp"

#include <fmt/format.h>

#include "core/try.hpp"
#include "paco/thresholds.hpp"

namespace paco::methods {
namespace {

nlohmann::ordered_json evidence_json(const ThresholdEvidence& evidence) {
  return {{"value", evidence.value},
          {"balanced_accuracy", evidence.balanced_accuracy},
          {"interval", {evidence.interval_low, evidence.interval_high}},
          {"positives", evidence.positives.size()},
          {"negatives", evidence.negatives.size()}};
}

}  // namespace

Result<SectionSummary> summarise_paco(const Model& model) {
  PACO_ASSIGN(const PacoParameters p, paco_parameters(model));
  SectionSummary out;
  out.json["tau_hi"] = p.hi.value;
  out.json["tau_lo"] = p.tau_lo;
  out.json["tau_birth"] = p.birth.value;
  out.json["tau_birth_sup"] = p.tau_birth_sup;
  out.json["tau_create"] = p.create.value;
  out.json["sigma_pos"] = p.sigma_pos;
  out.json["base_median"] = p.base_median;
  out.json["log_p0"] = p.log_p0;
  out.json["balanced_accuracy"] = {{"hi", p.hi.balanced_accuracy},
                                   {"birth", p.birth.balanced_accuracy},
                                   {"create", p.create.balanced_accuracy}};
  out.json["interval"] = {{"hi", {p.hi.interval_low, p.hi.interval_high}},
                          {"birth", {p.birth.interval_low, p.birth.interval_high}},
                          {"create", {p.create.interval_low, p.create.interval_high}}};

  out.text = fmt::format("{:<13}  {:>14}  {:>17}  {:>14}  {}\n", "threshold", "value",
                         "balanced accuracy", "interval width", "decides");
  const auto row = [&](const char* name, const ThresholdEvidence& t, const char* decides) {
    out.text += fmt::format("{:<13}  {:>14.6f}  {:>17.4f}  {:>14.3g}  {}\n", name, t.value,
                            t.balanced_accuracy, t.interval_high - t.interval_low, decides);
  };
  const auto plain = [&](const char* name, double value, const char* decides) {
    out.text +=
        fmt::format("{:<13}  {:>14.6f}  {:>17}  {:>14}  {}\n", name, value, "-", "-", decides);
  };
  row("tau_hi", p.hi, "from this margin on, only known classes compete");
  plain("tau_lo", p.tau_lo, "below this cosine, only categories compete");
  row("tau_birth", p.birth, "from this score on, a sample is explained");
  plain("tau_birth_sup", p.tau_birth_sup, "the same, less the spread: where a stream starts");
  row("tau_create", p.create, "from this score on, a sample joins a category");
  return out;
}

Result<MethodDetails> paco_details(const Model& model, const Settings& changed) {
  PACO_ASSIGN(const PacoParameters p, paco_parameters(model, changed));
  MethodDetails out;
  out.thresholds = {{"hi", "tau_hi", "margin", p.hi},
                    {"birth", "tau_birth", "birth_score", p.birth},
                    {"create", "tau_create", "attach_score", p.create}};
  out.shift = p.log_p0;
  out.mature_size = p.mature_size();
  out.numbers = {{"log_p0", p.log_p0},
                 {"tau_lo", p.tau_lo},
                 {"tau_birth_sup", p.tau_birth_sup},
                 {"sigma_pos", p.sigma_pos},
                 {"base_median", p.base_median},
                 {"mature_size", p.mature_size()}};
  for (const CalibratedThreshold& t : out.thresholds)
    out.numbers[t.key] = evidence_json(t.evidence);
  out.options = {{"temperature", p.options.temperature},
                 {"alpha", p.options.alpha},
                 {"beta", p.options.beta},
                 {"spread", p.options.spread},
                 {"epsilon", model.epsilon},
                 {"replays", p.options.replays},
                 {"seed", p.options.seed},
                 {"tie", tie_name(p.options.tie)},
                 {"routing", p.options.routing},
                 {"adaptive_birth", p.options.adaptive_birth}};
  return out;
}

}  // namespace paco::methods
