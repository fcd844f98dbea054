// PACO, fast: the decision of reference_method.cpp with screening in place of loops over all
// prototypes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "math/logarithm.hpp"
#include "methods/baselines/lone_prototypes.hpp"
#include "methods/common/joining_method.hpp"
#include "methods/common/methods.hpp"
#include "methods/common/von_mises_fisher.hpp"
#include "methods/paco/boundary.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "methods/paco/paco_statistics.hpp"

namespace paco::methods {
namespace {

class PacoMethod final : public JoiningMethod {
 public:
  PacoMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
             const MethodOptions& options, PacoParameters parameters)
      : JoiningMethod(info, std::move(model), options), p_(std::move(parameters)), boundary_(p_) {
    counts_.lowest_tau_birth = p_.tau_birth_sup;
    memory_changed();
  }

  std::vector<Statistic> statistics() const override {
    return paco_statistics(
        p_, counts_, boundary_.now(), table(), [this](PrototypeId id) { return resultant(id); },
        model().dimension);
  }
  std::string explain_rule(const Decision& decision) const override {
    return explain_paco(decision, p_, categories());
  }

 private:
  void choose(const Sample& sample, Decision& out) override {
    // Step 1: the similarity to the known classes determines which prototypes compete.
    const BestTwo& nearest = sample.nearest;
    auto& e = out.evidence;
    e[kTauBirth] = boundary_.now().tau_birth;
    e[kTopCosine] = nearest.score;
    e[kMargin] = nearest.score - nearest.second_score;
    set_route(out, Route::all);
    if (!needs_adapting(nearest)) {
      set_route(out, Route::known_only);
      out.score = e[kMargin];
      out.threshold = p_.hi.value;
      BestTwo best;
      offer_assignment(sample, true, false, best);
      return assign(best, Branch::known_only, out);
    }
    const bool categories_only = p_.options.routing && e[kTopCosine] < p_.tau_lo;
    const bool none_yet = memory().adapting().size() == 0;
    if (categories_only) {
      set_route(out, Route::categories_only);
      if (none_yet) return create(e[kTopCosine], p_.tau_lo, nearest, out);
    }

    // Step 2: if no candidate explains the sample well enough, check whether it still joins a
    // category.
    BestTwo closest;
    if (!categories_only) closest.offer(nearest.first, nearest.score);
    offer_best(
        screened_adapting(sample), 1, memory().adapting_ids(), 0,
        [&](PrototypeId k) { return cosine(sample, k); }, closest);
    e[kBirthScore] = closest.score / p_.options.temperature - p_.log_p0;
    if (e[kBirthScore] >= e[kTauBirth]) {
      out.score = e[kBirthScore];
      out.threshold = e[kTauBirth];
      BestTwo best;
      offer_assignment(sample, !categories_only, true, best);
      return assign(best, Branch::explained, out);
    }
    if (none_yet) return create(e[kBirthScore], e[kTauBirth], nearest, out);
    const BestTwo attach = best_attach(sample);
    e[kAttachScore] = attach.score;
    if (!(attach.score >= p_.create.value))
      return create(attach.score, p_.create.value, attach, out);
    out.score = attach.score;
    out.threshold = p_.create.value;
    assign(attach, Branch::attach, out);
  }

  void note_gated(const Sample& sample, Decision& out) override {
    note_gate(sample.nearest.score, sample.nearest.score - sample.nearest.second_score,
              boundary_.now().tau_birth, out);
  }

  bool needs_adapting(const BestTwo& nearest) const override {
    const double margin = nearest.score - nearest.second_score;
    return !(p_.options.routing && margin >= p_.hi.value);
  }

  // Step 3: cosine over temperature plus the log of the smoothed share of samples.
  void offer_assignment(const Sample& sample, bool references, bool adapting, BestTwo& best) {
    const auto screened = [&](math::PrefilterScores scores, const float* priors) {
      scores.common = static_cast<float>(1 / p_.options.temperature);
      scores.offset = priors;
      scores.slack = largest_prior_ * 0x1p-21f + scores.common * 0x1p-21f;
      return scores;
    };
    const double total = static_cast<double>(table().samples()) +
                         static_cast<double>(table().competing()) * p_.options.alpha;
    const auto exact = [&](PrototypeId k) {
      const auto size = static_cast<double>(table()[k].size());
      return cosine(sample, k) / p_.options.temperature +
             math::exact_log((size + p_.options.alpha) / total);
    };
    const double shift = math::exact_log(p_.options.alpha / total);
    if (references) {
      offer_best(screened(screened_references(sample), reference_priors_.data()), 2,
                 memory().reference_ids(), shift, exact, best);
    }
    if (adapting) {
      offer_best(screened(screened_adapting(sample), adapting_priors_.data()), 2,
                 memory().adapting_ids(), shift, exact, best);
    }
  }

  // All prototypes with one sample have the same score, so screening cannot reduce them. Only the
  // two that win ties are offered; the other prototypes are screened among themselves.
  BestTwo best_attach(const Sample& sample) {
    const PrototypeSet& prototypes = memory().adapting();
    BestTwo best;
    for (const PrototypeId k : lone_.lowest([&](PrototypeId id) { return is_alone(id); })) {
      if (k != LonePrototypes::kNone) best.offer(k, attach_score(0, 1, 0, p_.log_p0));
    }
    if (grown_ == 0) return best;
    math::PrefilterScores scores = prototypes.screened_attach_scores(sample.adapting);
    scores.offset = attach_offsets_.data();
    BestTwo grown;
    offer_best(
        scores, grown_ == 1 ? 1 : 2, memory().adapting_ids(), -p_.log_p0,
        [&](PrototypeId k) {
          const std::size_t place = memory().place(k);
          return attach_score(cosine(sample, k), prototypes.members(place),
                              prototypes.concentration(place), p_.log_p0);
        },
        grown);
    best.offer(grown.first, grown.score);
    if (grown.second != kNoId) best.offer(grown.second, grown.second_score);
    return best;
  }

  bool is_alone(PrototypeId id) const {
    return memory().adapting().members(memory().place(id)) == 1;
  }

  static float attach_offset(std::int64_t members) {
    return members == 1 ? kNever
                        : static_cast<float>(math::exact_log(static_cast<double>(members)));
  }

  void joined(Decision& d, std::int64_t size, double length) override {
    const std::size_t place = memory().place(d.prototype);
    const float now = prior(table()[d.prototype].size());
    if (d.counted) {
      reference_priors_[place] = now;
    } else {
      const std::int64_t members = memory().adapting().members(place);
      if (place == adapting_priors_.size()) {
        adapting_priors_.push_back(0);
        attach_offsets_.push_back(0);
        lone_.begins(d.prototype);
      } else if (members == 2) {
        ++grown_;
      }
      adapting_priors_[place] = now;
      attach_offsets_[place] = attach_offset(members);
      boundary_.grown(size, length, memory().adapting().resultant(place));
    }
    d.evidence[kTauBirthAfter] = boundary_.now().tau_birth;
    d.evidence[kEtaAfter] = boundary_.now().eta;
    d.evidence[kMatureAfter] = static_cast<double>(boundary_.mature());
    counts_.add(d);
    if (needed_double(d)) ++counts_.resolved_in_double;
  }

  // The part of a prototype's log share that differs from that of an empty one, log(1 + n / alpha),
  // in float32 for screening.
  float prior(std::int64_t size) {
    const auto value =
        static_cast<float>(math::exact_log1p(static_cast<double>(size) / p_.options.alpha));
    largest_prior_ = std::max(largest_prior_, value);
    return value;
  }

  void memory_changed() override {
    largest_prior_ = 0;
    reference_priors_.clear();
    for (std::size_t i = 0; i < memory().references(); ++i)
      reference_priors_.push_back(prior(table()[memory().reference_ids()[i]].size()));
    const PrototypeSet& adapting = memory().adapting();
    adapting_priors_.resize(adapting.size());
    for (std::size_t i = 0; i < adapting.size(); ++i)
      adapting_priors_[i] = prior(table()[memory().adapting_ids()[i]].size());
    std::vector<PrototypeId> lone;
    attach_offsets_.resize(adapting.size());
    for (std::size_t i = 0; i < adapting.size(); ++i) {
      attach_offsets_[i] = attach_offset(adapting.members(i));
      if (adapting.members(i) == 1) lone.push_back(memory().adapting_ids()[i]);
    }
    grown_ = adapting.size() - lone.size();
    std::sort(lone.begin(), lone.end());
    lone_.clear();
    for (const PrototypeId id : lone) lone_.begins(id);
    boundary_.rebuild([&](auto insert) {
      for (std::size_t i = 0; i < adapting.size(); ++i)
        insert(adapting.members(i), adapting.resultant(i));
    });
  }

  // Returns true if the winner's lead is smaller than the error of two scores computed from float32
  // products.
  bool needed_double(const Decision& d) const {
    const double score = d.evidence[kAssignmentScore], second = d.evidence[kRunnerUpScore];
    if (d.verdict == Verdict::created || std::isnan(second)) return false;
    // The factor of the cosine. For an attach score this is a lower limit of the factor.
    const double scale =
        branch_of(d) == Branch::attach ? std::abs(score + p_.log_p0) : 1 / p_.options.temperature;
    return score - second < 2 * math::screen_error(model().dimension) * scale;
  }

  void save_own(Section& own) const override {
    MethodBase::save_own(own);
    counts_.save(own);
  }
  Result<void> restore_own(const Section& own, const std::string& name) override {
    PacoCounts counts = counts_;
    PACO_TRY(counts.restore(own, samples(), name));
    PACO_TRY(MethodBase::restore_own(own, name));
    counts_ = counts;
    return {};
  }

  PacoParameters p_;
  AdaptiveBoundary boundary_;
  PacoCounts counts_;
  std::vector<float> reference_priors_;
  core::GrowingArray<float> adapting_priors_;
  float largest_prior_ = 0;
  // For attach scores: the values of PrototypeSet if a prototype has several samples. If it has one
  // sample, a value so low that it never wins.
  static constexpr float kNever = -1e30f;
  core::GrowingArray<float> attach_offsets_;
  LonePrototypes lone_;
  std::size_t grown_ = 0;  // adapting prototypes of several samples
};

}  // namespace

Result<std::unique_ptr<Method>> make_paco_method(const MethodInfo& info,
                                                 std::shared_ptr<const Model> model,
                                                 const MethodOptions& options) {
  PACO_ASSIGN(PacoParameters parameters, paco_parameters(*model, options.settings));
  return std::unique_ptr<Method>(
      std::make_unique<PacoMethod>(info, std::move(model), options, std::move(parameters)));
}

}  // namespace paco::methods
