// Two baselines behind the same interface: the closed set, which never discovers, and sequential
// leader clustering.
#include "discover/methods.hpp"
#include "discover/prototype_method.hpp"

namespace paco {
namespace {

// Cosines are reported on the scale of PACO's birth test, so that one explanation and one plot
// serve all methods.
double birth_scale(double cosine, const Model& model) {
  return cosine / model.options.temperature - model.log_p0;
}

// Every sample goes to the known class with the largest cosine.
class ClosedMethod final : public PrototypeMethod {
 public:
  using PrototypeMethod::PrototypeMethod;
  std::string_view name() const override { return "closed"; }

 private:
  void judge(const Sample& sample, Decision& out) override {
    const BestTwo& nearest = sample.nearest;
    out.top_cosine = nearest.score;
    out.margin = nearest.score - nearest.second_score;
    out.route = Route::known_only;
    out.score = out.birth_score = birth_scale(nearest.score, model());
    out.threshold = birth_scale(-1, model());
    assign(nearest, Branch::explained, out);
  }
  bool needs_categories(const BestTwo&) const override { return false; }
};

// A sample joins the nearest leader if the cosine reaches the threshold, else it becomes a leader.
// A discovered leader is the mean direction of its samples. The threshold comes from the same
// replay of the support set as PACO's create boundary, on the cosine instead of the attach score;
// published descriptions give no value. Starting from the known references or from nothing is our
// reading of the two ways the literature can be understood.
class LeaderMethod final : public PrototypeMethod {
 public:
  LeaderMethod(std::shared_ptr<const Model> model, const MethodOptions& options, bool from_known)
      : PrototypeMethod(std::move(model), options), from_known_(from_known) {}
  std::string_view name() const override { return from_known_ ? "leader" : "slc"; }

 private:
  void judge(const Sample& sample, Decision& out) override {
    const auto exact = [&](std::size_t k) { return cosine(sample, k); };
    const double threshold = model().leader.value;
    BestTwo best;
    if (from_known_) {
      best = sample.nearest;
      out.top_cosine = best.score;
      out.margin = best.score - best.second_score;
    }
    out.route = from_known_ ? Route::all : Route::categories_only;
    offer_best(screened_categories(sample), 2, memory().known(), 0, exact, best);
    const double score = best.first < 0 ? -1 : best.score;
    out.birth_score = birth_scale(score, model());
    if (best.first < 0 || !(score >= threshold)) {
      return create(out.birth_score, birth_scale(threshold, model()), best, out);
    }
    out.score = out.birth_score;
    out.threshold = birth_scale(threshold, model());
    assign(best, Branch::explained, out);
  }
  bool needs_categories(const BestTwo&) const override { return true; }

  bool from_known_;
};

}  // namespace

std::unique_ptr<Method> make_closed_method(std::shared_ptr<const Model> model,
                                           const MethodOptions& options) {
  return std::make_unique<ClosedMethod>(std::move(model), options);
}

std::unique_ptr<Method> make_leader_method(std::shared_ptr<const Model> model,
                                           const MethodOptions& options, bool from_known) {
  return std::make_unique<LeaderMethod>(std::move(model), options, from_known);
}

}  // namespace paco
