// The part of a calibration that all methods share: checks, statistics, references.
#include "methods/common/support_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "core/printable.hpp"
#include "core/random.hpp"
#include "core/try.hpp"
#include "math/median.hpp"
#include "methods/common/standardise.hpp"
#include "methods/common/von_mises_fisher.hpp"

namespace paco::methods {
namespace {

// Counts the samples per class; refuses sets that cannot be used for calibration.
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

// Checks that no two classes have the same name.
Result<void> check_names(const std::vector<std::string>& names) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!core::is_utf8(names[k])) {
      return Error{ErrorCode::bad_value,
                   fmt::format("support set: the name of class {}, '{}', is not UTF-8", k,
                               core::printable(names[k])),
                   "give the class a name in UTF-8"};
    }
    const auto [first, fresh] = seen.emplace(names[k], k);
    if (!fresh) {
      return Error{ErrorCode::bad_value,
                   fmt::format("support set: classes {} and {} are both called '{}'", first->second,
                               k, names[k]),
                   "give every class a name of its own"};
    }
  }
  return {};
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

// Returns true if the classifier bank is chosen. If the choice is automatic, the bank with the
// higher support accuracy wins, then the one with the higher mean margin; if both are equal, the
// prototypes win.
bool classifier_wins(const Model& model, ReferenceChoice wanted) {
  if (wanted != ReferenceChoice::automatic) return wanted == ReferenceChoice::classifier;
  const ReferenceQuality &p = model.prototype_quality, &c = model.classifier_quality;
  if (!c.available) return false;
  if (c.accuracy != p.accuracy) return c.accuracy > p.accuracy;
  return c.mean_margin > p.mean_margin;
}

Result<void> check_classifier(const SupportSet& support, const Model& model,
                              ReferenceChoice wanted) {
  const bool given = support.classifier.rows > 0;
  if (given && (support.classifier.rows != model.known_classes() ||
                support.classifier.columns != model.dimension)) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("classifier: it is {} x {}, the support set has {} classes and {} columns",
                    support.classifier.rows, support.classifier.columns, model.known_classes(),
                    model.dimension),
        "export the classifier of the model that made the embeddings"};
  }
  if (wanted == ReferenceChoice::classifier && !given) {
    return Error{ErrorCode::bad_argument,
                 "the classifier is asked for as reference, but none is given",
                 "give --classifier, or choose another --reference"};
  }
  return {};
}

Result<void> check_held_out(const SupportSet& support, const Model& model, double rate) {
  if (!(rate >= 0 && rate < 1)) {
    return Error{ErrorCode::bad_argument, fmt::format("the false-new rate is {}", rate),
                 "it is a share between 0 and 1"};
  }
  const Rows<const double>& apart = support.held_out;
  if (apart.rows != support.held_out_labels.size()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("samples held out: {} embeddings but {} labels", apart.rows,
                             support.held_out_labels.size()),
                 "give one label for every row, in the same order"};
  }
  if (apart.rows == 0 && rate > 0 && support.classifier.rows > 0) {
    return Error{ErrorCode::bad_argument,
                 "a false-new rate cannot be promised by labelled samples that a classifier was "
                 "trained on: embeddings are closer to their classes there than in a stream",
                 "give --held-out with samples that it was trained without"};
  }
  if (apart.rows == 0) return {};
  if (rate == 0) {
    return Error{ErrorCode::bad_argument,
                 "samples are held out, but no false-new rate is asked for",
                 "say what to promise, as --false-new 1%"};
  }
  if (apart.columns != model.dimension) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("samples held out have {} columns, the support set {}", apart.columns,
                             model.dimension),
                 "embed both with the same backbone"};
  }
  for (std::size_t i = 0; i < apart.rows; ++i) {
    const std::int64_t label = support.held_out_labels[i];
    if (label >= 0 && static_cast<std::size_t>(label) < model.known_classes()) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("samples held out: row {} is of class {}, which the support set does "
                             "not have",
                             i, label),
                 "hold out samples of known classes alone"};
  }
  return {};
}

// How often each support sample is scored: against one bank or two, and in every replay.
std::uint64_t scorings(const SupportSet& support, const CalibrationOptions& options) {
  const auto given = options.settings.find("replays");
  std::uint64_t replays = 3;
  if (given != options.settings.end())
    std::from_chars(given->second.data(), given->second.data() + given->second.size(), replays);
  return replays + (support.classifier.rows > 0 ? 2 : 1);
}

Error interrupted() { return Error{ErrorCode::interrupted, "calibration was interrupted", ""}; }

}  // namespace

SupportView::SupportView(const SupportSet& support, const CalibrationOptions& options,
                         std::stop_token stop)
    : raw_(support.embeddings),
      held_out_(support.held_out),
      false_new_(options.false_new),
      labels_(support.labels),
      units_(support.embeddings.rows, support.embeddings.columns),
      pool_(static_cast<unsigned>(options.threads)),
      stop_(std::move(stop)),
      progress_(options.progress),
      work_(support.embeddings.rows * scorings(support, options), stop_, progress_) {}

Result<std::unique_ptr<SupportView>> SupportView::make(const SupportSet& support,
                                                       const CalibrationOptions& options,
                                                       std::stop_token stop,
                                                       std::uint64_t most_pairs) {
  if (!(options.epsilon > 0) || !std::isfinite(options.epsilon)) {
    return Error{ErrorCode::bad_argument, fmt::format("epsilon is {}", options.epsilon),
                 "it must be positive"};
  }
  if (options.threads < 0) {
    return Error{ErrorCode::bad_argument, fmt::format("threads is {}", options.threads),
                 "it must be at least 1, or 0 for all cores"};
  }
  Model model;
  model.epsilon = options.epsilon;
  model.wanted = options.reference;
  model.class_names = names_of(support);
  PACO_TRY(check_names(model.class_names));
  PACO_ASSIGN(model.class_sizes, count_classes(support, model.class_names));
  model.dimension = support.embeddings.columns;
  PACO_TRY(check_classifier(support, model, options.reference));
  PACO_TRY(check_held_out(support, model, options.false_new));

  SupportStatistics statistics = support_statistics(support.embeddings, options.epsilon);
  // If a value is not finite, the mean is not finite either. Only then are the rows searched.
  if (!std::all_of(statistics.mean.begin(), statistics.mean.end(),
                   [](double mean) { return std::isfinite(mean); })) {
    PACO_TRY(check_rows(support.embeddings, "support set"));
  }
  model.mean = std::move(statistics.mean);
  model.deviation = std::move(statistics.deviation);

  std::unique_ptr<SupportView> view(new SupportView(support, options, std::move(stop)));
  view->model_ = std::move(model);
  PACO_TRY(standardise_rows(support.embeddings, view->model_.mean, view->model_.deviation,
                            view->units_.view(), "support set", 0, view->pool_));
  view->draw_scored(most_pairs);
  PACO_TRY(view->choose_references(support, options.reference));
  return view;
}

void SupportView::draw_scored(std::uint64_t most_pairs) {
  const std::size_t samples = units_.rows();
  scored_ = std::min<std::size_t>(samples, most_pairs / model_.known_classes());
  if (scored_ == samples) return;
  std::vector<std::size_t> order = core::NumpyLegacyRandom(0).permutation(samples);
  order.resize(scored_);
  std::sort(order.begin(), order.end());
  drawn_units_ = math::Matrix<float>(scored_, units_.columns());
  for (std::size_t i = 0; i < scored_; ++i) {
    const auto row = units_[order[i]];
    std::copy(row.begin(), row.end(), drawn_units_[i].begin());
    drawn_labels_.push_back(labels_[order[i]]);
  }
}

std::vector<BankView> SupportView::look_at(const math::Matrix<float>& bank) {
  if (drawn_labels_.empty()) return view_bank(units_, labels_, bank, pool_, work_);
  std::vector<BankView> views = view_bank(drawn_units_, drawn_labels_, bank, pool_, work_);
  work_.add(units_.rows() - scored_);
  return views;
}

Result<void> SupportView::choose_references(const SupportSet& support, ReferenceChoice wanted) {
  PACO_ASSIGN(math::Matrix<float> bank, class_prototypes(units_, labels_, model_.class_names));
  const auto labels =
      drawn_labels_.empty() ? labels_ : std::span<const std::int64_t>(drawn_labels_);
  views_ = look_at(bank);
  model_.prototype_quality = bank_quality(views_, labels);
  if (support.classifier.rows > 0) {
    PACO_ASSIGN(math::Matrix<float> other,
                classifier_references(support.classifier, model_.deviation, model_.class_names));
    std::vector<BankView> other_views = look_at(other);
    model_.classifier_quality = bank_quality(other_views, labels);
    if (classifier_wins(model_, wanted)) {
      bank = std::move(other);
      views_ = std::move(other_views);
      model_.reference = ReferenceChoice::classifier;
    }
  }
  if (work_.stopped()) return interrupted();
  model_.references.assign(bank.data(), bank.data() + bank.rows() * bank.columns());
  return {};
}

double SupportView::base_median() const {
  return math::median(std::vector<double>(model_.class_sizes.begin(), model_.class_sizes.end()));
}

Result<const ReplayScores*> SupportView::replay(int replays, std::uint32_t seed) {
  const std::pair key{replays, seed};
  const auto found = replays_.find(key);
  if (found != replays_.end()) return &found->second;
  const ReplayPlan plan{model_.known_classes(), replays, seed,
                        log_uniform_density(model_.dimension), scored_};
  ReplayScores scores = methods::replay(units_, labels_, plan, pool_, work_);
  if (work_.stopped()) return interrupted();
  return &replays_.emplace(key, std::move(scores)).first->second;
}

}  // namespace paco::methods
