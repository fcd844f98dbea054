#include "methods/paco/paco_summary.hpp"

#include <fmt/format.h>

#include "core/try.hpp"
#include "paco/thresholds.hpp"

namespace paco::methods {

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

}  // namespace paco::methods
