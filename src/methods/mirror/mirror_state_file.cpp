// The state of mirror as a file, and back.
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "io/artifact.hpp"
#include "methods/common/state_file.hpp"
#include "methods/mirror/mirror_rule_method.hpp"
#include "methods/mirror/section.hpp"

namespace paco::methods {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Result<std::vector<std::byte>> MirrorMethod::save(const std::string& note) const {
  return to_bytes(decider_->save(), true, note);
}

Result<std::string> MirrorMethod::digest() const {
  MirrorState state = decider_->save();
  state.next_prototype = state.next_category = 0;  // what was given and taken back does not count
  PACO_ASSIGN(const std::vector<std::byte> bytes, to_bytes(state, false, ""));
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::vector<std::byte>> MirrorMethod::to_bytes(const MirrorState& state, bool with_next,
                                                      const std::string& note) const {
  io::ArtifactWriter writer(kStateKind, kStateVersion);
  if (!note.empty()) writer.set("note", note);
  Json json = {{"samples", samples()},
               {"settings", Json(settings_)},
               {"verdicts", verdicts_},
               {"length", length_}};
  Json& rows = json["categories"] = Json::array();
  for (CategoryId id = 0; id < categories_.next(); ++id) {
    const Category& c = categories_[id];
    if (!c.exists) continue;
    rows.push_back({id, c.name, c.forward, c.retired, c.answered, c.birth, c.prototypes});
  }
  if (with_next) {
    json["next"] = categories_.next();
    json["taken_back"] = taken_back_;
  }
  const MirrorSection own = to_section(state, *mirror_);
  writer.set("method", std::string(name()));
  writer.set("model", model_->fingerprint());
  writer.set("state", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  writer.set("mirror", own.settings);
  for (const auto& [key, tensor] : own.tensors) {
    std::visit([&, &key = key, &shape = tensor.shape]<class T>(
                   const std::vector<T>& values) { writer.add<T>("own/" + key, shape, values); },
               tensor.values);
  }
  return writer.to_bytes();
}

Result<void> MirrorMethod::restore(std::vector<std::byte> bytes, const std::string& file_name) {
  PACO_ASSIGN(const io::SafetensorsFile file,
              io::artifact_from_bytes(std::move(bytes), file_name, kStateKind, kStateVersion));
  PACO_TRY(check_state_owner(file, *this));
  PACO_ASSIGN(const std::string text, io::artifact_entry(file, "state"));
  MirrorSection stored;
  PACO_ASSIGN(stored.settings, io::artifact_entry(file, "mirror"));
  for (const io::TensorView& tensor : file.tensors()) {
    if (!tensor.name.starts_with("own/")) continue;
    SectionTensor& out = stored.tensors[tensor.name.substr(4)];
    out.shape = tensor.shape;
    PACO_ASSIGN(out.values, io::artifact_numbers(file, tensor));
  }
  PACO_ASSIGN(const MirrorState state, state_from_section(stored, *mirror_, file_name));
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", file_name, what),
                 "the file is damaged; use an earlier state"};
  };
  Categories categories(model_->class_names);
  std::set<PrototypeId> taken_back;
  std::array<std::uint64_t, 4> verdicts{};
  double length = 1;
  try {
    const Json json = Json::parse(text);
    const auto next = json.at("next").get<CategoryId>();
    if (next != state.next_category) return damaged("it counts categories in two ways");
    categories.clear_to(next);
    for (const Json& row : json.at("categories")) {
      const auto id = row.at(0).get<CategoryId>();
      if (id < 0 || id >= next) return damaged(fmt::format("there is no category {}", id));
      Category& c = categories.edit(id);
      c.exists = true;
      c.name = row.at(1).get<std::string>();
      c.forward = row.at(2).get<CategoryId>();
      c.retired = row.at(3).get<bool>();
      c.answered = row.at(4).get<std::uint64_t>();
      c.birth = row.at(5).get<std::uint64_t>();
      c.prototypes = row.at(6).get<std::vector<PrototypeId>>();
      if (c.forward < kNoId || c.forward >= next || c.forward == id ||
          !std::is_sorted(c.prototypes.begin(), c.prototypes.end())) {
        return damaged(fmt::format("category {} contradicts itself", id));
      }
    }
    // A chain of merges ends: each step leads to another category, and there are only so many.
    for (CategoryId id = 0; id < next; ++id) {
      CategoryId at = id;
      for (CategoryId steps = 0; categories[at].exists && categories[at].forward != kNoId;
           ++steps) {
        at = categories[at].forward;
        if (steps > next || !categories[at].exists)
          return damaged(fmt::format("category {} forwards to nowhere", id));
      }
    }
    taken_back = json.at("taken_back").get<std::set<PrototypeId>>();
    verdicts = json.at("verdicts").get<std::array<std::uint64_t, 4>>();
    length = json.at("length").get<double>();
    if (json.at("samples").get<std::uint64_t>() != state.samples)
      return damaged("it counts samples in two ways");
  } catch (const nlohmann::json::exception& e) {
    return damaged(fmt::format("its numbers cannot be read: {}", e.what()));
  }
  PACO_TRY(decider_->restore(state));
  shown_ = {};
  categories_ = std::move(categories);
  taken_back_ = std::move(taken_back);
  verdicts_ = verdicts;
  length_ = length;
  recount();
  return {};
}

}  // namespace paco::methods
