// The rule of LTC and TALON: in the space that the head learned, the prototype with the largest
// cosine gets a sample if the cosine reaches the threshold. Otherwise the sample becomes a
// prototype. The known classes' mean directions are present from the start.
//
// TALON's prototypes move towards their samples, one batch at a time. They move further if more
// samples joined and those were closer; known classes move less than categories. (TALON also adapts
// its backbone; here embeddings are given.) LTC's prototypes do not move. LTC also merges
// categories whose prototypes have a cosine above 0.995. This cannot happen here: each prototype
// started below the threshold of all earlier ones, and none moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/peers/head.hpp"
#include "methods/peers/losses.hpp"
#include "methods/peers/peer_method.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

enum Field : std::size_t { kRunnerUpScore };

struct SpaceRule {
  std::optional<Head> head;  // none: embeddings are used as they are
  math::Matrix<float> centres;
  double threshold = 0;
  std::size_t batch = 0;  // samples after which prototypes move; 0: never
};

class SpaceMethod final : public PeerMethod {
 public:
  SpaceMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
              const MethodOptions& options, SpaceRule rule)
      : PeerMethod(info, std::move(model), options), rule_(std::move(rule)) {
    for (std::size_t k = 0; k < rule_.centres.rows(); ++k)
      prototypes_.emplace_back(rule_.centres[k].begin(), rule_.centres[k].end());
  }

  std::vector<Statistic> statistics() const override { return {{"tau", rule_.threshold, false}}; }

  std::string explain_rule(const Decision& d) const override {
    const std::string name = categories().name(d.category);
    if (d.verdict != Verdict::created) {
      return fmt::format("Sample {} goes to '{}' with cosine {:.4f}, at least {:.4f}.", d.sequence,
                         name, d.score, d.threshold);
    }
    return fmt::format(
        "Sample {} starts '{}': '{}' is the closest, with cosine {:.4f}, below {:.4f}.", d.sequence,
        name, categories().name(d.runner_up), d.score, d.threshold);
  }

 private:
  // A sample that joined after the prototypes last moved.
  struct Waiting {
    std::vector<float> point;
    std::int64_t prototype = 0;
    double confidence = 0;
  };

  std::size_t width() const { return rule_.centres.columns(); }

  void look(Rows<const float> rows) override {
    points_ = rule_.head ? unit_rows(rule_.head->apply(rows, pool())).units : unit_rows(rows).units;
  }

  void choose(std::size_t i, Decision& out) override {
    BestTwo best;
    for (PrototypeId id = 0; id < all(); ++id) {
      if (!table()[id].competing()) continue;
      best.offer(id, math::dot(prototypes_[static_cast<std::size_t>(id)].data(), points_[i].data(),
                               width()));
    }
    const bool joins = best.first != kNoId && best.score >= rule_.threshold;
    out.score = best.score;
    out.threshold = rule_.threshold;
    out.prototype = joins ? best.first : kNoId;
    out.runner_up = joins ? best.second : best.first;
    out.evidence[kRunnerUpScore] = joins ? best.second_score : best.score;
  }

  void joined(std::size_t i, Decision& decision) override {
    const bool created = decision.verdict == Verdict::created;
    if (created) prototypes_.emplace_back(points_[i].begin(), points_[i].end());
    if (rule_.batch == 0) return;
    waiting_.push_back({{points_[i].begin(), points_[i].end()},
                        static_cast<std::int64_t>(decision.prototype),
                        created ? 1 : std::clamp(decision.score, 0.0, 1.0)});
    if (waiting_.size() >= rule_.batch) follow();
  }

  // Moves prototypes by rate * mean confidence * n / (n + reluctance) towards the mean of the n
  // samples that joined.
  void follow() {
    std::map<std::int64_t, std::vector<const Waiting*>> by_prototype;
    for (const Waiting& one : waiting_) by_prototype[one.prototype].push_back(&one);
    for (const auto& [id, members] : by_prototype) {
      if (members.size() < 2) continue;  // as in released code: one sample has no effect
      const double rate = id < known() ? 0.06 : 0.3, reluctance = id < known() ? 32 : 8;
      const auto n = static_cast<double>(members.size());
      std::vector<double> mean(width());
      double confidence = 0;
      for (const Waiting* one : members) {
        confidence += one->confidence / n;
        for (std::size_t j = 0; j < width(); ++j) mean[j] += static_cast<double>(one->point[j]) / n;
      }
      const double step = rate * confidence * n / (n + reluctance);
      std::vector<float>& prototype = prototypes_[static_cast<std::size_t>(id)];
      math::Matrix<float> moved(1, width());
      for (std::size_t j = 0; j < width(); ++j) {
        moved[0][j] =
            static_cast<float>((1 - step) * static_cast<double>(prototype[j]) + step * mean[j]);
      }
      const math::Matrix<float> unit = unit_rows(moved).units;
      prototype.assign(unit[0].begin(), unit[0].end());
    }
    waiting_.clear();
  }

  void save_own(Section& own) const override {
    const std::size_t d = width(), first = static_cast<std::size_t>(known());
    std::vector<float> prototypes, points;
    // If nothing moves, the known classes' prototypes equal those of the model.
    for (std::size_t p = rule_.batch > 0 ? 0 : first; p < prototypes_.size(); ++p)
      prototypes.insert(prototypes.end(), prototypes_[p].begin(), prototypes_[p].end());
    std::vector<std::int64_t> of;
    std::vector<double> confidences;
    for (const Waiting& one : waiting_) {
      points.insert(points.end(), one.point.begin(), one.point.end());
      of.push_back(one.prototype);
      confidences.push_back(one.confidence);
    }
    const std::uint64_t count = waiting_.size();
    own.tensors["prototypes"] = {{prototypes.size() / d, d}, std::move(prototypes)};
    own.tensors["waiting"] = {{count, d}, std::move(points)};
    own.tensors["waiting_for"] = {{count}, std::move(of)};
    own.tensors["waiting_confidence"] = {{count}, std::move(confidences)};
  }

  Result<void> restore_own(const Section& own, const std::string& name) override {
    const std::size_t d = width(), first = rule_.batch > 0 ? 0 : static_cast<std::size_t>(known());
    const auto damaged = [&](const char* what) {
      return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
                   "the file is damaged; use an earlier state"};
    };
    PACO_ASSIGN(const std::vector<float>* prototypes,
                own.tensor<float>("prototypes", (table().size() - first) * d));
    const auto waiting = own.tensors.find("waiting_for");
    if (waiting == own.tensors.end()) return damaged("it does not say which samples wait");
    const std::size_t count = waiting->second.shape.empty() ? 0 : waiting->second.shape[0];
    if (count >= std::max<std::size_t>(rule_.batch, 1)) return damaged("too many samples wait");
    PACO_ASSIGN(const std::vector<std::int64_t>* of,
                own.tensor<std::int64_t>("waiting_for", count));
    PACO_ASSIGN(const std::vector<float>* points, own.tensor<float>("waiting", count * d));
    PACO_ASSIGN(const std::vector<double>* confidences,
                own.tensor<double>("waiting_confidence", count));
    const auto finite = [](const auto& values) {
      return std::all_of(values.begin(), values.end(), [](auto x) { return std::isfinite(x); });
    };
    if (!finite(*prototypes) || !finite(*points) || !finite(*confidences))
      return damaged("a prototype is not finite");
    const auto slice = [&](const std::vector<float>& rows, std::size_t i) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(i * d);
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(d));
    };
    prototypes_.resize(first);
    for (std::size_t p = first; p < table().size(); ++p)
      prototypes_.push_back(slice(*prototypes, p - first));
    waiting_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if ((*of)[i] < 0 || (*of)[i] >= static_cast<std::int64_t>(table().size()))
        return damaged("a sample waits for a prototype that is not there");
      waiting_.push_back({slice(*points, i), (*of)[i], (*confidences)[i]});
    }
    return {};
  }

  SpaceRule rule_;
  std::vector<std::vector<float>> prototypes_;
  std::vector<Waiting> waiting_;
  math::Matrix<float> points_;  // of the block
};

}  // namespace

const std::vector<EvidenceField>& space_fields() {
  static const std::vector<EvidenceField> fields{
      {"runner_up_score", "cosine", "of the runner-up, in the space of the head"}};
  return fields;
}

namespace {

Result<std::unique_ptr<Method>> make_space_method(const MethodInfo& info,
                                                  std::shared_ptr<const Model> model,
                                                  const MethodOptions& options,
                                                  const OptionTable<SpaceOptions>& table) {
  PACO_ASSIGN(const Section* section, model->section(info.section));
  PACO_ASSIGN(const SpaceOptions own, table.read(section->settings, options.settings));
  SpaceRule rule;
  std::size_t width = model->dimension;
  if (section->tensors.contains("head.gelu")) {
    PACO_ASSIGN(rule.head, Head::get(*section, "head", width));
    width = rule.head->outputs();
  }
  PACO_ASSIGN(rule.centres, matrix_of(*section, "centres", width));
  if (rule.centres.rows() != model->known_classes()) {
    return Error{ErrorCode::bad_format, "its section has not one centre a class",
                 "the file is damaged; calibrate again"};
  }
  PACO_ASSIGN(rule.threshold, section->number(own.ssc ? "ssc" : "tau"));
  if (own.tau > 0) rule.threshold = own.tau;
  rule.batch = own.batch;
  return std::unique_ptr<Method>(
      std::make_unique<SpaceMethod>(info, std::move(model), options, std::move(rule)));
}

}  // namespace

Result<std::unique_ptr<Method>> make_ltc_method(const MethodInfo& info,
                                                std::shared_ptr<const Model> model,
                                                const MethodOptions& options) {
  return make_space_method(info, std::move(model), options, ltc_table());
}

Result<std::unique_ptr<Method>> make_talon_method(const MethodInfo& info,
                                                  std::shared_ptr<const Model> model,
                                                  const MethodOptions& options) {
  return make_space_method(info, std::move(model), options, talon_table());
}

}  // namespace paco::methods
