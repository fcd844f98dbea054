// SynC's rule. It works on embeddings (then it is the nearest class mean with a threshold for each
// class) or on the output of its head in the space of class names. The prototype with the largest
// difference between cosine and threshold gets the sample. If no cosine reaches its threshold, the
// sample becomes a prototype with the threshold of the closest prototype. Prototypes do not move
// towards their samples. With `refit`, all of them are trained anew after every tenth new category,
// on samples drawn around them; a category uses the spread of a known class.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/random.hpp"
#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/peers/head.hpp"
#include "methods/peers/losses.hpp"
#include "methods/peers/peer_method.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

enum Field : std::size_t { kCosine, kClassThreshold, kRunnerUpScore };

struct SyncRule {
  std::optional<Head> head;  // set if class names were given
  math::Matrix<float> centres, spreads;
  std::vector<double> thresholds;
  bool refit = false;
  std::size_t samples = 0;
  std::uint64_t seed = 0;
};

constexpr std::size_t kRefitEvery = 10;

class SyncMethod final : public PeerMethod {
 public:
  SyncMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
             const MethodOptions& options, SyncRule rule)
      : PeerMethod(info, std::move(model), options), rule_(std::move(rule)) {
    for (std::size_t k = 0; k < rule_.centres.rows(); ++k) {
      prototypes_.push_back(row_of(rule_.centres, k));
      bases_.push_back(prototypes_.back());
      thresholds_.push_back(rule_.thresholds[k]);
    }
  }

  std::vector<Statistic> statistics() const override {
    return {{"refits", static_cast<double>(rule_.refit ? births() / kRefitEvery : 0), true}};
  }

  std::string explain_rule(const Decision& d) const override {
    const std::string name = categories().name(d.category);
    const double cosine = d.evidence[kCosine], needed = d.evidence[kClassThreshold];
    if (d.verdict != Verdict::created) {
      return fmt::format(
          "Sample {} goes to '{}' with cosine {:.4f}, at least the {:.4f} it asks for.", d.sequence,
          name, cosine, needed);
    }
    return fmt::format(
        "Sample {} starts '{}': '{}' came closest to its own threshold, with cosine {:.4f} against "
        "{:.4f}.",
        d.sequence, name, categories().name(d.runner_up), cosine, needed);
  }

 private:
  static std::vector<float> row_of(const math::Matrix<float>& m, std::size_t i) {
    return {m[i].begin(), m[i].end()};
  }
  std::size_t births() const { return prototypes_.size() - static_cast<std::size_t>(known()); }

  void look(Rows<const float> units) override {
    units_ = units;
    if (!rule_.head) return;
    carried_ = unit_rows(rule_.head->apply(units, pool())).units;
    units_ = carried_;
  }
  std::size_t width() const { return rule_.centres.columns(); }

  void choose(std::size_t i, Decision& out) override {
    BestTwo best;
    double cosine = kNotComputed;
    for (PrototypeId id = 0; id < all(); ++id) {
      if (!table()[id].competing()) continue;
      const auto k = static_cast<std::size_t>(id);
      const double with = math::dot(prototypes_[k].data(), units_[i].data(), units_.columns);
      best.offer(id, with - thresholds_[k]);
      if (best.first == id) cosine = with;
    }
    const bool joins = best.score >= 0;
    out.score = best.score;
    out.threshold = 0;
    out.prototype = joins ? best.first : kNoId;
    out.runner_up = joins ? best.second : best.first;
    out.evidence[kCosine] = cosine;
    out.evidence[kClassThreshold] = thresholds_[static_cast<std::size_t>(best.first)];
    out.evidence[kRunnerUpScore] = joins ? best.second_score : best.score;
  }

  void joined(std::size_t i, Decision& decision) override {
    if (decision.verdict != Verdict::created) return;
    prototypes_.emplace_back(units_[i].begin(), units_[i].end());
    bases_.push_back(prototypes_.back());
    thresholds_.push_back(decision.evidence[kClassThreshold]);
    if (rule_.refit && births() % kRefitEvery == 0) refit();
  }

  // Five epochs of gradient descent on samples drawn around the first place of every competing
  // prototype, so that each sample is closest to its own prototype. The result depends on the state
  // only.
  void refit() {
    constexpr int kEpochs = 5;
    constexpr std::size_t kBatch = 128;
    constexpr float kTemperature = 0.1f, kRate = 0.01f;
    core::Random random(rule_.seed, births());
    std::vector<std::size_t> competing;
    for (PrototypeId id = 0; id < all(); ++id) {
      if (table()[id].competing()) competing.push_back(static_cast<std::size_t>(id));
    }
    const std::size_t d = width(), n = competing.size();
    math::Matrix<float> drawn(n * rule_.samples, d), weights(n, d);
    std::vector<std::int64_t> labels;
    for (std::size_t c = 0; c < n; ++c) {
      const std::size_t p = competing[c];
      std::copy(prototypes_[p].begin(), prototypes_[p].end(), weights[c].begin());
      const auto classes = static_cast<std::size_t>(known());
      const std::size_t lender = p < classes ? p : core::Random(rule_.seed, ~p).below(classes);
      for (std::size_t s = 0; s < rule_.samples; ++s) {
        const auto row = drawn[c * rule_.samples + s];
        for (std::size_t j = 0; j < d; ++j)
          row[j] = bases_[p][j] + rule_.spreads[lender][j] * static_cast<float>(random.normal());
        labels.push_back(static_cast<std::int64_t>(c));
      }
    }
    const math::Matrix<float> samples = unit_rows(drawn).units;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      const std::vector<std::size_t> order = random.permutation(samples.rows());
      for (std::size_t start = 0; start < order.size(); start += kBatch) {
        const std::size_t rows = std::min(kBatch, order.size() - start);
        math::Matrix<float> x(rows, d), slopes;
        std::vector<std::int64_t> own(rows);
        for (std::size_t r = 0; r < rows; ++r) {
          const std::size_t from = order[start + r];
          std::copy_n(samples[from].data(), d, x[r].data());
          own[r] = labels[from];
        }
        const UnitRows units = unit_rows(weights);
        math::Matrix<float> logits = multiply_rows(x, units.units, pool());
        for (std::size_t l = 0; l < rows * n; ++l) logits.data()[l] /= kTemperature;
        cross_entropy(logits, own, slopes);
        const math::Matrix<float> gradient =
            through_unit_rows(units, multiply(transposed(slopes), x, pool()));
        for (std::size_t l = 0; l < n * d; ++l)
          weights.data()[l] -= kRate / kTemperature * gradient.data()[l];
      }
    }
    const math::Matrix<float> directions = unit_rows(weights).units;
    for (std::size_t c = 0; c < n; ++c) prototypes_[competing[c]] = row_of(directions, c);
  }

  void save_own(Section& own) const override {
    const std::size_t d = width(), first = static_cast<std::size_t>(known());
    std::vector<float> prototypes, bases;
    // Without refits the known classes' prototypes equal those of the model.
    for (std::size_t p = rule_.refit ? 0 : first; p < prototypes_.size(); ++p)
      prototypes.insert(prototypes.end(), prototypes_[p].begin(), prototypes_[p].end());
    for (std::size_t p = first; rule_.refit && p < bases_.size(); ++p)
      bases.insert(bases.end(), bases_[p].begin(), bases_[p].end());
    own.tensors["prototypes"] = {{prototypes.size() / d, d}, std::move(prototypes)};
    own.tensors["bases"] = {{bases.size() / d, d}, std::move(bases)};
    own.tensors["thresholds"] = {
        {births()}, std::vector<double>(thresholds_.begin() + known(), thresholds_.end())};
  }

  Result<void> restore_own(const Section& own, const std::string& name) override {
    const std::size_t d = width(), first = static_cast<std::size_t>(known());
    const std::size_t count = table().size() - first;
    PACO_ASSIGN(const std::vector<float>* prototypes,
                own.tensor<float>("prototypes", (rule_.refit ? table().size() : count) * d));
    PACO_ASSIGN(const std::vector<float>* bases,
                own.tensor<float>("bases", (rule_.refit ? count : 0) * d));
    PACO_ASSIGN(const std::vector<double>* thresholds, own.tensor<double>("thresholds", count));
    const auto finite = [](const auto& values) {
      return std::all_of(values.begin(), values.end(), [](auto x) { return std::isfinite(x); });
    };
    if (!finite(*prototypes) || !finite(*bases) || !finite(*thresholds)) {
      return Error{ErrorCode::bad_format, fmt::format("{}: a prototype is not finite", name),
                   "the file is damaged; use an earlier state"};
    }
    const auto slice = [&](const std::vector<float>& all_rows, std::size_t i) {
      const auto begin = all_rows.begin() + static_cast<std::ptrdiff_t>(i * d);
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(d));
    };
    bases_.resize(first);
    thresholds_.resize(first);
    prototypes_ = bases_;
    if (rule_.refit) {
      for (std::size_t p = 0; p < first; ++p) prototypes_[p] = slice(*prototypes, p);
    }
    for (std::size_t i = 0; i < count; ++i) {
      prototypes_.push_back(slice(*prototypes, rule_.refit ? first + i : i));
      bases_.push_back(rule_.refit ? slice(*bases, i) : prototypes_.back());
      thresholds_.push_back((*thresholds)[i]);
    }
    return {};
  }

  SyncRule rule_;
  // By prototype: where it is, where it began, what it asks for.
  std::vector<std::vector<float>> prototypes_, bases_;
  std::vector<double> thresholds_;
  Rows<const float> units_;
  math::Matrix<float> carried_;
};

}  // namespace

const std::vector<EvidenceField>& sync_fields() {
  static const std::vector<EvidenceField> fields{
      {"cosine", "cosine", "with the prototype that is furthest above its threshold"},
      {"class_threshold", "cosine", "of that prototype"},
      {"runner_up_score", "cosine", "of the runner-up, less its threshold"}};
  return fields;
}

Result<std::unique_ptr<Method>> make_sync_method(const MethodInfo& info,
                                                 std::shared_ptr<const Model> model,
                                                 const MethodOptions& options) {
  PACO_ASSIGN(const Section* section, model->section(info.section));
  PACO_ASSIGN(const SyncOptions own, sync_table().read(section->settings, options.settings));
  SyncRule rule;
  std::size_t width = model->dimension;
  if (section->tensors.contains("head.gelu")) {
    PACO_ASSIGN(rule.head, Head::get(*section, "head", width));
    width = rule.head->outputs();
  }
  PACO_ASSIGN(rule.centres, matrix_of(*section, "centres", width));
  PACO_ASSIGN(rule.spreads, matrix_of(*section, "spreads", width));
  if (rule.centres.rows() != model->known_classes() || rule.spreads.rows() != rule.centres.rows()) {
    return Error{ErrorCode::bad_format, "its section has not one centre a class",
                 "the file is damaged; calibrate again"};
  }
  PACO_ASSIGN(const std::vector<double>* thresholds,
              section->tensor<double>("thresholds", model->known_classes()));
  rule.thresholds = *thresholds;
  rule.refit = own.refit;
  rule.samples = own.samples;
  rule.seed = own.seed;
  return std::unique_ptr<Method>(
      std::make_unique<SyncMethod>(info, std::move(model), options, std::move(rule)));
}

}  // namespace paco::methods
