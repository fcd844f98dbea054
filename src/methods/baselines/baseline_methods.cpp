// Two baselines behind the same interface: the closed set, which never discovers, and sequential
// leader clustering.
#include <fmt/format.h>

#include <cmath>

#include "core/try.hpp"
#include "methods/common/joining_method.hpp"
#include "methods/common/methods.hpp"
#include "methods/common/section_evidence.hpp"

namespace paco::methods {
namespace {

enum Field : std::size_t { kTopCosine, kMargin, kRunnerUpScore };

// "; next came 'cat' with 0.4100", or an empty string if there was no other candidate.
std::string next_best(const Decision& d, const Categories& categories) {
  if (d.runner_up == d.category || std::isnan(d.evidence[kRunnerUpScore])) return "";
  return fmt::format("; next came '{}' with {:.4f}", categories.name(d.runner_up),
                     d.evidence[kRunnerUpScore]);
}

void put_nearest(const BestTwo& nearest, Decision& out) {
  out.evidence[kTopCosine] = nearest.score;
  out.evidence[kMargin] = nearest.score - nearest.second_score;
}

void assign(const BestTwo& best, Decision& out) {
  out.prototype = best.first;
  out.runner_up = best.second;
  out.evidence[kRunnerUpScore] = best.second_score;
}

// Every sample goes to the known class with the largest cosine.
class ClosedMethod final : public JoiningMethod {
 public:
  using JoiningMethod::JoiningMethod;
  std::vector<Statistic> statistics() const override { return {}; }
  std::string explain_rule(const Decision& d) const override {
    return fmt::format(
        "Sample {} goes to '{}', the closest known class, with cosine {:.4f}: this "
        "method never discovers{}.",
        d.sequence, categories().name(d.category), d.score, next_best(d, categories()));
  }

 private:
  void choose(const Sample& sample, Decision& out) override {
    put_nearest(sample.nearest, out);
    out.score = sample.nearest.score;
    out.threshold = kNotComputed;
    assign(sample.nearest, out);
  }
  void note_gated(const Sample& sample, Decision& out) override {
    put_nearest(sample.nearest, out);
  }
  bool needs_adapting(const BestTwo&) const override { return false; }
};

// A sample joins the nearest leader if its cosine reaches the threshold; otherwise it becomes a
// leader. A discovered leader is the mean direction of its samples. Published descriptions give no
// threshold; this one comes from a replay of the support set. The literature does not say whether
// the method starts with the known references or with no leaders, so both forms exist.
class LeaderMethod final : public JoiningMethod {
 public:
  LeaderMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
               const MethodOptions& options, bool from_known, double threshold)
      : JoiningMethod(info, std::move(model), options),
        from_known_(from_known),
        threshold_(threshold) {}

  std::vector<Statistic> statistics() const override { return {{"threshold", threshold_}}; }
  std::string explain_rule(const Decision& d) const override {
    const std::string name = categories().name(d.category);
    if (d.verdict != Verdict::created) {
      return fmt::format(
          "Sample {} joins '{}', the closest leader, with cosine {:.4f}, at least "
          "the {:.4f} needed{}.",
          d.sequence, name, d.score, d.threshold, next_best(d, categories()));
    }
    if (d.runner_up == d.category)
      return fmt::format("Sample {} starts '{}': there was no leader yet.", d.sequence, name);
    return fmt::format(
        "Sample {} starts '{}': the closest leader '{}' has cosine {:.4f}, below "
        "the {:.4f} needed.",
        d.sequence, name, categories().name(d.runner_up), d.score, d.threshold);
  }

 private:
  void choose(const Sample& sample, Decision& out) override {
    BestTwo best;
    if (from_known_) {
      put_nearest(sample.nearest, out);
      // All references compete. If a category has several, the second best can belong to the same
      // category.
      offer_best(
          screened_references(sample), 2, memory().reference_ids(), 0,
          [&](PrototypeId k) { return cosine(sample, k); }, best);
    }
    offer_best(
        screened_adapting(sample), 2, memory().adapting_ids(), 0,
        [&](PrototypeId k) { return cosine(sample, k); }, best);
    out.score = best.score;
    out.threshold = threshold_;
    if (best.first != kNoId && best.score >= threshold_) return assign(best, out);
    out.prototype = kNoId;
    out.runner_up = best.first;
    out.evidence[kRunnerUpScore] = best.score;
  }
  void note_gated(const Sample& sample, Decision& out) override {
    put_nearest(sample.nearest, out);
  }
  bool needs_adapting(const BestTwo&) const override { return true; }

  bool from_known_;
  double threshold_;
};

Result<std::unique_ptr<Method>> make_leader(const MethodInfo& info,
                                            std::shared_ptr<const Model> model,
                                            const MethodOptions& options, bool from_known) {
  PACO_ASSIGN(const Section* section, model->section(info.section));
  PACO_ASSIGN(const double threshold, section->number("leader"));
  return std::unique_ptr<Method>(
      std::make_unique<LeaderMethod>(info, std::move(model), options, from_known, threshold));
}

}  // namespace

const std::vector<EvidenceField>& baseline_fields() {
  static const std::vector<EvidenceField> fields{
      {"top_cosine", "cosine", "best with a reference of a known class"},
      {"margin", "cosine", "best minus the best of another known class"},
      {"runner_up_score", "cosine", "of the runner-up"}};
  return fields;
}

Result<std::unique_ptr<Method>> make_closed_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options) {
  return std::unique_ptr<Method>(std::make_unique<ClosedMethod>(info, std::move(model), options));
}

Result<std::unique_ptr<Method>> make_leader_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options) {
  return make_leader(info, std::move(model), options, true);
}

Result<std::unique_ptr<Method>> make_slc_method(const MethodInfo& info,
                                                std::shared_ptr<const Model> model,
                                                const MethodOptions& options) {
  return make_leader(info, std::move(model), options, false);
}

}  // namespace paco::methods
