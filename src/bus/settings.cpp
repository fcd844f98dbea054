#include "bus/settings.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bus/store.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSettingsVersion = 1;

Json json_of(const StreamSettings& s) {
  return {{"version", kSettingsVersion},
          {"stream", s.name},
          {"method", s.method},
          {"model", s.model},
          {"dimension", s.dimension},
          {"known", s.known},
          {"digest_every", s.digest_every},
          {"snapshot_every", s.snapshot_every},
          {"embeddings", s.embeddings ? Json(*s.embeddings) : Json()}};
}

Result<StreamSettings> settings_from(const std::string& text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  const auto whole = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_number_unsigned();
  };
  const auto word = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string();
  };
  if (!whole("version") || json["version"] != kSettingsVersion || !word("method") ||
      !word("model") || !whole("dimension") || !whole("known") || !whole("digest_every") ||
      json["digest_every"] == 0 || !whole("snapshot_every")) {
    return Error{
        ErrorCode::bad_format,
        fmt::format("the settings of stream '{}' on the bus are none of this version", name),
        "run the same version of paco everywhere"};
  }
  StreamSettings s;
  s.name = name;
  s.method = json["method"].get<std::string>();
  s.model = json["model"].get<std::string>();
  s.dimension = json["dimension"].get<std::uint64_t>();
  s.known = json["known"].get<std::uint64_t>();
  s.digest_every = json["digest_every"].get<std::uint64_t>();
  s.snapshot_every = json["snapshot_every"].get<std::uint64_t>();
  if (whole("embeddings")) s.embeddings = json["embeddings"].get<std::uint64_t>();
  return s;
}

Result<void> make_part(const Connection& connection, const std::string& name, Part part,
                       const StoreLimits& limits, const std::stop_token& stop) {
  const std::string stream = jetstream_of(name, part);
  const std::string subject = subject_of(name, part) + (part == Part::files ? ".>" : "");
  const char* subjects[] = {subject.c_str()};
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  config.Name = stream.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Retention = part == Part::raw ? js_WorkQueuePolicy : js_LimitsPolicy;
  config.Discard = js_DiscardNew;  // refuse messages when full; never remove stored ones
  config.Storage = js_FileStorage;
  config.Replicas = static_cast<std::int64_t>(limits.replicas);
  config.Duplicates = static_cast<std::int64_t>(limits.window_s) * kSecond;
  if (part == Part::events && limits.max_bytes > 0)
    config.MaxBytes = static_cast<std::int64_t>(limits.max_bytes);
  return connection.retry(fmt::format("making {}", stream), stop, [&](jsErrCode* code) {
    natsStatus status = js_AddStream(nullptr, connection.js(), &config, nullptr, code);
    if (status != NATS_OK && *code == JSStreamNameExistErr)
      status = js_UpdateStream(nullptr, connection.js(), &config, nullptr, code);
    return status;
  });
}

}  // namespace

Result<StreamSettings> read_settings(const Connection& connection, const std::string& name,
                                     const std::stop_token& stop) {
  PACO_TRY(check_stream_name(name));
  PACO_ASSIGN(const auto bucket, Bucket::find(connection, kSettingsBucket, stop));
  std::optional<Bucket::Entry> entry;
  if (bucket) {
    PACO_ASSIGN(entry, bucket->get(name, stop));
  }
  if (!entry) {
    return Error{
        ErrorCode::not_found,
        fmt::format("there is no stream '{}' on the bus at {}", name, connection.servers()),
        "'paco bus init' makes one, 'paco bus status' lists those that are there"};
  }
  return settings_from(entry->value, name);
}

Result<std::vector<std::string>> stream_names(const Connection& connection,
                                              const std::stop_token& stop) {
  PACO_ASSIGN(const auto bucket, Bucket::find(connection, kSettingsBucket, stop));
  if (!bucket) return std::vector<std::string>();
  return bucket->keys(stop);
}

Result<bool> init(const std::shared_ptr<Connection>& connection, const StreamSettings& settings,
                  const StoreLimits& limits, const Model& model, const std::stop_token& stop) {
  PACO_TRY(check_stream_name(settings.name));
  const Result<StreamSettings> there = read_settings(*connection, settings.name, stop);
  if (!there.ok() && there.error().code != ErrorCode::not_found) return there.error();
  if (there.ok() && there->model != settings.model) {
    return Error{ErrorCode::mismatch,
                 fmt::format("stream '{}' is on the bus with another model: {}, this one is {}",
                             settings.name, there->model, settings.model),
                 "give that model, or another name"};
  }
  for (const Part part : kParts)
    PACO_TRY(make_part(*connection, settings.name, part, limits, stop));
  PACO_ASSIGN(const Bucket bucket,
              Bucket::make(*connection, kSettingsBucket, limits.replicas, 0, stop));
  PACO_TRY(Bucket::make(*connection, kOwnersBucket, limits.replicas, kLeaseSeconds, stop));
  if (there.ok()) return false;
  PACO_ASSIGN(const std::vector<std::byte> bytes, model_to_bytes(model));
  PACO_TRY(put_file(connection, settings.name, "model", {}, bytes, stop));
  PACO_TRY(bucket.create(settings.name, json_of(settings).dump(), stop));
  return true;
}

Result<std::shared_ptr<const Model>> fetch_model(const std::shared_ptr<Connection>& connection,
                                                 const StreamSettings& settings,
                                                 const std::stop_token& stop) {
  const std::string name = fmt::format("the model of stream '{}' on the bus", settings.name);
  PACO_ASSIGN(auto file, get_file(connection, settings.name, "model", stop));
  if (!file) {
    return Error{ErrorCode::not_found, fmt::format("{} is not there", name),
                 "run 'paco bus init' again"};
  }
  PACO_ASSIGN(Model model, model_from_bytes(std::move(file->bytes), name));
  if (model.fingerprint() != settings.model) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("{} is {}, its settings say {}", name, model.fingerprint(), settings.model),
        "another program writes there; make the stream anew under another name"};
  }
  return std::shared_ptr<const Model>(std::make_shared<Model>(std::move(model)));
}

}  // namespace paco::bus
