// PACO, fast: the decision of reference_method.cpp with screening in place of loops over all
// prototypes.
#include <cmath>

#include "discover/methods.hpp"
#include "discover/prototype_method.hpp"
#include "sphere/von_mises_fisher.hpp"

namespace paco {
namespace {

class PacoMethod final : public PrototypeMethod {
 public:
  using PrototypeMethod::PrototypeMethod;
  std::string_view name() const override { return "paco"; }

 private:
  void judge(const Sample& sample, Decision& out) override {
    const Model& m = model();
    // Step 1: evidence of the known classes decides who may compete.
    const BestTwo& nearest = sample.nearest;
    out.top_cosine = nearest.score;
    out.margin = nearest.score - nearest.second_score;
    if (!needs_categories(nearest)) {
      out.route = Route::known_only;
      out.score = out.margin;
      out.threshold = m.hi.value;
      BestTwo best;
      offer_assignment(sample, true, false, best);
      return assign(best, Branch::known_only, out);
    }
    const bool categories_only = m.options.routing && out.top_cosine < m.tau_lo;
    const bool none_yet = memory().categories() == 0;
    if (categories_only) {
      out.route = Route::categories_only;
      if (none_yet) return create(out.top_cosine, m.tau_lo, nearest, out);
    }

    // Step 2: is it explained well enough by a candidate? If not, does it join a category all the
    // same?
    BestTwo closest;
    if (!categories_only) closest.offer(nearest.first, nearest.score);
    offer_best(
        screened_categories(sample), 1, memory().known(), 0,
        [&](std::size_t k) { return cosine(sample, k); }, closest);
    out.birth_score = closest.score / m.options.temperature - m.log_p0;
    if (out.birth_score >= out.tau_birth) {
      out.score = out.birth_score;
      out.threshold = out.tau_birth;
      BestTwo best;
      offer_assignment(sample, !categories_only, true, best);
      return assign(best, Branch::explained, out);
    }
    if (none_yet) return create(out.birth_score, out.tau_birth, nearest, out);
    const BestTwo attach = best_attach(sample);
    out.attach_score = attach.score;
    if (!(attach.score >= m.create.value)) return create(attach.score, m.create.value, attach, out);
    out.score = attach.score;
    out.threshold = m.create.value;
    assign(attach, Branch::attach, out);
  }

  bool needs_categories(const BestTwo& nearest) const override {
    const double margin = nearest.score - nearest.second_score;
    return !(model().options.routing && margin >= model().hi.value);
  }

  // Step 3: cosine over temperature plus the log of the smoothed share of samples.
  void offer_assignment(const Sample& sample, bool classes, bool categories, BestTwo& best) {
    const auto screened = [&](ScreenedScores scores, const float* priors) {
      scores.common = static_cast<float>(1 / model().options.temperature);
      scores.offset = priors;
      scores.slack = memory().largest_prior() * 0x1p-21f + scores.common * 0x1p-21f;
      return scores;
    };
    const auto exact = [&](std::size_t k) {
      return cosine(sample, k) / model().options.temperature + memory().log_share(k);
    };
    const double shift = memory().log_empty_share();
    if (classes) {
      offer_best(screened(screened_classes(sample), memory().class_priors()), 2, 0, shift, exact,
                 best);
    }
    if (categories) {
      offer_best(screened(screened_categories(sample), memory().category_priors()), 2,
                 memory().known(), shift, exact, best);
    }
  }

  BestTwo best_attach(const Sample& sample) {
    const PrototypeSet& prototypes = memory().prototypes();
    const std::size_t known = memory().known();
    BestTwo best;
    offer_best(
        prototypes.screened_attach_scores(sample.categories), 2, known, -model().log_p0,
        [&](std::size_t k) {
          const std::size_t c = k - known;
          return attach_score(cosine(sample, k), prototypes.members(c), prototypes.concentration(c),
                              model().log_p0);
        },
        best);
    return best;
  }
};

}  // namespace

std::unique_ptr<Method> make_paco_method(std::shared_ptr<const Model> model,
                                         const MethodOptions& options) {
  return std::make_unique<PacoMethod>(std::move(model), options);
}

}  // namespace paco
