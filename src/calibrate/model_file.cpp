// Models on disk: numbers as tensors, settings and thresholds as one JSON text in the metadata.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "data/artifact.hpp"
#include "paco/model.hpp"

namespace paco {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kKind = "model";

struct NamedThreshold {
  const char* name;
  ThresholdEvidence Model::*member;
};
constexpr NamedThreshold kThresholds[] = {{"hi", &Model::hi},
                                          {"birth", &Model::birth},
                                          {"create", &Model::create},
                                          {"leader", &Model::leader}};

Json to_json(const ReferenceQuality& quality) {
  return {{"available", quality.available},
          {"accuracy", quality.accuracy},
          {"mean_margin", quality.mean_margin}};
}

ReferenceQuality quality_from(const Json& json) {
  return {json.at("available").get<bool>(), json.at("accuracy").get<double>(),
          json.at("mean_margin").get<double>()};
}

// Everything but the tensors. `threads` is left out: it changes no number.
Json to_json(const Model& model) {
  const CalibrationOptions& o = model.options;
  Json json;
  json["options"] = {{"temperature", o.temperature},
                     {"alpha", o.alpha},
                     {"beta", o.beta},
                     {"spread", o.spread},
                     {"epsilon", o.epsilon},
                     {"replays", o.replays},
                     {"seed", o.seed},
                     {"tie", tie_name(o.tie)},
                     {"reference", reference_choice_name(o.reference)},
                     {"routing", o.routing},
                     {"adaptive_birth", o.adaptive_birth}};
  json["dimension"] = model.dimension;
  json["class_names"] = model.class_names;
  json["reference"] = reference_choice_name(model.reference);
  json["prototype_quality"] = to_json(model.prototype_quality);
  json["classifier_quality"] = to_json(model.classifier_quality);
  for (const auto& [name, member] : kThresholds) {
    const ThresholdEvidence& t = model.*member;
    json["thresholds"][name] = {{"value", t.value},
                                {"balanced_accuracy", t.balanced_accuracy},
                                {"interval_low", t.interval_low},
                                {"interval_high", t.interval_high}};
  }
  json["tau_lo"] = model.tau_lo;
  json["tau_birth_sup"] = model.tau_birth_sup;
  json["sigma_pos"] = model.sigma_pos;
  json["base_median"] = model.base_median;
  json["log_p0"] = model.log_p0;
  return json;
}

// Throws nlohmann's exceptions on anything unexpected; load_model turns them into an Error.
void settings_from(const Json& json, Model& model) {
  const Json& o = json.at("options");
  CalibrationOptions& options = model.options;
  options.temperature = o.at("temperature").get<double>();
  options.alpha = o.at("alpha").get<double>();
  options.beta = o.at("beta").get<double>();
  options.spread = o.at("spread").get<double>();
  options.epsilon = o.at("epsilon").get<double>();
  options.replays = o.at("replays").get<int>();
  options.seed = o.at("seed").get<std::uint32_t>();
  const auto tie = o.at("tie").get<std::string>();
  options.tie = tie == "low" ? Tie::low : tie == "high" ? Tie::high : Tie::mid;
  const auto choice = [](const std::string& name) {
    return name == "classifier"  ? ReferenceChoice::classifier
           : name == "prototype" ? ReferenceChoice::prototype
                                 : ReferenceChoice::automatic;
  };
  options.reference = choice(o.at("reference").get<std::string>());
  options.routing = o.at("routing").get<bool>();
  options.adaptive_birth = o.at("adaptive_birth").get<bool>();
  model.dimension = json.at("dimension").get<std::size_t>();
  model.class_names = json.at("class_names").get<std::vector<std::string>>();
  model.reference = choice(json.at("reference").get<std::string>());
  model.prototype_quality = quality_from(json.at("prototype_quality"));
  model.classifier_quality = quality_from(json.at("classifier_quality"));
  for (const auto& [name, member] : kThresholds) {
    const Json& t = json.at("thresholds").at(name);
    ThresholdEvidence& evidence = model.*member;
    evidence.value = t.at("value").get<double>();
    evidence.balanced_accuracy = t.at("balanced_accuracy").get<double>();
    evidence.interval_low = t.at("interval_low").get<double>();
    evidence.interval_high = t.at("interval_high").get<double>();
  }
  model.tau_lo = json.at("tau_lo").get<double>();
  model.tau_birth_sup = json.at("tau_birth_sup").get<double>();
  model.sigma_pos = json.at("sigma_pos").get<double>();
  model.base_median = json.at("base_median").get<double>();
  model.log_p0 = json.at("log_p0").get<double>();
}

ArtifactWriter artifact_of(const Model& model) {
  ArtifactWriter writer(kKind, kVersion);
  const std::uint64_t d = model.dimension;
  const std::uint64_t k = model.known_classes();
  // A class name that is not UTF-8 must not throw; its wrong bytes become U+FFFD.
  writer.set("model", to_json(model).dump(-1, ' ', false, Json::error_handler_t::replace));
  writer.add<double>("mean", {d}, model.mean);
  writer.add<double>("deviation", {d}, model.deviation);
  writer.add<float>("references", {k, d}, model.references);
  writer.add<std::int64_t>("class_sizes", {k}, model.class_sizes);
  for (const auto& [name, member] : kThresholds) {
    const ThresholdEvidence& t = model.*member;
    writer.add<float>(fmt::format("evidence.{}.positives", name), {t.positives.size()},
                      t.positives);
    writer.add<float>(fmt::format("evidence.{}.negatives", name), {t.negatives.size()},
                      t.negatives);
  }
  return writer;
}

// Shapes that fit together and numbers that a calibration can have given.
Result<void> check_content(const Model& model, const std::string& path) {
  const std::size_t d = model.dimension, k = model.known_classes();
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what),
                 "the file is damaged; calibrate again"};
  };
  if (d < 2 || k < 3 || model.mean.size() != d || model.deviation.size() != d ||
      model.references.size() != k * d || model.class_sizes.size() != k) {
    return damaged(fmt::format("its tensors do not fit {} classes of dimension {}", k, d));
  }
  const auto finite = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](auto x) { return std::isfinite(x); });
  };
  if (!finite(model.mean) || !finite(model.deviation) || !finite(model.references) ||
      *std::min_element(model.deviation.begin(), model.deviation.end()) <= 0) {
    return damaged("its statistics or references are not proper numbers");
  }
  if (*std::min_element(model.class_sizes.begin(), model.class_sizes.end()) < 1) {
    return damaged("it has a class without samples");
  }
  return {};
}

}  // namespace

std::string Model::fingerprint() const {
  return fmt::format("{}x{}-{}", known_classes(), dimension, artifact_of(*this).checksum());
}

Result<void> save_model(const Model& model, const std::string& path) {
  return artifact_of(model).write(path);
}

Result<Model> load_model(const std::string& path) {
  PACO_ASSIGN(const SafetensorsFile file, open_artifact(path, kKind, kVersion));
  PACO_ASSIGN(const std::string settings, artifact_entry(file, "model"));
  Model model;
  try {
    settings_from(Json::parse(settings), model);
  } catch (const nlohmann::json::exception& e) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: its settings cannot be read: {}", path, e.what()),
                 "the file is damaged; calibrate again"};
  }
  PACO_ASSIGN(model.mean, file.read<double>("mean"));
  PACO_ASSIGN(model.deviation, file.read<double>("deviation"));
  PACO_ASSIGN(model.references, file.read<float>("references"));
  PACO_ASSIGN(model.class_sizes, file.read<std::int64_t>("class_sizes"));
  for (const auto& [name, member] : kThresholds) {
    ThresholdEvidence& t = model.*member;
    PACO_ASSIGN(t.positives, file.read<float>(fmt::format("evidence.{}.positives", name)));
    PACO_ASSIGN(t.negatives, file.read<float>(fmt::format("evidence.{}.negatives", name)));
  }
  PACO_TRY(check_content(model, path));
  return model;
}

}  // namespace paco
