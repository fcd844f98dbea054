#include "train/checkpoint.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/safetensors.hpp"

namespace paco::train {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "paco-checkpoint-1";

std::vector<std::uint64_t> shape_of(const torch::Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}

// The first setting in which two runs differ, in words; both are JSON objects, possibly of objects.
std::string first_difference(const Json& stored, const Json& now, const std::string& prefix) {
  for (const auto& [key, value] : now.items()) {
    const auto name = prefix.empty() ? key : prefix + "." + key;
    if (!stored.contains(key)) return fmt::format("it has no {}", name);
    if (stored[key] == value) continue;
    if (value.is_object() && stored[key].is_object())
      return first_difference(stored[key], value, name);
    return fmt::format("its {} is {}, this run's is {}", name, stored[key].dump(), value.dump());
  }
  return "it has settings that this version does not know";
}

}  // namespace

std::string checkpoint_path(const std::string& folder) {
  return folder + "/checkpoint.safetensors";
}

Result<void> save_checkpoint(const std::string& folder, const Checkpoint& checkpoint,
                             const std::vector<Parameter>& state) {
  std::vector<torch::Tensor> host;  // keeps the bytes alive until they are written
  io::SafetensorsWriter writer;
  for (const auto& item : state) {
    host.push_back(item.value.detach().to(torch::kCPU, torch::kFloat32).contiguous());
    writer.add(item.name, shape_of(host.back()),
               std::span<const float>(host.back().data_ptr<float>(),
                                      static_cast<std::size_t>(host.back().numel())));
  }
  Json json;
  json["format"] = kFormat;
  json["epoch"] = checkpoint.epoch;
  json["steps"] = checkpoint.steps;
  json["run"] = Json::parse(checkpoint.run);
  json["metrics"] = metrics_csv(checkpoint.metrics);
  writer.set_metadata("paco.checkpoint", json.dump());
  auto written = writer.write(checkpoint_path(folder));
  if (written.ok()) return {};
  auto error = written.error();
  error.hint =
      checkpoint.epoch > 1
          ? fmt::format(
                "the checkpoint of epoch {} is still there: make room, then continue with --resume",
                checkpoint.epoch - 1)
          : std::string("make room, then start again");
  return error;
}

Result<Checkpoint> load_checkpoint(const std::string& folder, const std::string& expected_run,
                                   const std::vector<Parameter>& state) {
  const auto path = checkpoint_path(folder);
  if (core::path_kind(path) == core::PathKind::absent) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: there is no checkpoint to resume from", path),
                 "leave --resume out to start from the beginning"};
  }
  PACO_ASSIGN(const auto file, io::SafetensorsFile::open(path));
  const auto found = file.metadata().find("paco.checkpoint");
  const auto json =
      found == file.metadata().end() ? Json() : Json::parse(found->second, nullptr, false);
  if (!json.is_object() || json.value("format", "") != kFormat || !json.contains("run") ||
      !json.contains("metrics") || !json["metrics"].is_string()) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: not a checkpoint that this version wrote", path),
                 "leave --resume out to start from the beginning"};
  }
  if (json["run"] != Json::parse(expected_run)) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} belongs to another run: {}", path,
                             first_difference(json["run"], Json::parse(expected_run), "")),
                 "resume with the options it was started with, or choose another --out"};
  }
  Checkpoint checkpoint;
  checkpoint.run = expected_run;
  checkpoint.epoch = json.value("epoch", 0);
  checkpoint.steps = json.value("steps", std::uint64_t{0});
  PACO_ASSIGN(checkpoint.metrics, parse_metrics_csv(json["metrics"].get<std::string>(), path));

  torch::NoGradGuard guard;
  for (const auto& item : state) {
    PACO_ASSIGN(const auto* tensor, file.tensor(item.name));
    if (tensor->shape != shape_of(item.value)) {
      return Error{ErrorCode::bad_shape,
                   fmt::format("{}: {} has another shape than the network's", path, item.name),
                   "leave --resume out to start from the beginning"};
    }
    PACO_ASSIGN(const auto values, file.read<float>(item.name));
    auto host = torch::empty(item.value.sizes(), torch::kFloat32);
    std::memcpy(host.data_ptr<float>(), values.data(), values.size() * sizeof(float));
    auto target = item.value;
    target.copy_(host);
  }
  return checkpoint;
}

}  // namespace paco::train
