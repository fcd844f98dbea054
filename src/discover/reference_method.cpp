// PACO in plain loops and double precision, one sample at a time: the method as it is defined,
// nothing more.
//
// It stays in the tree for good and judges the fast engine (paco_method.cpp), which must agree with
// it on every decision. Read this file to learn the method.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.hpp"
#include "base/try.hpp"
#include "discover/boundary.hpp"
#include "discover/methods.hpp"
#include "discover/snapshot.hpp"
#include "linalg/plain.hpp"
#include "sphere/standardise.hpp"
#include "sphere/von_mises_fisher.hpp"

namespace paco {
namespace {

// The best and second best of some scores; the lowest index wins a tie.
struct Best {
  CategoryId first = -1, second = -1;
  double score = kNotComputed, second_score = kNotComputed;

  void offer(CategoryId k, double s) {
    if (first < 0 || s > score) {
      second = first;
      second_score = score;
      first = k;
      score = s;
    } else if (second < 0 || s > second_score) {
      second = k;
      second_score = s;
    }
  }
};

class ReferenceMethod final : public Method {
 public:
  explicit ReferenceMethod(std::shared_ptr<const Model> model)
      : model_(std::move(model)), d_(model_->dimension) {
    class_sizes_ = model_->class_sizes;
    boundary_ = {model_->tau_birth_sup, 0};
    stats_.lowest_tau_birth = boundary_.tau_birth;
  }

  std::string_view name() const override { return "reference"; }
  const Model& model() const override { return *model_; }

  Result<Decision> decide(std::span<const double> embedding) override {
    Decision decision;
    PACO_TRY(decide_block({embedding.data(), 1, embedding.size()}, {&decision, 1}));
    return decision;
  }

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) override {
    PACO_TRY(check_block(embeddings, decisions, *model_));
    ThreadPool here;
    Matrix<float> units(embeddings.rows, d_);
    PACO_TRY(standardise_rows(embeddings, model_->mean, model_->deviation, units.view(), "stream",
                              stats_.samples, here));
    for (std::size_t i = 0; i < embeddings.rows; ++i) {
      decisions[i] = judge(units[i].data());
      update(units[i].data(), decisions[i]);
    }
    return {};
  }

  MethodStats stats() const override { return stats_; }

  std::shared_ptr<const MemoryView> published() const override {
    return std::make_shared<MemoryView>(
        memory_view(*model_, stats_, class_sizes_, sizes_, births_, resultants(), boundary_));
  }

  Result<std::vector<std::byte>> save() const override { return snapshot_to_bytes(snapshot(), d_); }

  Result<void> restore(const std::string& path) override {
    PACO_TRY(check_unused(stats_));
    PACO_ASSIGN(const Snapshot s, load_snapshot(path, name(), *model_));
    stats_ = s.stats;
    class_sizes_ = s.class_sizes;
    sizes_ = s.sizes;
    births_ = s.births;
    sums_ = s.sums;
    boundary_ = current_boundary();
    return {};
  }

 private:
  std::size_t known() const { return class_sizes_.size(); }
  std::size_t categories() const { return sizes_.size(); }
  const double* sum(std::size_t c) const { return sums_.data() + c * d_; }
  double resultant(std::size_t c) const { return std::sqrt(plain::dot(sum(c), sum(c), d_)); }

  // l_k: cosine with prototype k, known classes first.
  double cosine(std::size_t k, const float* u) const {
    if (k < known()) return plain::dot(model_->references.data() + k * d_, u, d_);
    const double length = resultant(k - known());
    return length > 0 ? plain::dot(sum(k - known()), u, d_) / length : 0;
  }

  // Step 3: cosine over temperature plus the log of the smoothed share of samples, over prototypes
  // [from, to).
  Best assignment(const float* u, std::size_t from, std::size_t to) const {
    double total = 0;
    for (const std::int64_t n : class_sizes_) total += static_cast<double>(n);
    for (const std::int64_t n : sizes_) total += static_cast<double>(n);
    const double alpha = model_->options.alpha;
    const double denominator = total + static_cast<double>(known() + categories()) * alpha;
    Best best;
    for (std::size_t k = from; k < to; ++k) {
      const auto n = static_cast<double>(k < known() ? class_sizes_[k] : sizes_[k - known()]);
      best.offer(static_cast<CategoryId>(k),
                 cosine(k, u) / model_->options.temperature + std::log((n + alpha) / denominator));
    }
    return best;
  }

  void assign(const Best& best, Branch branch, Decision& out) const {
    out.branch = branch;
    out.category = best.first;
    out.verdict =
        best.first < static_cast<CategoryId>(known()) ? Verdict::known : Verdict::existing;
    out.assignment_score = best.score;
    out.runner_up = best.second < 0 ? best.first : best.second;
    out.runner_up_score = best.second_score;
  }

  Decision judge(const float* u) const {
    const Model& m = *model_;
    Decision out;
    out.sequence = stats_.samples;
    out.tau_birth = boundary_.tau_birth;
    const std::size_t all = known() + categories();
    const auto newborn = static_cast<CategoryId>(all);

    // Step 1: evidence of the known classes decides who may compete.
    Best nearest;
    for (std::size_t k = 0; k < known(); ++k)
      nearest.offer(static_cast<CategoryId>(k), cosine(k, u));
    out.top_cosine = nearest.score;
    out.margin = nearest.score - nearest.second_score;
    const auto create = [&](double score, double threshold, CategoryId closest,
                            double closest_score) {
      out.branch = Branch::create;
      out.verdict = Verdict::created;
      out.category = newborn;
      out.score = score;
      out.threshold = threshold;
      out.runner_up = closest;
      out.runner_up_score = closest_score;
      return out;
    };
    std::size_t from = 0;
    if (m.options.routing && out.margin >= m.hi.value) {
      out.route = Route::known_only;
      out.score = out.margin;
      out.threshold = m.hi.value;
      assign(assignment(u, 0, known()), Branch::known_only, out);
      return out;
    }
    if (m.options.routing && out.top_cosine < m.tau_lo) {
      out.route = Route::categories_only;
      if (categories() == 0) return create(out.top_cosine, m.tau_lo, nearest.first, nearest.score);
      from = known();
    }

    // Step 2: is it explained well enough by a candidate? If not, does it join a category all the
    // same?
    double closest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = from; k < all; ++k) closest = std::max(closest, cosine(k, u));
    out.birth_score = closest / m.options.temperature - m.log_p0;
    if (out.birth_score >= boundary_.tau_birth) {
      out.score = out.birth_score;
      out.threshold = boundary_.tau_birth;
      assign(assignment(u, from, all), Branch::explained, out);
      return out;
    }
    if (categories() == 0)
      return create(out.birth_score, boundary_.tau_birth, nearest.first, nearest.score);
    Best attach;
    for (std::size_t c = 0; c < categories(); ++c) {
      const double kappa = concentration(resultant(c), sizes_[c], d_);
      attach.offer(static_cast<CategoryId>(known() + c),
                   attach_score(cosine(known() + c, u), sizes_[c], kappa, m.log_p0));
    }
    out.attach_score = attach.score;
    if (!(attach.score >= m.create.value))
      return create(attach.score, m.create.value, attach.first, attach.score);
    out.score = attach.score;
    out.threshold = m.create.value;
    assign(attach, Branch::attach, out);
    return out;
  }

  void update(const float* u, Decision& decision) {
    const auto k = static_cast<std::size_t>(decision.category);
    if (decision.verdict == Verdict::known) {
      ++class_sizes_[k];
    } else {
      const std::size_t c = k - known();
      if (decision.verdict == Verdict::created) {
        sizes_.push_back(0);
        births_.push_back(static_cast<std::int64_t>(decision.sequence));
        sums_.resize(sums_.size() + d_, 0.0);
      }
      ++sizes_[c];
      for (std::size_t j = 0; j < d_; ++j) sums_[c * d_ + j] += static_cast<double>(u[j]);
      boundary_ = current_boundary();
    }
    decision.tau_birth_after = boundary_.tau_birth;
    decision.eta_after = boundary_.eta;
    decision.categories_after = categories();
    decision.mature_after = static_cast<std::uint64_t>(std::count_if(
        sizes_.begin(), sizes_.end(), [&](std::int64_t n) { return n >= model_->mature_size(); }));
    count(stats_, decision);
  }

  std::vector<double> resultants() const {
    std::vector<double> lengths;
    for (std::size_t c = 0; c < categories(); ++c) lengths.push_back(resultant(c));
    return lengths;
  }

  Boundary current_boundary() const { return plain_boundary(*model_, sizes_, resultants()); }

  Snapshot snapshot() const {
    return {
        std::string(name()), model_->fingerprint(), stats_, class_sizes_, sizes_, births_, sums_};
  }

  std::shared_ptr<const Model> model_;
  std::size_t d_;
  std::vector<std::int64_t> class_sizes_;  // support and stream samples of each known class
  std::vector<std::int64_t> sizes_;        // of each category
  std::vector<std::int64_t> births_;
  std::vector<double> sums_;  // (categories, d)
  Boundary boundary_;
  MethodStats stats_;
};

}  // namespace

std::unique_ptr<Method> make_reference_method(std::shared_ptr<const Model> model) {
  return std::make_unique<ReferenceMethod>(std::move(model));
}

}  // namespace paco
