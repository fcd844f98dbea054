// Decisions of the AGE-like method. First the gate: if the classifier's confidence in its best
// class reaches the gate of that class, the sample belongs to it. Otherwise densities decide. Every
// known class and every category has a normal distribution in few dimensions, weighted by its
// number of samples. The best one gets the sample, unless the distribution of the whole support set
// is denser there; that distribution represents categories that have not been seen yet. A
// category's distribution is that of its latest samples; the distributions of the known classes do
// not change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/try.hpp"
#include "math/logarithm.hpp"
#include "methods/peers/age.hpp"
#include "methods/peers/head.hpp"
#include "methods/peers/peer_method.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

enum Field : std::size_t { kStage, kConfidence, kGate, kDensity, kRunnerUpScore };
enum Stage : std::uint8_t { kByGate, kByDensity };

struct AgeRule {
  math::PackedRows classifier;
  std::vector<double> gates;
  AgeSpace space;
  std::vector<Gaussian> known;
  math::Matrix<double> covariance;  // of the support set
  double log_alpha = 0;
  std::size_t window = 0;
};

class AgeMethod final : public PeerMethod {
 public:
  AgeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
            const MethodOptions& options, AgeRule rule)
      : PeerMethod(info, std::move(model), options),
        rule_(std::move(rule)),
        fresh_(std::vector<double>(rule_.covariance.rows()), rule_.covariance, kAgeFloor) {
    memory_changed();
  }

  std::vector<Statistic> statistics() const override {
    return {{"components", static_cast<double>(rule_.covariance.rows()), true}};
  }

  std::string explain_rule(const Decision& d) const override {
    const std::string name = categories().name(d.category);
    if (static_cast<Stage>(d.evidence[kStage]) == kByGate) {
      return fmt::format(
          "Sample {} is '{}': the classifier is confident of it with {:.4f}, at least {:.4f}.",
          d.sequence, name, d.score, d.threshold);
    }
    if (d.verdict != Verdict::created) {
      return fmt::format(
          "Sample {} goes to '{}', where it is densest, with {:.2f} against {:.2f} for a new "
          "category.",
          d.sequence, name, d.score, d.threshold);
    }
    return fmt::format(
        "Sample {} starts '{}': it would be densest in '{}', with {:.2f}, less than {:.2f} for a "
        "new "
        "category.",
        d.sequence, name, categories().name(d.runner_up), d.score, d.threshold);
  }

 private:
  // The latest samples of a category, and their distribution.
  struct Window {
    std::deque<std::vector<double>> points;
    Gaussian density;
  };

  void look(Rows<const float> units) override {
    cosines_ = multiply_rows(units, rule_.classifier, pool());
    points_ = math::Matrix<double>(units.rows, rule_.covariance.rows());
    pool().parallel_for(units.rows, 32, [&](std::size_t begin, std::size_t end) {
      const math::Matrix<double> some = rule_.space.project(units.slice(begin, end - begin));
      std::copy_n(some.data(), some.rows() * some.columns(), points_[begin].data());
    });
  }

  void memory_changed() override {
    takes_part_.assign(static_cast<std::size_t>(known()), 0);
    for (PrototypeId id = 0; id < known(); ++id)
      takes_part_[static_cast<std::size_t>(id)] = table()[id].competing() ? 1 : 0;
  }

  const Gaussian& density(PrototypeId id) const {
    if (id < known()) return rule_.known[static_cast<std::size_t>(id)];
    return windows_[static_cast<std::size_t>(id - known())].density;
  }

  void choose(std::size_t i, Decision& out) override {
    const Confidence sure = confidence(cosines_[i], takes_part_);
    out.evidence[kConfidence] = sure.value;
    out.evidence[kGate] = rule_.gates[sure.best];
    if (sure.value >= rule_.gates[sure.best]) {
      out.evidence[kStage] = kByGate;
      out.score = sure.value;
      out.threshold = rule_.gates[sure.best];
      out.prototype = static_cast<PrototypeId>(sure.best);
      out.runner_up = kNoId;
      return;
    }
    BestTwo best;
    for (PrototypeId id = 0; id < all(); ++id) {
      if (!table()[id].competing()) continue;
      best.offer(id, math::exact_log(static_cast<double>(table()[id].size())) +
                         density(id).log_density(points_[i]));
    }
    out.evidence[kStage] = kByDensity;
    out.evidence[kDensity] = best.score;
    out.score = best.score;
    out.threshold = rule_.log_alpha + fresh_.log_density(points_[i]);
    const bool joins = best.score >= out.threshold;
    out.prototype = joins ? best.first : kNoId;
    out.runner_up = joins ? best.second : best.first;
    out.evidence[kRunnerUpScore] = joins ? best.second_score : best.score;
  }

  void joined(std::size_t i, Decision& decision) override {
    if (decision.prototype < known()) return;
    if (decision.verdict == Verdict::created) windows_.emplace_back();
    Window& window = windows_[static_cast<std::size_t>(decision.prototype - known())];
    window.points.emplace_back(points_[i].begin(), points_[i].end());
    if (window.points.size() > rule_.window) window.points.pop_front();
    estimate(window);
  }

  void estimate(Window& window) const {
    const std::size_t p = rule_.covariance.rows();
    if (window.points.size() == 1) {
      window.density = fresh_.moved_to(window.points.front());
      return;
    }
    math::Matrix<double> rows(window.points.size(), p);
    for (std::size_t r = 0; r < rows.rows(); ++r)
      std::copy(window.points[r].begin(), window.points[r].end(), rows[r].begin());
    window.density = Gaussian(mean_of(rows), blended_covariance(rows, rule_.covariance), kAgeFloor);
  }

  void save_own(Section& own) const override {
    std::vector<double> points;
    std::vector<std::int64_t> counts;
    for (const Window& window : windows_) {
      counts.push_back(static_cast<std::int64_t>(window.points.size()));
      for (const auto& point : window.points)
        points.insert(points.end(), point.begin(), point.end());
    }
    const std::uint64_t p = rule_.covariance.rows();
    own.tensors["points"] = {{points.size() / p, p}, std::move(points)};
    own.tensors["counts"] = {{counts.size()}, std::move(counts)};
  }

  Result<void> restore_own(const Section& own, const std::string& name) override {
    const std::size_t p = rule_.covariance.rows();
    const auto damaged = [&](const char* what) {
      return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
                   "the file is damaged; use an earlier state"};
    };
    const std::size_t categories = table().size() - static_cast<std::size_t>(known());
    PACO_ASSIGN(const std::vector<std::int64_t>* counts,
                own.tensor<std::int64_t>("counts", categories));
    std::size_t total = 0;
    for (const std::int64_t count : *counts) {
      if (count < 1 || static_cast<std::size_t>(count) > rule_.window)
        return damaged("a category has an impossible window");
      total += static_cast<std::size_t>(count);
    }
    PACO_ASSIGN(const std::vector<double>* points, own.tensor<double>("points", total * p));
    if (!std::all_of(points->begin(), points->end(), [](double x) { return std::isfinite(x); }))
      return damaged("a point is not finite");
    std::vector<Window> windows;
    auto from = points->begin();
    for (const std::int64_t count : *counts) {
      Window& window = windows.emplace_back();
      for (std::int64_t r = 0; r < count; ++r, from += static_cast<std::ptrdiff_t>(p))
        window.points.emplace_back(from, from + static_cast<std::ptrdiff_t>(p));
      estimate(window);
    }
    windows_ = std::move(windows);
    memory_changed();
    return {};
  }

  AgeRule rule_;
  Gaussian fresh_;  // of the whole support set; moved to a sample, it is a new category's
  std::vector<Window> windows_;           // by category
  std::vector<std::uint8_t> takes_part_;  // by known class
  math::Matrix<float> cosines_;           // cosines of the block ...
  math::Matrix<double> points_;           // ... and its points
};

}  // namespace

const std::vector<EvidenceField>& age_fields() {
  static const std::vector<EvidenceField> fields{
      {"stage", "", "what decided", {"gate", "density"}},
      {"confidence", "share", "the classifier's, of its best class"},
      {"gate", "share", "the confidence that this class asks for"},
      {"density", "log density", "the best one, weighed by samples"},
      {"runner_up_score", "log density", "of the runner-up"}};
  return fields;
}

Result<std::unique_ptr<Method>> make_age_method(const MethodInfo& info,
                                                std::shared_ptr<const Model> model,
                                                const MethodOptions& options) {
  PACO_ASSIGN(const Section* section, model->section(info.section));
  PACO_ASSIGN(const AgeOptions own, age_table().read(section->settings, options.settings));
  const std::size_t classes = model->known_classes(), d = model->dimension;
  AgeRule rule;
  PACO_ASSIGN(const math::Matrix<float> classifier, matrix_of(*section, "classifier", d));
  if (classifier.rows() != classes) {
    return Error{ErrorCode::bad_format, "its classifier has not one row a class",
                 "the file is damaged; calibrate again"};
  }
  rule.classifier = math::PackedRows(classifier);
  PACO_ASSIGN(const std::vector<double>* gates, section->tensor<double>("gates", classes));
  rule.gates = *gates;
  if (own.ssc) {
    PACO_ASSIGN(const double gate, section->number("ssc"));
    rule.gates.assign(classes, gate);
  }
  PACO_ASSIGN(rule.space.basis, matrix_of(*section, "basis", d));
  PACO_ASSIGN(const std::vector<double>* centre, section->tensor<double>("centre", d));
  rule.space.mean = *centre;
  const std::size_t p = rule.space.basis.rows();
  const auto square = [p](const double* from) {
    math::Matrix<double> out(p, p);
    std::copy_n(from, p * p, out.data());
    return out;
  };
  PACO_ASSIGN(const std::vector<double>* all, section->tensor<double>("covariance", p * p));
  PACO_ASSIGN(const std::vector<double>* means, section->tensor<double>("means", classes * p));
  PACO_ASSIGN(const std::vector<double>* covariances,
              section->tensor<double>("covariances", classes * p * p));
  rule.covariance = square(all->data());
  for (std::size_t k = 0; k < classes; ++k) {
    const double* mean = means->data() + k * p;
    rule.known.emplace_back(std::vector<double>(mean, mean + p),
                            square(covariances->data() + k * p * p), kAgeFloor);
  }
  rule.log_alpha = math::exact_log(own.alpha);
  rule.window = own.window;
  return std::unique_ptr<Method>(
      std::make_unique<AgeMethod>(info, std::move(model), options, std::move(rule)));
}

}  // namespace paco::methods
