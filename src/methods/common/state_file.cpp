#include "methods/common/state_file.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/try.hpp"
#include "io/artifact.hpp"

namespace paco::methods {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOwn = "own/";
constexpr const char* kNote = "note";
// Largest number of ids that are missing in the file. It exceeds the number of categories that
// users create and undo; dropped candidates are not counted.
constexpr std::int64_t kMostGaps = 1 << 16;

Json settings_json(const Settings& settings) { return Json(settings); }

// The tensors of categories and prototypes, kept until the file is written.
struct Columns {
  std::vector<std::int64_t> category_id, forward, retired, answered, category_birth, owned,
      owned_count;
  std::vector<std::int64_t> prototype_id, members, counted, prototype_birth, promoted;
};

Columns columns_of(const methods::State& state) {
  Columns c;
  for (CategoryId id = 0; id < state.categories.next(); ++id) {
    const Category& category = state.categories[id];
    if (!category.exists) continue;
    c.category_id.push_back(id);
    c.forward.push_back(category.forward);
    c.retired.push_back(category.retired);
    c.answered.push_back(static_cast<std::int64_t>(category.answered));
    c.category_birth.push_back(static_cast<std::int64_t>(category.birth));
    c.owned_count.push_back(static_cast<std::int64_t>(category.prototypes.size()));
    c.owned.insert(c.owned.end(), category.prototypes.begin(), category.prototypes.end());
  }
  for (std::size_t i = 0; i < state.prototypes.size(); ++i) {
    const auto id = static_cast<PrototypeId>(i);
    const PrototypeRecord& record = state.prototypes[id];
    if (record.gone()) continue;
    c.prototype_id.push_back(id);
    c.members.push_back(record.members);
    c.counted.push_back(record.counted);
    c.prototype_birth.push_back(static_cast<std::int64_t>(record.birth));
    c.promoted.push_back(record.promoted);
  }
  return c;
}

Result<std::vector<std::byte>> write(const methods::State& state, const Method& method,
                                     bool with_next, const std::string& note) {
  io::ArtifactWriter writer(methods::kStateKind, methods::kStateVersion);
  if (!note.empty()) writer.set(kNote, note);
  Json json;
  json["samples"] = state.samples;
  json["settings"] = settings_json(method.settings());
  json["numbers"] = Json(state.own.numbers);
  Json& names = json["names"] = Json::object();
  for (CategoryId id = 0; id < state.categories.next(); ++id) {
    const Category& category = state.categories[id];
    if (category.exists && !category.name.empty()) names[std::to_string(id)] = category.name;
  }
  if (with_next) {
    Json taken_back = Json::array();
    for (std::size_t i = 0; i < state.prototypes.size(); ++i) {
      if (!state.prototypes[static_cast<PrototypeId>(i)].exists) taken_back.push_back(i);
    }
    json["next"] = {{"category", state.categories.next()},
                    {"prototype", state.prototypes.size()},
                    {"taken_back", std::move(taken_back)}};
  }
  writer.set("method", std::string(method.name()));
  writer.set("model", method.model().fingerprint());
  writer.set("state", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  const Columns c = columns_of(state);
  const auto add = [&](const char* name, const std::vector<std::int64_t>& values) {
    writer.add<std::int64_t>(name, {values.size()}, values);
  };
  add("category.id", c.category_id);
  add("category.forward", c.forward);
  add("category.retired", c.retired);
  add("category.answered", c.answered);
  add("category.birth", c.category_birth);
  add("category.prototypes", c.owned);
  add("category.prototype_counts", c.owned_count);
  add("prototype.id", c.prototype_id);
  add("prototype.members", c.members);
  add("prototype.counted", c.counted);
  add("prototype.birth", c.prototype_birth);
  add("prototype.promoted", c.promoted);
  for (const auto& [name, tensor] : state.own.tensors) {
    std::visit([&, &name = name, &shape = tensor.shape]<class T>(
                   const std::vector<T>& values) { writer.add<T>(kOwn + name, shape, values); },
               tensor.values);
  }
  return writer.to_bytes();
}

// Reading: every number is checked before it is used as an index.
class Reader {
 public:
  Reader(const io::SafetensorsFile& file, const Method& method, bool candidates)
      : file_(file), method_(method), candidates_(candidates) {}

  Result<methods::State> read() {
    methods::State state;
    PACO_ASSIGN(const std::string text, io::artifact_entry(file_, "state"));
    Json json;
    CategoryId next_category = 0;
    PrototypeId next_prototype = 0;
    try {
      json = Json::parse(text);
      state.samples = json.at("samples").get<std::uint64_t>();
      next_category = json.at("next").at("category").get<CategoryId>();
      next_prototype = json.at("next").at("prototype").get<PrototypeId>();
      taken_back_ = json.at("next").at("taken_back").get<std::set<PrototypeId>>();
      for (const auto& [name, value] : json.at("numbers").items())
        state.own.numbers[name] = value.is_null() ? kNotComputed : value.get<double>();
      for (const auto& [name, value] : json.at("settings").items())
        given_[name] = value.get<std::string>();
    } catch (const nlohmann::json::exception& e) {
      return damaged(fmt::format("its numbers cannot be read: {}", e.what()));
    }
    PACO_TRY(check_settings());
    PACO_TRY(read_prototypes(state, next_prototype));
    PACO_TRY(read_categories(state, json, next_category));
    for (const io::TensorView& tensor : file_.tensors()) {
      if (!tensor.name.starts_with(kOwn)) continue;
      Tensor& out = state.own.tensors[tensor.name.substr(std::string_view(kOwn).size())];
      out.shape = tensor.shape;
      PACO_ASSIGN(out.values, io::artifact_numbers(file_, tensor));
    }
    return state;
  }

 private:
  Error damaged(const std::string& what) const {
    return {ErrorCode::bad_format, fmt::format("{}: {}", file_.name(), what),
            "the file is damaged; use an earlier state"};
  }

  Result<void> check_settings() const {
    if (given_ == method_.settings()) return {};
    std::string options;
    for (const auto& [name, value] : given_) options += fmt::format(" --set {}={}", name, value);
    return Error{
        ErrorCode::mismatch,
        fmt::format("{}: made with other options of method '{}'", file_.name(), method_.name()),
        options.empty() ? "resume without --set" : "resume with" + options};
  }

  Result<std::vector<std::int64_t>> column(const char* name, std::size_t size, std::int64_t low,
                                           std::int64_t high) const {
    PACO_ASSIGN(std::vector<std::int64_t> values, file_.read<std::int64_t>(name));
    if (values.size() != size) return damaged("its tensors do not fit together");
    for (const std::int64_t value : values) {
      if (value < low || value > high)
        return damaged(fmt::format("'{}' has the impossible value {}", name, value));
    }
    return values;
  }

  Result<void> read_prototypes(methods::State& state, PrototypeId next) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 48;
    const Model& model = method_.model();
    const auto known = static_cast<PrototypeId>(model.known_classes());
    const auto samples = static_cast<std::int64_t>(state.samples);
    if (state.samples > static_cast<std::uint64_t>(kMost) || next < known || next > kMost)
      return damaged("it counts an impossible number of samples");
    PACO_ASSIGN(const std::vector<std::int64_t> ids, file_.read<std::int64_t>("prototype.id"));
    const std::size_t n = ids.size();
    if (static_cast<std::int64_t>(n) > next) return damaged("it has too many prototypes");
    constexpr std::int64_t kMostDropped = std::int64_t{1} << 28;
    const std::int64_t gaps = kMostGaps + (candidates_ ? std::min(samples, kMostDropped) : 0);
    if (next - static_cast<std::int64_t>(n) > gaps) return damaged("it has too few prototypes");
    if (!candidates_ &&
        next - static_cast<std::int64_t>(n) != static_cast<std::int64_t>(taken_back_.size()))
      return damaged("prototypes are missing");
    PACO_ASSIGN(const auto members, column("prototype.members", n, 0, kMost));
    PACO_ASSIGN(const auto counted, column("prototype.counted", n, 0, samples));
    PACO_ASSIGN(const auto births, column("prototype.birth", n, 0, samples));
    PACO_ASSIGN(const auto promoted, column("prototype.promoted", n, 0, 1));
    PrototypeId expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (ids[i] < expected || ids[i] >= next || (ids[i] != expected && expected < known))
        return damaged(fmt::format("prototype {} is out of order", ids[i]));
      for (; expected < ids[i]; ++expected) add_gone(state);
      ++expected;
      methods::PrototypeRecord record;
      record.support = ids[i] < known;
      record.members = members[i];
      record.counted = counted[i];
      record.birth = static_cast<std::uint64_t>(births[i]);
      record.promoted = promoted[i] != 0;
      const std::int64_t most =
          record.support ? model.class_sizes[static_cast<std::size_t>(ids[i])] : samples;
      if (record.members > most || (record.support && (record.members != most || record.promoted)))
        return damaged(fmt::format("prototype {} has an impossible size", ids[i]));
      state.prototypes.add(record);
    }
    for (; expected < next; ++expected) add_gone(state);
    return {};
  }

  void add_gone(State& state) const {
    methods::PrototypeRecord gone;
    gone.exists = !taken_back_.contains(static_cast<PrototypeId>(state.prototypes.size()));
    state.prototypes.add(gone);
  }

  Result<void> read_categories(State& state, const Json& json, CategoryId next) const {
    const auto known = static_cast<CategoryId>(method_.model().known_classes());
    const auto samples = static_cast<std::int64_t>(state.samples);
    const auto prototypes = static_cast<std::int64_t>(state.prototypes.size());
    PACO_ASSIGN(const std::vector<std::int64_t> ids, file_.read<std::int64_t>("category.id"));
    const std::size_t n = ids.size();
    if (next < known || static_cast<std::int64_t>(n) > next ||
        next - static_cast<std::int64_t>(n) > kMostGaps)
      return damaged("it has an impossible number of categories");
    PACO_ASSIGN(const auto forward, column("category.forward", n, -1, next - 1));
    PACO_ASSIGN(const auto retired, column("category.retired", n, 0, 1));
    PACO_ASSIGN(const auto answered, column("category.answered", n, 0, samples));
    PACO_ASSIGN(const auto births, column("category.birth", n, 0, samples));
    PACO_ASSIGN(const auto counts, column("category.prototype_counts", n, 0, prototypes));
    std::int64_t total = 0;
    for (const std::int64_t count : counts) total += count;
    PACO_ASSIGN(const auto owned,
                column("category.prototypes", static_cast<std::size_t>(total), 0, prototypes - 1));
    Categories categories(method_.model().class_names);
    categories.clear_to(next);
    std::int64_t last = -1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (ids[i] <= last || ids[i] >= next)
        return damaged(fmt::format("category {} is out of order", ids[i]));
      last = ids[i];
      Category& category = categories.edit(ids[i]);
      category.exists = true;
      category.forward = forward[i];
      category.retired = retired[i] != 0;
      category.answered = static_cast<std::uint64_t>(answered[i]);
      category.birth = static_cast<std::uint64_t>(births[i]);
      for (std::int64_t j = 0; j < counts[i]; ++j) {
        const PrototypeId p = owned[at++];
        if (!state.prototypes[p].exists || state.prototypes[p].owner != kNoId)
          return damaged(fmt::format("prototype {} has no owner or several", p));
        state.prototypes.edit(p).owner = ids[i];
        state.prototypes.edit(p).retired = category.retired;
        category.prototypes.push_back(p);
      }
      if (!std::is_sorted(category.prototypes.begin(), category.prototypes.end()))
        return damaged(fmt::format("category {} owns prototypes out of order", ids[i]));
    }
    // Checks merges: every chain must end at an existing category.
    for (std::size_t i = 0; i < n; ++i) {
      CategoryId c = ids[i];
      for (std::size_t steps = 0; categories[c].forward != kNoId; ++steps) {
        c = categories[c].forward;
        if (steps > n || !categories[c].exists)
          return damaged(fmt::format("category {} forwards to nowhere", ids[i]));
      }
    }
    PACO_TRY(check_owners(state, categories));
    try {
      for (const auto& [id, name] : json.at("names").items()) {
        const CategoryId c = std::stoll(id);
        if (!categories.has(c)) return damaged(fmt::format("category {} is named, not there", id));
        categories.edit(c).name = name.get<std::string>();
      }
    } catch (const std::exception&) {
      return damaged("its names cannot be read");
    }
    state.prototypes.recount();
    state.categories = std::move(categories);
    return {};
  }

  // Checks that each sample was answered once and belongs to one prototype, and that every
  // competing prototype has an owner.
  Result<void> check_owners(const methods::State& state, const Categories& categories) const {
    std::uint64_t held = 0, answered = 0;
    for (std::size_t i = 0; i < state.prototypes.size(); ++i) {
      const methods::PrototypeRecord& record = state.prototypes[static_cast<PrototypeId>(i)];
      if (!record.exists) continue;
      held += static_cast<std::uint64_t>(record.counted + (record.support ? 0 : record.members));
      if (record.owner == kNoId && record.competing() &&
          !(candidates_ && record.candidate() && record.size() == 1 && !record.promoted))
        return damaged(fmt::format("prototype {} has no owner", i));
    }
    // No prototype holds the sample of a dropped candidate.
    if (candidates_ ? held > state.samples : held != state.samples)
      return damaged(fmt::format("it counts {} samples but holds {}", state.samples, held));
    for (CategoryId id = 0; id < categories.next(); ++id) {
      const Category& category = categories[id];
      answered += category.answered;
      if (category.forward != kNoId && !category.prototypes.empty())
        return damaged(fmt::format("category {} was merged away and owns prototypes", id));
    }
    if (answered != state.samples) return damaged("its answers do not add up");
    return {};
  }

  const io::SafetensorsFile& file_;
  const Method& method_;
  bool candidates_;
  Settings given_;
  std::set<PrototypeId> taken_back_;
};

}  // namespace

Result<std::vector<std::byte>> state_to_bytes(const State& state, const Method& method,
                                              const std::string& note) {
  return write(state, method, true, note);
}

}  // namespace paco::methods

namespace paco {

Result<std::string> state_note(std::span<const std::byte> state, const std::string& name) {
  PACO_ASSIGN(const io::SafetensorsFile file,
              io::artifact_from_bytes({state.begin(), state.end()}, name, methods::kStateKind,
                                      methods::kStateVersion));
  const auto found = file.metadata().find(methods::kNote);
  return found == file.metadata().end() ? std::string() : found->second;
}

}  // namespace paco

namespace paco::methods {

Result<std::string> state_digest(const State& state, const Method& method) {
  PACO_ASSIGN(const std::vector<std::byte> bytes, write(state, method, false, ""));
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

namespace {

// Checks that the file is of this version, method and model, and that the method has decided
// nothing yet.
Result<void> check_state_owner(const io::SafetensorsFile& file, const Method& method) {
  PACO_ASSIGN(const int version, io::artifact_version(file));
  if (version != kStateVersion) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: a state of version {}, this program reads version {}",
                             file.name(), version, kStateVersion),
                 "it was written before the first release; decide the stream again"};
  }
  if (method.samples() > 0) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("this method has already decided on {} samples", method.samples()),
                 "restore a state into a new method"};
  }
  PACO_ASSIGN(const std::string made_by, io::artifact_entry(file, "method"));
  PACO_ASSIGN(const std::string model, io::artifact_entry(file, "model"));
  if (made_by != method.name()) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("{}: a state of method '{}', not of '{}'", file.name(), made_by, method.name()),
        fmt::format("resume with --method {}", made_by)};
  }
  if (model != method.model().fingerprint()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: made with model {}, this one is {}", file.name(), model,
                             method.model().fingerprint()),
                 "resume with the model that the state was made with"};
  }
  return {};
}

}  // namespace

Result<State> state_from_bytes(std::vector<std::byte> bytes, const std::string& name,
                               const Method& method, bool candidates) {
  PACO_ASSIGN(const io::SafetensorsFile file,
              io::artifact_from_bytes(std::move(bytes), name, kStateKind, kStateVersion));
  PACO_TRY(check_state_owner(file, method));
  return Reader(file, method, candidates).read();
}

}  // namespace paco::methods
