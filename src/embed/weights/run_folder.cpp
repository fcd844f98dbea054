#include "embed/weights/run_folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/safetensors.hpp"

namespace paco::embed {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kRunKey = "paco.run";
constexpr const char* kWeights = "/weights.safetensors";
constexpr const char* kSettings = "/settings.json";
constexpr const char* kRunHint = "give the folder that paco train wrote";

Error bad_run(const std::string& path, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what), kRunHint};
}

Result<void> check_classifier(const TrainedRun& run, const std::string& origin) {
  for (const NamedTensor& tensor : run.tensors)
    if (tensor.name == "classifier.weight" &&
        (tensor.shape.size() != 2 || tensor.shape[0] != run.class_names.size()))
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: {} class names do not fit the classifier", origin,
                               run.class_names.size()),
                   kRunHint};
  return {};
}

}  // namespace

Result<void> write_run(const std::string& folder, const TrainedRun& run) {
  PACO_TRY(check_classifier(run, folder));
  Json json;
  json["format"] = kFormat;
  json["net"] = Json::parse(spec_to_json(run.net));
  json["class_names"] = run.class_names;
  json["training"] = Json::parse(run.training, nullptr, false);
  if (json["training"].is_discarded())
    return Error{ErrorCode::bad_argument, "the training settings are no JSON", ""};
  // An invalid UTF-8 class name (a folder can have any name) is made readable instead of rejected.
  const auto text = [&](int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
  };
  io::SafetensorsWriter writer;
  writer.set_metadata(kRunKey, text(-1));
  for (const NamedTensor& tensor : run.tensors)
    writer.add(tensor.name, tensor.shape, std::span<const float>(tensor.values));
  PACO_TRY(core::make_folder(folder));
  PACO_TRY(writer.write(folder + kWeights));
  return core::write_file(folder + kSettings, text(2) + "\n");
}

Result<TrainedRun> read_run(const std::string& path) {
  const bool folder = core::path_kind(path) == core::PathKind::folder;
  const std::string weights = folder ? path + kWeights : path;
  if (core::path_kind(weights) != core::PathKind::file)
    return Error{ErrorCode::not_found, fmt::format("{}: there is no trained run", path), kRunHint};
  PACO_ASSIGN(const auto file, io::SafetensorsFile::open(weights));
  const auto found = file.metadata().find(kRunKey);
  if (found == file.metadata().end())
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: these are weights, but not of a run of paco", weights),
                 "for a bare backbone use --encoder NAME --weights FILE"};
  const Json json = Json::parse(found->second, nullptr, false);
  if (!json.is_object() || json.value("format", Json()) != kFormat || !json.contains("net"))
    return bad_run(weights, "its description is damaged, or of a later version of paco");
  TrainedRun run;
  PACO_ASSIGN(run.net, spec_from_json(json["net"].dump(), weights));
  for (const Json& name : json.value("class_names", Json::array())) {
    if (!name.is_string()) return bad_run(weights, "a class name is no text");
    run.class_names.push_back(name.get<std::string>());
  }
  run.training = json.value("training", Json::object()).dump();
  for (const io::TensorView& tensor : file.tensors()) {
    PACO_ASSIGN(auto values, file.read<float>(tensor.name));
    run.tensors.push_back({tensor.name, tensor.shape, std::move(values)});
  }
  PACO_TRY(check_classifier(run, weights));
  return run;
}

}  // namespace paco::embed
