// Puts the parts together: checks, counts, matchings, shares, and where samples went.
#include "evaluate/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/try.hpp"
#include "evaluate/bootstrap.hpp"
#include "evaluate/contingency.hpp"
#include "evaluate/protocol.hpp"
#include "math/assignment.hpp"

namespace paco::evaluate {
namespace {

Result<void> check_ids(std::span<const std::int64_t> ids, std::int64_t smallest,
                       std::string_view what) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= smallest) continue;
    return Error{ErrorCode::bad_value, fmt::format("{} of sample {} is {}", what, i, ids[i]),
                 smallest == io::kNoTruth
                     ? "class ids start at 0; -1 means that the truth is unknown"
                     : "category ids start at 0"};
  }
  return {};
}

Result<void> check_input(const EvaluationInput& input, const EvaluationOptions& options) {
  const std::size_t n = input.predicted.size();
  if (n == 0) {
    return Error{ErrorCode::bad_shape, "there is no decision to evaluate",
                 "give the decisions of a stream with at least one sample"};
  }
  if (input.truth.size() != n) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} decisions, but {} true labels", n, input.truth.size()),
                 "give one label per decision, with -1 where the truth is unknown"};
  }
  if (!input.closed.empty() && input.closed.size() != n) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} decisions, but {} of the closed-set row", n, input.closed.size()),
                 "run both methods over the same stream"};
  }
  if (input.known_classes < 0) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("the number of known classes is {}", input.known_classes),
                 "it is the number of classes in the support set"};
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return Error{ErrorCode::bad_argument, fmt::format("confidence is {}", options.confidence),
                 "give a share between 0 and 1, e.g. 0.95"};
  }
  PACO_TRY(check_ids(input.predicted, 0, "the category"));
  PACO_TRY(check_ids(input.truth, io::kNoTruth, "the true class"));
  PACO_TRY(check_ids(input.closed, 0, "the closed-set category"));
  for (std::size_t i = 0; i < input.closed.size(); ++i) {
    if (input.closed[i] < input.known_classes) continue;
    return Error{
        ErrorCode::bad_value,
        fmt::format("the closed-set row puts sample {} into category {}, but there are only "
                    "{} known classes",
                    i, input.closed[i], input.known_classes),
        "a closed-set method never discovers: check that the two files are not swapped"};
  }
  if (std::all_of(input.truth.begin(), input.truth.end(),
                  [](std::int64_t label) { return label == io::kNoTruth; })) {
    return Error{ErrorCode::bad_value, fmt::format("none of the {} decisions has a true label", n),
                 "evaluation needs the truth of at least one sample"};
  }
  return {};
}

// The counts behind one row of scores.
struct Matched {
  Contingency table;
  Protocols protocols;
  Scores scores;
};

std::optional<Interval> ends(std::int64_t fewest, std::int64_t most, std::int64_t of) {
  if (of == 0) return std::nullopt;
  return Interval{static_cast<double>(fewest) / static_cast<double>(of),
                  static_cast<double>(most) / static_cast<double>(of)};
}

Matched match_classes(std::span<const CategoryId> predicted, const EvaluationInput& input,
                      const EvaluationOptions& options, const std::stop_token& stop) {
  Matched matched;
  matched.table = count_pairs(predicted, input.truth);
  matched.protocols =
      apply_protocols(matched.table, input.known_classes, options.keep, options.match, stop);
  const Contingency& table = matched.table;
  const Protocols& protocols = matched.protocols;

  // The bootstrap needs only how many samples have each mark, not their order.
  std::vector<std::uint8_t> marks;
  marks.reserve(static_cast<std::size_t>(table.samples));
  for (const Contingency::Entry& entry : table.entries) {
    const std::int64_t label = table.labels[entry.label];
    const bool old = label < input.known_classes;
    const StandsFor& greedy = old ? protocols.greedy_old : protocols.greedy_novel;
    std::uint8_t mark = old ? kOld : 0;
    if (protocols.strict[entry.cluster] == entry.label) mark |= kStrictCorrect;
    if (greedy[entry.cluster] == entry.label) mark |= kGreedyCorrect;
    if (old && table.clusters[entry.cluster] == label) mark |= kKnownCorrect;
    marks.insert(marks.end(), static_cast<std::size_t>(entry.count), mark);
    if (!old) continue;
    matched.scores.false_new.samples += entry.count;
    if (table.clusters[entry.cluster] >= input.known_classes)
      matched.scores.false_new.correct += entry.count;
  }
  Scores& scores = matched.scores;
  count_accuracies(marks, scores);
  add_intervals(marks, options, scores, stop);
  const SplitAccuracy& strict = scores.strict;
  scores.strict_old_ties = ends(protocols.fewest_old, protocols.most_old, strict.old.samples);
  scores.strict_novel_ties = ends(strict.all.correct - protocols.most_old,
                                  strict.all.correct - protocols.fewest_old, strict.novel.samples);
  scores.clusters_kept = std::count(protocols.kept.begin(), protocols.kept.end(), 1);
  scores.nmi = normalised_mutual_information(table);
  scores.ari = adjusted_rand_index(table);

  const std::unordered_set<CategoryId> seen(predicted.begin(), predicted.end());
  scores.clusters_seen = static_cast<std::int64_t>(seen.size());
  scores.categories_born = std::count_if(seen.begin(), seen.end(),
                                         [&](CategoryId id) { return id >= input.known_classes; });
  // The closed-set row has the same input, but its method does hold known classes.
  const bool holds_known = !input.starts_empty || predicted.data() != input.predicted.data();
  scores.memory_size = scores.categories_born + (holds_known ? input.known_classes : 0);
  return matched;
}

// The given name. A class without a name is often named by its id only; that counts as no name.
std::optional<std::string> given_name(std::int64_t id, std::span<const std::string> names) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= names.size() || names[index].empty() || names[index] == std::to_string(id)) {
    return std::nullopt;
  }
  return names[index];
}

std::string class_name(std::int64_t label, const EvaluationInput& input) {
  return given_name(label, input.class_names).value_or(fmt::format("class {}", label));
}

std::string cluster_name(CategoryId cluster, const EvaluationInput& input) {
  if (const auto name = given_name(cluster, input.cluster_names)) return *name;
  if (cluster < input.known_classes) return class_name(cluster, input);
  return fmt::format("category {}", cluster);
}

std::vector<ClassScore> score_classes(const Matched& matched, const EvaluationInput& input) {
  const Contingency& table = matched.table;
  std::vector<ClassScore> classes(table.labels.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    classes[k].label = table.labels[k];
    classes[k].name = class_name(table.labels[k], input);
    classes[k].known = table.labels[k] < input.known_classes;
    classes[k].samples = table.label_sizes[k];
  }
  for (const Contingency::Entry& entry : table.entries) {
    ClassScore& score = classes[entry.label];
    ++score.clusters;
    const Protocols& protocols = matched.protocols;
    const StandsFor& greedy = score.known ? protocols.greedy_old : protocols.greedy_novel;
    if (greedy[entry.cluster] == entry.label) score.greedy_correct = entry.count;
    if (protocols.strict[entry.cluster] != entry.label) continue;
    score.strict_correct = entry.count;
    score.cluster = table.clusters[entry.cluster];
    score.cluster_name = cluster_name(*score.cluster, input);
    score.cluster_samples = table.cluster_sizes[entry.cluster];
  }
  return classes;
}

std::vector<ConfusedPair> most_confused(const Matched& matched, const EvaluationInput& input,
                                        std::size_t most) {
  const Contingency& table = matched.table;
  const StandsFor& strict = matched.protocols.strict;
  std::vector<Contingency::Entry> wrong;
  for (const Contingency::Entry& entry : table.entries) {
    if (strict[entry.cluster] != entry.label) wrong.push_back(entry);
  }
  const std::size_t count = std::min(most, wrong.size());
  std::partial_sort(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(count), wrong.end(),
                    [](const Contingency::Entry& a, const Contingency::Entry& b) {
                      if (a.count != b.count) return a.count > b.count;
                      return a.label != b.label ? a.label < b.label : a.cluster < b.cluster;
                    });
  std::vector<ConfusedPair> pairs(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Contingency::Entry& entry = wrong[k];
    pairs[k].label = table.labels[entry.label];
    pairs[k].name = class_name(pairs[k].label, input);
    pairs[k].cluster = table.clusters[entry.cluster];
    pairs[k].cluster_name = cluster_name(pairs[k].cluster, input);
    pairs[k].samples = entry.count;
    pairs[k].class_samples = table.label_sizes[entry.label];
    if (strict[entry.cluster] == math::kUnmatched) continue;
    pairs[k].stands_for = table.labels[static_cast<std::size_t>(strict[entry.cluster])];
    pairs[k].stands_for_name = class_name(*pairs[k].stands_for, input);
  }
  return pairs;
}

std::vector<BirthPoint> follow_births(const EvaluationInput& input) {
  std::vector<BirthPoint> births;
  std::unordered_set<CategoryId> categories;
  std::unordered_set<std::int64_t> classes;
  for (std::size_t i = 0; i < input.predicted.size(); ++i) {
    const bool born =
        input.predicted[i] >= input.known_classes && categories.insert(input.predicted[i]).second;
    const bool first = input.truth[i] != io::kNoTruth && input.truth[i] >= input.known_classes &&
                       classes.insert(input.truth[i]).second;
    if (!born && !first) continue;
    births.push_back({i, static_cast<std::int64_t>(categories.size()),
                      static_cast<std::int64_t>(classes.size())});
  }
  return births;
}

}  // namespace

std::string_view match_table_name(MatchTable table) {
  return table == MatchTable::square ? "square" : "rectangular";
}

std::string_view keep_name(Keep keep) { return keep == Keep::top ? "top" : "all"; }

Result<Evaluation> evaluate(const EvaluationInput& input, const EvaluationOptions& options,
                            std::stop_token stop) {
  PACO_TRY(check_input(input, options));
  const Matched matched = match_classes(input.predicted, input, options, stop);

  Evaluation evaluation;
  evaluation.options = options;
  evaluation.known_classes = input.known_classes;
  evaluation.samples = static_cast<std::int64_t>(input.predicted.size());
  evaluation.samples_with_truth = matched.table.samples;
  evaluation.true_classes = static_cast<std::int64_t>(matched.table.labels.size());
  evaluation.true_novel_classes =
      std::count_if(matched.table.labels.begin(), matched.table.labels.end(),
                    [&](std::int64_t label) { return label >= input.known_classes; });
  evaluation.scores = matched.scores;
  if (!input.closed.empty())
    evaluation.closed = match_classes(input.closed, input, options, stop).scores;
  evaluation.classes = score_classes(matched, input);
  evaluation.confused = most_confused(matched, input, options.confused);
  evaluation.births = follow_births(input);
  if (stop.stop_requested()) {
    return Error{ErrorCode::interrupted, "the evaluation was interrupted", ""};
  }
  return evaluation;
}

}  // namespace paco::evaluate
