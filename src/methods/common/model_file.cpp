// Models on disk: numbers as tensors, settings and thresholds as one JSON text in the metadata. The
// tensors of a method's section are named METHOD/NAME.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/memory_guard.hpp"
#include "core/try.hpp"
#include "io/artifact.hpp"
#include "methods/common/option_names.hpp"
#include "paco/model.hpp"

namespace paco {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 4;
constexpr const char* kKind = "model";

Json to_json(const ReferenceQuality& quality) {
  return {{"available", quality.available},
          {"accuracy", quality.accuracy},
          {"mean_margin", quality.mean_margin}};
}

ReferenceQuality quality_from(const Json& json) {
  return {json.at("available").get<bool>(), json.at("accuracy").get<double>(),
          json.at("mean_margin").get<double>()};
}

ReferenceChoice choice_from(const Json& json) {
  return methods::kReferenceChoices.value(json.get<std::string>())
      .value_or(ReferenceChoice::automatic);
}

// Everything but the tensors.
Json to_json(const Model& model) {
  Json json;
  json["method"] = model.method;
  json["epsilon"] = model.epsilon;
  json["dimension"] = model.dimension;
  json["class_names"] = model.class_names;
  json["reference"] = reference_choice_name(model.reference);
  json["wanted_reference"] = reference_choice_name(model.wanted);
  json["prototype_quality"] = to_json(model.prototype_quality);
  json["classifier_quality"] = to_json(model.classifier_quality);
  Json& sections = json["sections"] = Json::object();
  for (const auto& [name, section] : model.sections) {
    Json& entry = sections[name] = Json::object();
    entry["settings"] = Json(section.settings);
    entry["numbers"] = Json(section.numbers);
    entry["words"] = Json(section.words);
  }
  if (model.embedding) json["embedding"] = Json::parse(embedding_record_to_json(*model.embedding));
  return json;
}

// Throws nlohmann's exceptions on anything unexpected; read_model turns them into an Error.
void settings_from(const Json& json, Model& model) {
  model.method = json.at("method").get<std::string>();
  model.epsilon = json.at("epsilon").get<double>();
  model.dimension = json.at("dimension").get<std::size_t>();
  model.class_names = json.at("class_names").get<std::vector<std::string>>();
  model.reference = choice_from(json.at("reference"));
  model.wanted = choice_from(json.at("wanted_reference"));
  model.prototype_quality = quality_from(json.at("prototype_quality"));
  model.classifier_quality = quality_from(json.at("classifier_quality"));
  for (const auto& [name, entry] : json.at("sections").items()) {
    Section& section = model.sections[name];
    for (const auto& [key, value] : entry.at("settings").items())
      section.settings[key] = value.get<std::string>();
    for (const auto& [key, value] : entry.at("numbers").items())
      section.numbers[key] = value.is_null() ? std::nan("") : value.get<double>();
    for (const auto& [key, value] : entry.at("words").items())
      section.words[key] = value.get<std::string>();
  }
}

io::ArtifactWriter artifact_of(const Model& model) {
  io::ArtifactWriter writer(kKind, kVersion);
  const std::uint64_t d = model.dimension;
  const std::uint64_t k = model.known_classes();
  // A class name that is not UTF-8 must not throw; its wrong bytes become U+FFFD.
  writer.set("model", to_json(model).dump(-1, ' ', false, Json::error_handler_t::replace));
  writer.add<double>("mean", {d}, model.mean);
  writer.add<double>("deviation", {d}, model.deviation);
  writer.add<float>("references", {k, d}, model.references);
  writer.add<std::int64_t>("class_sizes", {k}, model.class_sizes);
  for (const auto& [method, section] : model.sections) {
    for (const auto& [name, tensor] : section.tensors) {
      const std::string full = fmt::format("{}/{}", method, name);
      std::visit([&, &shape = tensor.shape]<class T>(
                     const std::vector<T>& values) { writer.add<T>(full, shape, values); },
                 tensor.values);
    }
  }
  return writer;
}

Result<void> read_section_tensors(const io::SafetensorsFile& file, Model& model) {
  for (const io::TensorView& tensor : file.tensors()) {
    const std::size_t slash = tensor.name.find('/');
    if (slash == std::string::npos) continue;
    const auto section = model.sections.find(tensor.name.substr(0, slash));
    if (section == model.sections.end()) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: tensor '{}' belongs to no section", file.name(), tensor.name),
                   "the file is damaged; calibrate again"};
    }
    Tensor& out = section->second.tensors[tensor.name.substr(slash + 1)];
    out.shape = tensor.shape;
    PACO_ASSIGN(out.values, io::artifact_numbers(file, tensor));
  }
  return {};
}

// Checks that the shapes agree and that a calibration can produce the numbers.
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
  constexpr std::int64_t kMostSamples = std::int64_t{1} << 40;  // of a class; keeps sums exact
  const auto [fewest, most] =
      std::minmax_element(model.class_sizes.begin(), model.class_sizes.end());
  if (*fewest < 1) return damaged("it has a class without samples");
  if (*most > kMostSamples) return damaged("it has a class of impossibly many samples");
  if (model.sections.empty()) return damaged("it was calibrated for no method");
  return {};
}

// Models whose support set came without an embedding record have none.
Result<void> read_record(const Json& json, const std::string& name, Model& model) {
  const auto found = json.find("embedding");
  if (found == json.end()) return {};
  PACO_ASSIGN(model.embedding, embedding_record_from_json(found->dump(), name));
  return {};
}

Result<Model> read_model(const io::SafetensorsFile& file) {
  PACO_ASSIGN(const int version, io::artifact_version(file));
  if (version != kVersion) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: a model of version {}, this program reads version {}",
                             file.name(), version, kVersion),
                 "it was written before the first release; calibrate again"};
  }
  PACO_ASSIGN(const std::string settings, io::artifact_entry(file, "model"));
  Model model;
  try {
    const Json json = Json::parse(settings);
    settings_from(json, model);
    PACO_TRY(read_record(json, file.name(), model));
  } catch (const nlohmann::json::exception& e) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: its settings cannot be read: {}", file.name(), e.what()),
                 "the file is damaged; calibrate again"};
  }
  PACO_ASSIGN(model.mean, file.read<double>("mean"));
  PACO_ASSIGN(model.deviation, file.read<double>("deviation"));
  PACO_ASSIGN(model.references, file.read<float>("references"));
  PACO_ASSIGN(model.class_sizes, file.read<std::int64_t>("class_sizes"));
  PACO_TRY(read_section_tensors(file, model));
  PACO_TRY(check_content(model, file.name()));
  return model;
}

}  // namespace

std::string Model::fingerprint() const {
  return fmt::format("{}x{}-{}", known_classes(), dimension, artifact_of(*this).checksum());
}

Result<void> save_model(const Model& model, const std::string& path) {
  return core::guard_memory("write a model", [&] { return artifact_of(model).write(path); });
}

Result<Model> load_model(const std::string& path) {
  return core::guard_memory("read a model", [&]() -> Result<Model> {
    PACO_ASSIGN(const io::SafetensorsFile file, io::open_artifact(path, kKind, kVersion));
    return read_model(file);
  });
}

Result<std::vector<std::byte>> model_to_bytes(const Model& model) {
  return core::guard_memory("write a model", [&] { return artifact_of(model).to_bytes(); });
}

Result<Model> model_from_bytes(std::vector<std::byte> bytes, const std::string& name) {
  return core::guard_memory("read a model", [&]() -> Result<Model> {
    PACO_ASSIGN(const io::SafetensorsFile file,
                io::artifact_from_bytes(std::move(bytes), name, kKind, kVersion));
    return read_model(file);
  });
}

}  // namespace paco
