#include "calibration_summary.hpp"

#include <fmt/format.h>

namespace paco {
namespace {

Json threshold_json(const ThresholdEvidence& t) {
  return Json::array({t.interval_low, t.interval_high});
}

std::string reference_text(const Model& model) {
  const ReferenceQuality &p = model.prototype_quality, &c = model.classifier_quality;
  std::string text = fmt::format("reference      {}", reference_choice_name(model.reference));
  text += fmt::format("  (support accuracy {:.4f}, mean margin {:.4f}", p.accuracy, p.mean_margin);
  if (c.available)
    text += fmt::format(" as prototypes; {:.4f}, {:.4f} as classifier", c.accuracy, c.mean_margin);
  return text + ")\n";
}

}  // namespace

Json calibration_json(const Model& model) {
  Json json;
  json["tau_hi"] = model.hi.value;
  json["tau_lo"] = model.tau_lo;
  json["tau_birth"] = model.birth.value;
  json["tau_birth_sup"] = model.tau_birth_sup;
  json["tau_create"] = model.create.value;
  json["reference"] = reference_choice_name(model.reference);
  json["sigma_pos"] = model.sigma_pos;
  json["base_median"] = model.base_median;
  json["log_p0"] = model.log_p0;
  json["balanced_accuracy"] = {{"hi", model.hi.balanced_accuracy},
                               {"birth", model.birth.balanced_accuracy},
                               {"create", model.create.balanced_accuracy}};
  json["interval"] = {{"hi", threshold_json(model.hi)},
                      {"birth", threshold_json(model.birth)},
                      {"create", threshold_json(model.create)}};
  const auto quality = [](const ReferenceQuality& q) {
    return q.available ? Json{{"accuracy", q.accuracy}, {"mean_margin", q.mean_margin}} : Json();
  };
  json["reference_quality"] = {{"prototype", quality(model.prototype_quality)},
                               {"classifier", quality(model.classifier_quality)}};
  json["tau_leader"] = model.leader.value;
  json["known_classes"] = model.known_classes();
  json["dimension"] = model.dimension;
  json["fingerprint"] = model.fingerprint();
  return json;
}

std::string calibration_text(const Model& model) {
  std::string text = reference_text(model);
  text += fmt::format("{:<13}  {:>14}  {:>17}  {:>14}  {}\n", "threshold", "value",
                      "balanced accuracy", "interval width", "decides");
  const auto row = [&](const char* name, const ThresholdEvidence& t, const char* decides) {
    text += fmt::format("{:<13}  {:>14.6f}  {:>17.4f}  {:>14.3g}  {}\n", name, t.value,
                        t.balanced_accuracy, t.interval_high - t.interval_low, decides);
  };
  row("tau_hi", model.hi, "from this margin on, only known classes compete");
  text += fmt::format("{:<13}  {:>14.6f}  {:>17}  {:>14}  {}\n", "tau_lo", model.tau_lo, "-", "-",
                      "below this cosine, only categories compete");
  row("tau_birth", model.birth, "from this score on, a sample is explained");
  text +=
      fmt::format("{:<13}  {:>14.6f}  {:>17}  {:>14}  {}\n", "tau_birth_sup", model.tau_birth_sup,
                  "-", "-", "the same, less the spread: where a stream starts");
  row("tau_create", model.create, "from this score on, a sample joins a category");
  return text;
}

}  // namespace paco
