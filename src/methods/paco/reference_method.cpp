// PACO in plain loops and double precision, one sample at a time: exactly the definition of the
// method.
//
// This file stays in the tree permanently. The fast method (paco_method.cpp) must agree with it on
// every decision. Read this file to learn the method.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.hpp"
#include "core/try.hpp"
#include "math/logarithm.hpp"
#include "math/matrix.hpp"
#include "math/plain.hpp"
#include "methods/common/best_two.hpp"
#include "methods/common/method_base.hpp"
#include "methods/common/methods.hpp"
#include "methods/common/von_mises_fisher.hpp"
#include "methods/paco/boundary.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "methods/paco/paco_statistics.hpp"

namespace paco::methods {
namespace {

class ReferenceMethod final : public MethodBase {
 public:
  ReferenceMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                  const MethodOptions& options, PacoParameters parameters)
      : MethodBase(info, std::move(model), options.settings),
        p_(std::move(parameters)),
        d_(this->model().dimension),
        sums_(this->model().known_classes()),
        boundary_{p_.tau_birth_sup, 0} {
    counts_.lowest_tau_birth = boundary_.tau_birth;
  }

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) override {
    core::ThreadPool here;
    math::Matrix<float> units(decisions.size(), d_);
    PACO_TRY(space().apply(embeddings, units.view(), samples(), here));
    for (std::size_t i = 0; i < units.rows(); ++i) {
      choose(units[i].data(), decisions[i]);
      update(units[i].data(), decisions[i]);
    }
    return {};
  }

  std::vector<Statistic> statistics() const override {
    return paco_statistics(
        p_, counts_, boundary_, table(), [this](PrototypeId id) { return resultant(id); }, d_);
  }
  std::string explain_rule(const Decision& decision) const override {
    return explain_paco(decision, p_, categories());
  }

 private:
  PrototypeId all() const { return static_cast<PrototypeId>(table().size()); }
  bool is_fixed(PrototypeId k) const { return table()[k].competing() && table()[k].reference(); }
  bool is_adapting(PrototypeId k) const {
    return table()[k].competing() && !table()[k].reference();
  }
  std::vector<double> sum(PrototypeId k) const override {
    return sums_[static_cast<std::size_t>(k)];
  }
  double resultant(PrototypeId k) const override {
    const std::vector<double>& r = sums_[static_cast<std::size_t>(k)];
    return std::sqrt(math::plain::dot(r.data(), r.data(), d_));
  }

  // l_k: cosine with prototype k.
  double cosine(PrototypeId k, const float* u) const {
    const PrototypeRecord& record = table()[k];
    if (record.support)
      return math::plain::dot(model().references.data() + static_cast<std::size_t>(k) * d_, u, d_);
    if (record.promoted) return math::plain::dot(row(k).data(), u, d_);
    const double length = resultant(k);
    return length > 0 ? math::plain::dot(sums_[static_cast<std::size_t>(k)].data(), u, d_) / length
                      : 0;
  }

  // Step 3: cosine over temperature plus the log of the smoothed share of samples.
  BestTwo assignment(const float* u, bool references, bool adapting) const {
    double total = 0, count = 0;
    for (PrototypeId k = 0; k < all(); ++k) {
      if (!table()[k].competing()) continue;
      total += static_cast<double>(table()[k].size());
      count += 1;
    }
    const double alpha = p_.options.alpha;
    const double denominator = total + count * alpha;
    BestTwo best;
    for (PrototypeId k = 0; k < all(); ++k) {
      if (!(references && is_fixed(k)) && !(adapting && is_adapting(k))) continue;
      const auto n = static_cast<double>(table()[k].size());
      best.offer(
          k, cosine(k, u) / p_.options.temperature + math::exact_log((n + alpha) / denominator));
    }
    return best;
  }

  void choose(const float* u, Decision& out) const {
    out = {};
    auto& e = out.evidence;
    e[kTauBirth] = boundary_.tau_birth;

    // Step 1: the similarity to the known classes determines which prototypes compete. The margin
    // is the lead over the best reference of another category.
    BestTwo nearest;
    for (PrototypeId k = 0; k < all(); ++k) {
      if (is_fixed(k)) nearest.offer(k, cosine(k, u));
    }
    BestTwo other;
    for (PrototypeId k = 0; k < all(); ++k) {
      if (is_fixed(k) && table()[k].owner != table()[nearest.first].owner)
        other.offer(k, cosine(k, u));
    }
    e[kTopCosine] = nearest.score;
    e[kMargin] = nearest.score - other.score;
    if (passes_gate(nearest)) {
      nearest.second = other.first;
      answer_by_gate(nearest, out);
      return note_gate(nearest.score, e[kMargin], boundary_.tau_birth, out);
    }
    bool none_yet = true;
    for (PrototypeId k = 0; k < all(); ++k) none_yet = none_yet && !is_adapting(k);
    bool with_references = true;
    set_route(out, Route::all);
    if (p_.options.routing && e[kMargin] >= p_.hi.value) {
      set_route(out, Route::known_only);
      out.score = e[kMargin];
      out.threshold = p_.hi.value;
      return assign(assignment(u, true, false), Branch::known_only, out);
    }
    if (p_.options.routing && e[kTopCosine] < p_.tau_lo) {
      set_route(out, Route::categories_only);
      if (none_yet) return create(e[kTopCosine], p_.tau_lo, nearest, out);
      with_references = false;
    }

    // Step 2: if no candidate explains the sample well enough, check whether it still joins a
    // category.
    double closest = -std::numeric_limits<double>::infinity();
    for (PrototypeId k = 0; k < all(); ++k) {
      if ((with_references && is_fixed(k)) || is_adapting(k))
        closest = std::max(closest, cosine(k, u));
    }
    e[kBirthScore] = closest / p_.options.temperature - p_.log_p0;
    if (e[kBirthScore] >= boundary_.tau_birth) {
      out.score = e[kBirthScore];
      out.threshold = boundary_.tau_birth;
      return assign(assignment(u, with_references, true), Branch::explained, out);
    }
    if (none_yet) return create(e[kBirthScore], boundary_.tau_birth, nearest, out);
    BestTwo attach;
    for (PrototypeId k = 0; k < all(); ++k) {
      if (!is_adapting(k)) continue;
      const std::int64_t n = table()[k].members;
      const double kappa = concentration(resultant(k), n, d_);
      attach.offer(k, attach_score(cosine(k, u), n, kappa, p_.log_p0));
    }
    e[kAttachScore] = attach.score;
    if (!(attach.score >= p_.create.value))
      return create(attach.score, p_.create.value, attach, out);
    out.score = attach.score;
    out.threshold = p_.create.value;
    assign(attach, Branch::attach, out);
  }

  void update(const float* u, Decision& d) {
    complete(d);
    if (!d.counted) {
      sums_.resize(table().size(), std::vector<double>(d_));
      std::vector<double>& r = sums_[static_cast<std::size_t>(d.prototype)];
      for (std::size_t j = 0; j < d_; ++j) r[j] += static_cast<double>(u[j]);
      boundary_ = current_boundary();
    }
    d.evidence[kTauBirthAfter] = boundary_.tau_birth;
    d.evidence[kEtaAfter] = boundary_.eta;
    d.evidence[kMatureAfter] = static_cast<double>(mature_);
    counts_.add(d);
  }

  Boundary current_boundary() {
    std::vector<std::int64_t> sizes;
    std::vector<double> lengths;
    mature_ = 0;
    for (PrototypeId k = 0; k < all(); ++k) {
      if (!is_adapting(k)) continue;
      sizes.push_back(table()[k].members);
      lengths.push_back(resultant(k));
      mature_ += table()[k].members >= p_.mature_size();
    }
    return plain_boundary(p_, sizes, lengths);
  }

  void edited(std::vector<NewSum> sums) override {
    sums_.resize(table().size(), std::vector<double>(d_));
    for (NewSum& changed : sums)
      sums_[static_cast<std::size_t>(changed.prototype)] = std::move(changed.sum);
    boundary_ = current_boundary();
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
  std::size_t d_;
  std::vector<std::vector<double>> sums_;  // by prototype; unused for support classes
  Boundary boundary_;
  std::size_t mature_ = 0;
  PacoCounts counts_;
};

}  // namespace

Result<std::unique_ptr<Method>> make_reference_method(const MethodInfo& info,
                                                      std::shared_ptr<const Model> model,
                                                      const MethodOptions& options) {
  PACO_ASSIGN(PacoParameters parameters, paco_parameters(*model, options.settings));
  return std::unique_ptr<Method>(
      std::make_unique<ReferenceMethod>(info, std::move(model), options, std::move(parameters)));
}

}  // namespace paco::methods
