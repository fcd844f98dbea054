#include "discover/mirror_method.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "data/artifact.hpp"
#include "discover/state_file.hpp"
#include "mirror/engine.hpp"
#include "mirror/section.hpp"
#include "sphere/standardise.hpp"

namespace paco {
namespace {

using Json = nlohmann::ordered_json;

enum Field : std::size_t {
  kKnownCosine,
  kVisibleCosine,
  kRunnerUpCosine,
  kLength,
  kConfident,
  kAtOnce,
  kCandidates,
};

constexpr int kVersion = 2;  // of the kind "state"

class MirrorMethod final : public Method, private Editor {
 public:
  MirrorMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
               std::shared_ptr<const MirrorModel> mirror, const MethodOptions& options)
      : info_(info),
        model_(std::move(model)),
        mirror_(std::move(mirror)),
        settings_(options.settings),
        engine_(mirror_, static_cast<unsigned>(options.threads)),
        categories_(model_->class_names),
        counted_(model_->known_classes(), 0),
        known_(model_->known_classes(), 1) {}

  const MethodInfo& info() const override { return info_; }
  const Model& model() const override { return *model_; }
  const Settings& settings() const override { return settings_; }
  std::uint64_t samples() const override { return engine_.samples(); }
  const Categories& categories() const override { return categories_; }
  PrototypeId next_prototype() const override { return engine_.next_prototype(); }
  bool is_reference(PrototypeId id) const override { return id < known(); }
  Editor& editor() override { return *this; }

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) override {
    decided_.resize(decisions.size());
    births_.clear();
    PACO_TRY(engine_.decide_block(embeddings, decided_, births_));
    std::size_t birth = 0;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      const MirrorDecision& from = decided_[i];
      bool born = false;
      for (; birth < births_.size() && births_[birth].sequence <= from.sequence; ++birth) {
        born = born || births_[birth].category == from.category;
        categories_.open(births_[birth].prototype, births_[birth].sequence);
        known_.push_back(0);
        ++discovered_;
      }
      decisions[i] = told(from, born);
    }
    return {};
  }

  std::optional<Error> check(std::span<const double> embedding) const override {
    return sample_fault(embedding, model_->mean, model_->deviation);
  }

  Prototype prototype(PrototypeId id) const override {
    Prototype out;
    if (id < known()) {
      const auto k = static_cast<std::size_t>(id);
      out.owner = owner(id);
      out.reference = true;
      out.competing = engine_.reference_competes(id);
      out.members = model_->class_sizes[k];
      out.counted = counted_[k];
      return out;
    }
    const auto facts = engine_.facts(id);
    out.competing = facts && facts->competing;
    if (!facts) return out;
    out.owner = facts->category;
    out.members = facts->members;
    out.resultant_length = facts->length / static_cast<double>(facts->members);
    return out;
  }

  std::shared_ptr<const MemoryView> view() override {
    auto view = std::make_shared<MemoryView>();
    view->samples = samples();
    view->categories = categories_.share();
    for (PrototypeId id = 0; id < next_prototype(); ++id) view->prototypes.push_back(prototype(id));
    view->discovered = discovered_;
    for (CategoryId id = 0; id < categories_.next(); ++id)
      view->known += is_known(id) && categories_.is_live(id);
    return view;
  }

  std::vector<Figure> figures() const override {
    const double length = length_;
    return {{"threshold", threshold_at(*mirror_, length)},
            {"samples_per_class", length},
            {"candidates", static_cast<double>(engine_.candidates()), true},
            {"verdicts.known", static_cast<double>(verdicts_[0]), true},
            {"verdicts.existing", static_cast<double>(verdicts_[1]), true},
            {"verdicts.created", static_cast<double>(verdicts_[2]), true},
            {"verdicts.tentative", static_cast<double>(verdicts_[3]), true}};
  }

  std::string explain(const Decision& d) const override {
    const std::string name = categories_.name(d.category);
    const std::string needed = fmt::format("{:.2f} is needed after about {:.0f} samples a class",
                                           d.threshold, d.evidence[kLength]);
    switch (d.verdict) {
      case Verdict::tentative:
        return fmt::format(
            "Sample {} is answered with '{}', the closest there is: cosine {:.2f} with its best "
            "prototype, {}; it is remembered apart, as candidate {}.",
            d.sequence, name, d.score, needed, d.prototype);
      case Verdict::created:
        return fmt::format("Sample {} starts '{}': cosine {:.2f} with its best prototype, {}.",
                           d.sequence, name, d.score, needed);
      default:
        return fmt::format("Sample {} belongs to {} '{}': cosine {:.2f}, {}.", d.sequence,
                           d.verdict == Verdict::known ? "known class" : "the earlier", name,
                           d.score, needed);
    }
  }

  using Method::restore;
  Result<std::vector<std::byte>> save(const std::string& note) const override {
    return to_bytes(engine_.save(), true, note);
  }
  Result<std::string> digest() const override {
    MirrorState state = engine_.save();
    state.next_category = 0;  // ids that were given and taken back do not count
    PACO_ASSIGN(const std::vector<std::byte> bytes, to_bytes(state, false, ""));
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }
  Result<void> restore(std::vector<std::byte> bytes, const std::string& name) override;

 private:
  PrototypeId known() const { return static_cast<PrototypeId>(model_->known_classes()); }
  bool is_known(CategoryId id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  CategoryId owner(PrototypeId reference) const {
    for (CategoryId id = 0; id < categories_.next(); ++id) {
      const auto& owned = categories_[id].prototypes;
      if (std::binary_search(owned.begin(), owned.end(), reference)) return id;
    }
    return kNobody;
  }

  Decision told(const MirrorDecision& from, bool born) {
    Decision d;
    d.sequence = from.sequence;
    d.category = from.category;
    d.prototype = from.prototype;
    d.counted = from.prototype >= 0 && from.prototype < known();
    d.verdict = from.verdict == MirrorVerdict::tentative ? Verdict::tentative
                : born                                   ? Verdict::created
                : is_known(d.category)                   ? Verdict::known
                                                         : Verdict::existing;
    d.score = from.cosine;
    d.threshold = from.threshold;
    d.runner_up = from.runner_up == kNoCategory ? d.category : from.runner_up;
    d.evidence[kKnownCosine] = from.known_cosine;
    d.evidence[kVisibleCosine] = from.visible_cosine;
    d.evidence[kRunnerUpCosine] = from.runner_up_cosine;
    d.evidence[kLength] = from.length;
    d.evidence[kConfident] = static_cast<double>(from.confident);
    d.evidence[kAtOnce] = from.at_once ? 1 : 0;
    d.evidence[kCandidates] = static_cast<double>(from.candidates);
    if (d.counted) ++counted_[static_cast<std::size_t>(d.prototype)];
    ++categories_.edit(d.category).answered;
    ++verdicts_[static_cast<std::size_t>(d.verdict)];
    d.categories_after = discovered_;
    length_ = from.length;
    return d;
  }

  Result<std::vector<std::byte>> to_bytes(const MirrorState& state, bool with_next,
                                          const std::string& note) const;
  void recount();

  // Editor: names, forwards and owners; which prototypes compete.
  Result<void> apply(std::span<const Edit> edits, MemberSource*) override {
    for (const Edit& edit : edits) PACO_TRY(apply(edit));
    recount();
    return {};
  }
  Result<void> apply(const Edit& edit);
  PrototypeRole role(PrototypeId id) const override {
    if (id < 0 || id >= next_prototype()) return {};
    const Prototype p = prototype(id);
    return {p.owner,  id < known() || p.members > 0, id < known(), false, p.competing, p.members,
            p.counted};
  }
  Result<double> cosine(PrototypeId, std::span<const double>) const override {
    return Error{ErrorCode::unsupported, "method 'mirror' moves samples by itself", ""};
  }
  std::vector<float> direction(PrototypeId) const override { return {}; }
  std::vector<float> reference_row(PrototypeId) const override { return {}; }

  const MethodInfo& info_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const MirrorModel> mirror_;
  Settings settings_;
  MirrorEngine engine_;
  Categories categories_;
  std::vector<std::int64_t> counted_;  // stream samples of every known class
  std::vector<std::uint8_t> known_;    // by category: it owns a reference
  std::size_t discovered_ = 0;
  std::array<std::uint64_t, 4> verdicts_{};
  double length_ = 1;
  std::vector<MirrorDecision> decided_;
  std::vector<MirrorBirth> births_;
};

void MirrorMethod::recount() {
  known_.assign(static_cast<std::size_t>(categories_.next()), 0);
  discovered_ = 0;
  for (CategoryId id = 0; id < categories_.next(); ++id) {
    for (const PrototypeId p : categories_[id].prototypes)
      if (p < known()) known_[static_cast<std::size_t>(id)] = 1;
    discovered_ += categories_.is_live(id) && !is_known(id);
  }
}

Result<void> MirrorMethod::apply(const Edit& edit) {
  switch (edit.cell) {
    case Edit::Cell::category:
      if (edit.id == categories_.next()) categories_.add({});
      categories_.edit(edit.id) = {};
      categories_.edit(edit.id).exists = edit.to != 0;
      if (edit.to != 0) categories_.edit(edit.id).birth = edit.birth;
      return {};
    case Edit::Cell::name:
      categories_.edit(edit.id).name = edit.to_text;
      return {};
    case Edit::Cell::forward:
      categories_.edit(edit.id).forward = edit.to;
      return {};
    case Edit::Cell::retired:
      categories_.edit(edit.id).retired = edit.to != 0;
      for (const PrototypeId p : categories_[edit.id].prototypes) {
        if (p < known() || engine_.facts(p)) PACO_TRY(engine_.set_competing(p, edit.to == 0));
      }
      return {};
    case Edit::Cell::owner: {
      if (edit.from != kNobody) std::erase(categories_.edit(edit.from).prototypes, edit.id);
      auto& owned = categories_.edit(edit.to).prototypes;
      owned.insert(std::lower_bound(owned.begin(), owned.end(), edit.id), edit.id);
      if (edit.id < known() || engine_.facts(edit.id))
        return engine_.set_category(edit.id, edit.to);
      return {};
    }
    default:
      return Error{ErrorCode::unsupported, "method 'mirror' moves samples by itself", ""};
  }
}

Result<std::vector<std::byte>> MirrorMethod::to_bytes(const MirrorState& state, bool with_next,
                                                      const std::string& note) const {
  ArtifactWriter writer("state", kVersion);
  if (!note.empty()) writer.set("note", note);
  Json json = {{"samples", samples()},
               {"settings", Json(settings_)},
               {"counted", counted_},
               {"verdicts", verdicts_},
               {"length", length_}};
  Json& rows = json["categories"] = Json::array();
  for (CategoryId id = 0; id < categories_.next(); ++id) {
    const Category& c = categories_[id];
    if (!c.exists) continue;
    rows.push_back({id, c.name, c.forward, c.retired, c.answered, c.birth, c.prototypes});
  }
  if (with_next) json["next"] = categories_.next();
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
  PACO_ASSIGN(const SafetensorsFile file,
              artifact_from_bytes(std::move(bytes), file_name, "state", kVersion));
  PACO_TRY(check_state_owner(file, *this));
  PACO_ASSIGN(const std::string text, artifact_entry(file, "state"));
  MirrorSection stored;
  PACO_ASSIGN(stored.settings, artifact_entry(file, "mirror"));
  for (const TensorView& tensor : file.tensors()) {
    if (!tensor.name.starts_with("own/")) continue;
    SectionTensor& out = stored.tensors[tensor.name.substr(4)];
    out.shape = tensor.shape;
    if (tensor.type == ElementType::f64) {
      PACO_ASSIGN(out.values, file.read<double>(tensor.name));
    } else if (tensor.type == ElementType::f32) {
      PACO_ASSIGN(out.values, file.read<float>(tensor.name));
    } else {
      PACO_ASSIGN(out.values, file.read<std::int64_t>(tensor.name));
    }
  }
  PACO_ASSIGN(const MirrorState state, state_from_section(stored, *mirror_, file_name));
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", file_name, what),
                 "the file is damaged; use an earlier state"};
  };
  Categories categories(model_->class_names);
  std::vector<std::int64_t> counted;
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
      if (c.forward < kNobody || c.forward >= next || c.forward == id ||
          !std::is_sorted(c.prototypes.begin(), c.prototypes.end())) {
        return damaged(fmt::format("category {} contradicts itself", id));
      }
    }
    // A chain of merges ends: each step leads to another category, and there are only so many.
    for (CategoryId id = 0; id < next; ++id) {
      CategoryId at = id;
      for (CategoryId steps = 0; categories[at].exists && categories[at].forward != kNobody;
           ++steps) {
        at = categories[at].forward;
        if (steps > next || !categories[at].exists)
          return damaged(fmt::format("category {} forwards to nowhere", id));
      }
    }
    counted = json.at("counted").get<std::vector<std::int64_t>>();
    verdicts = json.at("verdicts").get<std::array<std::uint64_t, 4>>();
    length = json.at("length").get<double>();
    if (json.at("samples").get<std::uint64_t>() != state.samples ||
        counted.size() != counted_.size()) {
      return damaged("it counts samples in two ways");
    }
  } catch (const nlohmann::json::exception& e) {
    return damaged(fmt::format("its numbers cannot be read: {}", e.what()));
  }
  PACO_TRY(engine_.restore(state));
  categories_ = std::move(categories);
  counted_ = std::move(counted);
  verdicts_ = verdicts;
  length_ = length;
  recount();
  return {};
}

}  // namespace

const std::vector<EvidenceField>& mirror_fields() {
  static const std::vector<EvidenceField> fields{
      {"known_cosine", "cosine", "best with a known class"},
      {"visible_cosine", "cosine", "best with a prototype that has a category"},
      {"runner_up_cosine", "cosine", "of the runner-up"},
      {"length", "samples", "estimated samples a class before this one"},
      {"confident", "samples", "answers that were sure to be a known class before this one"},
      {"at_once", "", "whether something new is a category at once", {"no", "yes"}},
      {"candidates", "samples", "that wait for a second of their kind, after this one", {}, true}};
  return fields;
}

Result<std::unique_ptr<Method>> make_mirror_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options) {
  PACO_ASSIGN(std::shared_ptr<const MirrorModel> mirror, mirror_model(*model));
  return std::unique_ptr<Method>(
      std::make_unique<MirrorMethod>(info, std::move(model), std::move(mirror), options));
}

}  // namespace paco
