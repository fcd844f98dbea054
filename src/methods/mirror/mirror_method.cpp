// How mirror decides, what it shows and how it explains itself.
#include "methods/mirror/mirror_method.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/try.hpp"
#include "methods/common/standardise.hpp"
#include "methods/mirror/engine.hpp"
#include "methods/mirror/mirror_rule_method.hpp"
#include "methods/mirror/plain.hpp"

namespace paco::methods {
namespace {

enum Field : std::size_t {
  kKnownCosine,
  kVisibleCosine,
  kRunnerUpCosine,
  kLength,
  kConfident,
  kAtOnce,
  kCandidates,
};

}  // namespace

MirrorMethod::MirrorMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                           std::shared_ptr<const MirrorModel> mirror,
                           std::unique_ptr<MirrorDecider> decider, Settings settings)
    : info_(info),
      model_(std::move(model)),
      mirror_(std::move(mirror)),
      settings_(std::move(settings)),
      decider_(std::move(decider)),
      categories_(model_->class_names),
      known_(model_->known_classes(), 1) {}

Result<void> MirrorMethod::decide_block(Rows<const double> embeddings,
                                        std::span<Decision> decisions) {
  decided_.resize(decisions.size());
  births_.clear();
  PACO_TRY(decider_->decide_block(embeddings, decided_, births_));
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

std::optional<Error> MirrorMethod::check(std::span<const double> embedding) const {
  return sample_fault(embedding, model_->mean, model_->deviation);
}

Decision MirrorMethod::told(const MirrorDecision& from, bool born) {
  Decision d;
  d.sequence = from.sequence;
  d.category = from.category;
  d.prototype = from.prototype;
  d.counted = from.counted;
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
  ++categories_.edit(d.category).answered;
  ++verdicts_[static_cast<std::size_t>(d.verdict)];
  d.categories_after = discovered_;
  length_ = from.length;
  return d;
}

Prototype MirrorMethod::prototype(PrototypeId id) const {
  Prototype out;
  const auto facts = decider_->facts(id);
  if (!facts) {
    out.competing = false;
    return out;
  }
  const bool support = id < known();
  out.owner = facts->category;
  out.reference = facts->fixed;
  out.competing = facts->competing && (facts->fixed || facts->members > 0);
  out.members = support ? model_->class_sizes[static_cast<std::size_t>(id)] : facts->members;
  out.counted = facts->counted;
  if (!support && facts->members > 0)
    out.resultant_length = facts->length / static_cast<double>(facts->members);
  return out;
}

std::shared_ptr<const MemoryView> MirrorMethod::view() {
  for (const PrototypeId id : decider_->take_changed()) {
    if (id < static_cast<PrototypeId>(shown_.size()))
      shown_.edit(static_cast<std::size_t>(id)) = prototype(id);
  }
  while (static_cast<PrototypeId>(shown_.size()) < next_prototype())
    shown_.push_back(prototype(static_cast<PrototypeId>(shown_.size())));
  auto view = std::make_shared<MemoryView>();
  view->samples = samples();
  view->categories = categories_.share();
  view->prototypes = shown_.share();
  view->discovered = discovered_;
  for (CategoryId id = 0; id < known(); ++id)
    view->known += is_known(id) && categories_.is_live(id);
  view->known += promoted_;
  return view;
}

std::vector<Statistic> MirrorMethod::statistics() const {
  return {{"threshold", threshold_at(*mirror_, length_)},
          {"samples_per_class", length_},
          {"candidates", static_cast<double>(decider_->candidates()), true},
          {"verdicts.known", static_cast<double>(verdicts_[0]), true},
          {"verdicts.existing", static_cast<double>(verdicts_[1]), true},
          {"verdicts.created", static_cast<double>(verdicts_[2]), true},
          {"verdicts.tentative", static_cast<double>(verdicts_[3]), true}};
}

std::string MirrorMethod::explain(const Decision& d) const {
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
                         d.verdict == Verdict::known ? "known class" : "the earlier", name, d.score,
                         needed);
  }
}

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
  PACO_ASSIGN(const Section* section, model->section("mirror"));
  const auto is_on = [](const Settings& settings) {
    const auto given = settings.find("loops");
    return given != settings.end() ? std::optional(given->second == "on") : std::nullopt;
  };
  std::unique_ptr<MirrorDecider> decider;
  if (is_on(options.settings).value_or(is_on(section->settings).value_or(false))) {
    decider = std::make_unique<MirrorPlain>(mirror);
  } else {
    decider = std::make_unique<MirrorEngine>(mirror, static_cast<unsigned>(options.threads));
  }
  return std::unique_ptr<Method>(std::make_unique<MirrorMethod>(
      info, std::move(model), std::move(mirror), std::move(decider), options.settings));
}

}  // namespace paco::methods
