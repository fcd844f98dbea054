#include "methods/common/model_0_1.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "io/artifact.hpp"
#include "methods/common/option_names.hpp"
#include "methods/common/section_evidence.hpp"
#include "methods/paco/paco_section.hpp"

namespace paco::methods {
namespace {

using Json = nlohmann::ordered_json;

ReferenceChoice choice_from(const std::string& name) {
  return kReferenceChoices.value(name).value_or(ReferenceChoice::automatic);
}

Result<ThresholdEvidence> threshold_from(const Json& json, const io::SafetensorsFile& file,
                                         const char* name) {
  const Json& t = json.at("thresholds").at(name);
  ThresholdEvidence evidence;
  evidence.value = t.at("value").get<double>();
  evidence.balanced_accuracy = t.at("balanced_accuracy").get<double>();
  evidence.interval_low = t.at("interval_low").get<double>();
  evidence.interval_high = t.at("interval_high").get<double>();
  PACO_ASSIGN(evidence.positives, file.read<float>(fmt::format("evidence.{}.positives", name)));
  PACO_ASSIGN(evidence.negatives, file.read<float>(fmt::format("evidence.{}.negatives", name)));
  return evidence;
}

}  // namespace

Result<Model> model_of_0_1(const Json& json, const io::SafetensorsFile& file) {
  Model model;
  const Json& o = json.at("options");
  Settings paco, leader;
  for (const char* name : {"temperature", "alpha", "beta", "spread"})
    paco[name] = setting_text(o.at(name).get<double>());
  for (Settings* settings : {&paco, &leader}) {
    (*settings)["replays"] = std::to_string(o.at("replays").get<int>());
    (*settings)["seed"] = std::to_string(o.at("seed").get<std::uint32_t>());
    (*settings)["tie"] = o.at("tie").get<std::string>();
  }
  for (const char* name : {"routing", "adaptive_birth"})
    paco[name] = o.at(name).get<bool>() ? "on" : "off";
  model.epsilon = o.at("epsilon").get<double>();
  model.wanted = choice_from(o.at("reference").get<std::string>());
  model.dimension = json.at("dimension").get<std::size_t>();
  model.class_names = json.at("class_names").get<std::vector<std::string>>();
  model.reference = choice_from(json.at("reference").get<std::string>());
  model.prototype_quality = quality_from(json.at("prototype_quality"));
  model.classifier_quality = quality_from(json.at("classifier_quality"));

  PacoParameters p;
  PACO_ASSIGN(p.hi, threshold_from(json, file, "hi"));
  PACO_ASSIGN(p.birth, threshold_from(json, file, "birth"));
  PACO_ASSIGN(p.create, threshold_from(json, file, "create"));
  p.tau_lo = json.at("tau_lo").get<double>();
  p.tau_birth_sup = json.at("tau_birth_sup").get<double>();
  p.sigma_pos = json.at("sigma_pos").get<double>();
  p.base_median = json.at("base_median").get<double>();
  p.log_p0 = json.at("log_p0").get<double>();
  model.sections["paco"] = paco_section(paco, std::move(p));
  PACO_ASSIGN(ThresholdEvidence cosine, threshold_from(json, file, "leader"));
  Section& section = model.sections["leader"];
  section.settings = leader;
  put_threshold(section, "leader", std::move(cosine));
  model.sections["closed"] = {};

  // What 0.1 called the fingerprint: shape and checksum.
  PACO_ASSIGN(const std::string checksum, io::artifact_entry(file, "paco.crc32"));
  model.origin = fmt::format("{}x{}-{}", model.known_classes(), model.dimension, checksum);
  return model;
}

}  // namespace paco::methods
