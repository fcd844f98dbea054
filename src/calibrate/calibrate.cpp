// From the support set to a Model: statistics, references, thresholds and the evidence for them.
// Nothing but the support set is looked at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "base/try.hpp"
#include "calibrate/references.hpp"
#include "calibrate/replay.hpp"
#include "calibrate/threshold.hpp"
#include "linalg/median.hpp"
#include "paco/model.hpp"
#include "sphere/standardise.hpp"
#include "sphere/von_mises_fisher.hpp"

namespace paco {
namespace {

Result<void> check_options(const CalibrationOptions& options) {
  const auto refuse = [](const char* name, double value, const char* need) {
    return Error{ErrorCode::bad_argument, fmt::format("{} is {}", name, value),
                 fmt::format("it must be {}", need)};
  };
  // Beyond these the float32 side of a score would overflow.
  if (!(options.temperature >= 1e-6 && options.temperature <= 1e6))
    return refuse("temperature", options.temperature, "between 1e-6 and 1e6");
  if (!(options.alpha >= 1e-6 && options.alpha <= 1e18))
    return refuse("alpha", options.alpha, "between 1e-6 and 1e18");
  if (!(options.beta >= 0) || !std::isfinite(options.beta))
    return refuse("beta", options.beta, "zero or more");
  if (!std::isfinite(options.spread)) return refuse("spread", options.spread, "a number");
  if (!(options.epsilon > 0) || !std::isfinite(options.epsilon)) {
    return refuse("epsilon", options.epsilon, "positive");
  }
  if (options.replays < 1) return refuse("replays", options.replays, "at least 1");
  if (options.threads < 1) return refuse("threads", options.threads, "at least 1");
  return {};
}

// Samples per class; refuses what cannot be calibrated from.
Result<std::vector<std::int64_t>> count_classes(const SupportSet& support,
                                                const std::vector<std::string>& names) {
  const Rows<const double>& h = support.embeddings;
  if (h.rows != support.labels.size()) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("support set: {} embeddings but {} labels", h.rows, support.labels.size()),
        "give one label for every row, in the same order"};
  }
  if (h.rows == 0)
    return Error{ErrorCode::bad_shape, "support set: it is empty", "give labelled embeddings"};
  if (h.columns < 2) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("support set: embeddings have {} column(s)", h.columns),
                 "at least 2 are needed"};
  }
  std::vector<std::int64_t> sizes(names.size(), 0);
  for (std::size_t i = 0; i < h.rows; ++i) {
    const std::int64_t label = support.labels[i];
    if (label < 0 || static_cast<std::size_t>(label) >= names.size()) {
      const std::string limit = support.class_names.empty()
                                    ? fmt::format("there are only {} rows", h.rows)
                                    : fmt::format("there are {} classes", names.size());
      return Error{ErrorCode::bad_value,
                   fmt::format("support set: row {} has label {}, but {}", i, label, limit),
                   "labels are 0 to the number of classes less one, without gaps"};
    }
    ++sizes[static_cast<std::size_t>(label)];
  }
  const auto missing = std::find(sizes.begin(), sizes.end(), 0);
  if (missing != sizes.end()) {
    const auto k = missing - sizes.begin();
    return Error{ErrorCode::bad_value,
                 fmt::format("support set: class {} ('{}') has no sample", k,
                             names[static_cast<std::size_t>(k)]),
                 "number the classes without gaps, or add samples of that class"};
  }
  if (names.size() < 3) {
    return Error{ErrorCode::bad_value, fmt::format("support set: {} known class(es)", names.size()),
                 "calibration masks one class and compares two others: at least 3 are needed"};
  }
  if (*std::max_element(sizes.begin(), sizes.end()) < 2) {
    return Error{ErrorCode::bad_value, "support set: every class has a single sample",
                 "at least one class needs 2 samples, so that joining a class can be observed"};
  }
  return sizes;
}

std::vector<std::string> names_of(const SupportSet& support) {
  if (!support.class_names.empty()) return support.class_names;
  std::int64_t largest = -1;
  for (const std::int64_t label : support.labels) largest = std::max(largest, label);
  // Every class needs a sample, so a larger label is an error that count_classes reports.
  const auto most = std::min(largest, static_cast<std::int64_t>(support.labels.size()));
  std::vector<std::string> names;
  for (std::int64_t k = 0; k <= most; ++k) names.push_back(std::to_string(k));
  return names;
}

// The better bank as a whole: support accuracy, then mean margin, then prototypes.
bool classifier_wins(const Model& model) {
  if (model.options.reference != ReferenceChoice::automatic) {
    return model.options.reference == ReferenceChoice::classifier;
  }
  const ReferenceQuality &p = model.prototype_quality, &c = model.classifier_quality;
  if (!c.available) return false;
  if (c.accuracy != p.accuracy) return c.accuracy > p.accuracy;
  return c.mean_margin > p.mean_margin;
}

// tau_hi, tau_lo, tau_birth and tau_birth_sup, all read off the views on the winning bank.
void set_reference_thresholds(Model& model, std::span<const BankView> views) {
  const double T = model.options.temperature;
  std::vector<double> margins, masked_margins, births, masked_births;
  double lowest = views[0].top, mean = 0;
  for (const BankView& view : views) {
    margins.push_back(view.top - view.second);
    masked_margins.push_back(view.masked_top - view.masked_second);
    births.push_back(view.top / T - model.log_p0);
    masked_births.push_back(view.masked_top / T - model.log_p0);
    lowest = std::min(lowest, view.top);
    mean += view.top;
  }
  mean /= static_cast<double>(views.size());
  double variance = 0;
  for (const BankView& view : views) variance += (view.top - mean) * (view.top - mean);
  model.sigma_pos = std::sqrt(variance / static_cast<double>(views.size()));

  model.hi = choose_threshold(margins, masked_margins, model.options.tie);
  model.tau_lo = std::min(model.hi.value, lowest - model.sigma_pos);
  model.birth = choose_threshold(births, masked_births, model.options.tie);
  model.tau_birth_sup = model.birth.value - model.options.spread * model.sigma_pos / T;
}

}  // namespace

Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options,
                        std::stop_token stop) {
  PACO_TRY(check_options(options));
  Model model;
  model.options = options;
  model.class_names = names_of(support);
  PACO_ASSIGN(model.class_sizes, count_classes(support, model.class_names));
  model.dimension = support.embeddings.columns;
  const bool with_classifier = support.classifier.rows > 0;
  if (with_classifier && (support.classifier.rows != model.known_classes() ||
                          support.classifier.columns != model.dimension)) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("classifier: it is {} x {}, the support set has {} classes and {} columns",
                    support.classifier.rows, support.classifier.columns, model.known_classes(),
                    model.dimension),
        "export the classifier of the model that made the embeddings"};
  }
  if (options.reference == ReferenceChoice::classifier && !with_classifier) {
    return Error{ErrorCode::bad_argument,
                 "the classifier is asked for as reference, but none is given",
                 "give --classifier, or choose another --reference"};
  }

  SupportStatistics statistics = support_statistics(support.embeddings, options.epsilon);
  // A value that is not finite leaves no finite mean behind; then it is worth finding.
  if (!std::all_of(statistics.mean.begin(), statistics.mean.end(),
                   [](double mean) { return std::isfinite(mean); })) {
    PACO_TRY(check_rows(support.embeddings, "support set"));
  }
  model.mean = std::move(statistics.mean);
  model.deviation = std::move(statistics.deviation);
  model.log_p0 = log_uniform_density(model.dimension);
  model.base_median =
      median(std::vector<double>(model.class_sizes.begin(), model.class_sizes.end()));

  ThreadPool pool(static_cast<unsigned>(options.threads));
  const std::size_t n = support.embeddings.rows;
  Matrix<float> units(n, model.dimension);
  PACO_TRY(standardise_rows(support.embeddings, model.mean, model.deviation, units.view(),
                            "support set", 0, pool));

  PACO_ASSIGN(Matrix<float> bank, class_prototypes(units, support.labels, model.class_names));
  std::vector<BankView> views = view_bank(units, support.labels, bank, pool);
  model.prototype_quality = bank_quality(views, support.labels);
  if (with_classifier) {
    PACO_ASSIGN(Matrix<float> other,
                classifier_references(support.classifier, model.deviation, model.class_names));
    std::vector<BankView> other_views = view_bank(units, support.labels, other, pool);
    model.classifier_quality = bank_quality(other_views, support.labels);
    if (classifier_wins(model)) {
      bank = std::move(other);
      views = std::move(other_views);
      model.reference = ReferenceChoice::classifier;
    }
  }
  model.references.assign(bank.data(), bank.data() + bank.rows() * bank.columns());
  set_reference_thresholds(model, views);

  const ReplayPlan plan{model.known_classes(), options.replays, options.seed, model.log_p0};
  PACO_ASSIGN(const ReplayScores scores, replay(units, support.labels, plan, pool, stop));
  model.create = choose_threshold(scores.attach_positives, scores.attach_negatives, options.tie);
  model.leader = choose_threshold(scores.cosine_positives, scores.cosine_negatives, options.tie);
  return model;
}

}  // namespace paco
