// The layout of an evaluation: which table has which columns, which JSON key holds what.
#include "report/summary.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace paco::report {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(); }

Json split_values(const evaluate::SplitAccuracy& split) {
  return Json{{"all", number_or_null(split.all.value())},
              {"old", number_or_null(split.old.value())},
              {"new", number_or_null(split.novel.value())}};
}

Json interval_or_null(const std::optional<evaluate::Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json split_intervals(const evaluate::SplitAccuracy& split) {
  return Json{{"all", interval_or_null(split.all.interval)},
              {"old", interval_or_null(split.old.interval)},
              {"new", interval_or_null(split.novel.interval)}};
}

void put_scores(const evaluate::Scores& scores, Json& json) {
  json["strict"] = split_values(scores.strict);
  json["greedy"] = split_values(scores.greedy);
  json["known_accuracy"] = number_or_null(scores.known_accuracy.value());
  json["false_new"] = number_or_null(scores.false_new.value());
  json["clusters_seen"] = scores.clusters_seen;
  json["clusters_kept"] = scores.clusters_kept;
  json["memory_size"] = scores.memory_size;
  json["nmi"] = number_or_null(scores.nmi);
  json["ari"] = number_or_null(scores.ari);
  json["strict_ties"] = Json{{"old", interval_or_null(scores.strict_old_ties)},
                             {"new", interval_or_null(scores.strict_novel_ties)}};
  json["interval"] = Json{{"strict", split_intervals(scores.strict)},
                          {"greedy", split_intervals(scores.greedy)},
                          {"known_accuracy", interval_or_null(scores.known_accuracy.interval)}};
}

Cell low(const evaluate::Accuracy& accuracy) {
  return accuracy.interval ? Cell(accuracy.interval->low) : Cell();
}
Cell high(const evaluate::Accuracy& accuracy) {
  return accuracy.interval ? Cell(accuracy.interval->high) : Cell();
}

void add_accuracies(const evaluate::Scores& scores, const std::string& method, Table& table) {
  const auto add = [&](std::string protocol, std::string over, const evaluate::Accuracy& accuracy) {
    table.add({method, std::move(protocol), std::move(over), cell(accuracy.value()), low(accuracy),
               high(accuracy), accuracy.correct, accuracy.samples});
  };
  add("strict", "all", scores.strict.all);
  add("strict", "old", scores.strict.old);
  add("strict", "new", scores.strict.novel);
  add("greedy", "all", scores.greedy.all);
  add("greedy", "old", scores.greedy.old);
  add("greedy", "new", scores.greedy.novel);
  add("no matching", "old", scores.known_accuracy);
}

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view kind_name(bool known) { return known ? "old" : "new"; }

}  // namespace

Table score_table(const evaluate::Evaluation& evaluation) {
  Table table{"scores",
              fmt::format("Scores in percent (clusters kept: {})",
                          evaluate::keep_name(evaluation.options.keep)),
              {{"method", "method"},
               {"strict_all", "strict all", Show::share},
               {"strict_old", "old", Show::share},
               {"strict_new", "new", Show::share},
               {"greedy_all", "greedy all", Show::share},
               {"greedy_old", "old", Show::share},
               {"greedy_new", "new", Show::share},
               {"known_accuracy", "known", Show::share},
               {"false_new", "called new", Show::share},
               {"memory_size", "memory", Show::integer},
               {"true_classes", "true classes", Show::integer},
               {"nmi", "NMI", Show::number, 3},
               {"ari", "ARI", Show::number, 3}},
              {}};
  const auto add = [&](std::string method, const evaluate::Scores& scores) {
    table.add({std::move(method), cell(scores.strict.all.value()), cell(scores.strict.old.value()),
               cell(scores.strict.novel.value()), cell(scores.greedy.all.value()),
               cell(scores.greedy.old.value()), cell(scores.greedy.novel.value()),
               cell(scores.known_accuracy.value()), cell(scores.false_new.value()),
               scores.memory_size, evaluation.true_classes, cell(scores.nmi), cell(scores.ari)});
  };
  add("decisions", evaluation.scores);
  if (evaluation.closed) add("closed set", *evaluation.closed);
  return table;
}

Table accuracy_table(const evaluate::Evaluation& evaluation) {
  Table table{"accuracy",
              fmt::format("Accuracy in percent (kept clusters: {}; {:g} % intervals)",
                          evaluate::keep_name(evaluation.options.keep),
                          100 * evaluation.options.confidence),
              {{"method", "method"},
               {"protocol", "protocol"},
               {"classes", "classes"},
               {"accuracy", "accuracy", Show::share},
               {"low", "from", Show::share},
               {"high", "to", Show::share},
               {"correct", "right", Show::integer},
               {"samples", "of", Show::integer}},
              {}};
  add_accuracies(evaluation.scores, "decisions", table);
  if (evaluation.closed) add_accuracies(*evaluation.closed, "closed set", table);
  return table;
}

Table overview_table(const evaluate::Evaluation& evaluation) {
  Table table{"overview",
              "Grouping",
              {{"method", "method"},
               {"clusters_seen", "clusters seen", Show::integer},
               {"clusters_kept", "kept", Show::integer},
               {"memory_size", "memory", Show::integer},
               {"true_classes", "true classes", Show::integer},
               {"true_novel_classes", "of them new", Show::integer},
               {"nmi", "NMI", Show::number, 3},
               {"ari", "ARI", Show::number, 3}},
              {}};
  const auto add = [&](std::string method, const evaluate::Scores& scores) {
    table.add({std::move(method), scores.clusters_seen, scores.clusters_kept, scores.memory_size,
               evaluation.true_classes, evaluation.true_novel_classes, cell(scores.nmi),
               cell(scores.ari)});
  };
  add("decisions", evaluation.scores);
  if (evaluation.closed) add("closed set", *evaluation.closed);
  return table;
}

Table class_table(const evaluate::Evaluation& evaluation) {
  Table table{"per_class",
              "Each true class",
              {{"label", "class id", Show::integer},
               {"name", "true class"},
               {"kind", "kind"},
               {"samples", "samples", Show::integer},
               {"strict", "strict", Show::share},
               {"greedy", "greedy", Show::share},
               {"cluster", "cluster id", Show::integer},
               {"cluster_name", "its cluster"},
               {"purity", "purity", Show::share},
               {"clusters", "spread over", Show::integer}},
              {}};
  for (const evaluate::ClassScore& score : evaluation.classes) {
    table.add({score.label, score.name, std::string(kind_name(score.known)), score.samples,
               cell(share(score.strict_correct, score.samples)),
               cell(share(score.greedy_correct, score.samples)), cell(score.cluster),
               score.cluster ? Cell(score.cluster_name) : Cell(),
               cell(share(score.strict_correct, score.cluster_samples)), score.clusters});
  }
  return table;
}

Table confused_table(const evaluate::Evaluation& evaluation) {
  Table table{"confused",
              "Most confused: samples of a class in a cluster that stands for another, or for none",
              {{"label", "class id", Show::integer},
               {"name", "true class"},
               {"cluster", "cluster id", Show::integer},
               {"cluster_name", "went into"},
               {"stands_for", "stands for id", Show::integer},
               {"stands_for_name", "which stands for"},
               {"samples", "samples", Show::integer},
               {"share", "% of class", Show::share}},
              {}};
  for (const evaluate::ConfusedPair& pair : evaluation.confused) {
    table.add({pair.label, pair.name, pair.cluster, pair.cluster_name, cell(pair.stands_for),
               pair.stands_for ? Cell(pair.stands_for_name) : Cell(), pair.samples,
               cell(share(pair.samples, pair.class_samples))});
  }
  return table;
}

Table birth_table(const evaluate::Evaluation& evaluation) {
  Table table{"births",
              "Births over the stream",
              {{"samples", "after samples", Show::integer},
               {"categories", "categories born", Show::integer},
               {"novel_classes", "new classes seen", Show::integer}},
              {}};
  std::size_t next = 0;
  evaluate::BirthPoint now;
  const auto add = [&](std::int64_t samples) {
    while (next < evaluation.births.size() &&
           static_cast<std::int64_t>(evaluation.births[next].sequence) < samples) {
      now = evaluation.births[next++];
    }
    table.add({samples, now.categories, now.novel_classes});
  };
  std::int64_t samples = 1;
  for (; samples < evaluation.samples; samples *= 2) add(samples);
  add(evaluation.samples);
  return table;
}

std::vector<Table> evaluation_tables(const evaluate::Evaluation& evaluation) {
  return {score_table(evaluation), accuracy_table(evaluation), overview_table(evaluation),
          class_table(evaluation), confused_table(evaluation), birth_table(evaluation)};
}

Json evaluation_json(const evaluate::Evaluation& evaluation) {
  Json json;
  put_scores(evaluation.scores, json);
  json["keep"] = evaluate::keep_name(evaluation.options.keep);
  json["match"] = evaluate::match_table_name(evaluation.options.match);
  json["bootstrap"] = Json{{"resamples", evaluation.options.resamples},
                           {"seed", evaluation.options.seed},
                           {"confidence", evaluation.options.confidence}};
  json["coverage"] =
      Json{{"samples", evaluation.samples},
           {"with_truth", evaluation.samples_with_truth},
           {"share", number_or_null(share(evaluation.samples_with_truth, evaluation.samples))}};
  json["classes"] = Json{{"known", evaluation.known_classes},
                         {"true", evaluation.true_classes},
                         {"true_new", evaluation.true_novel_classes}};
  json["categories"] = evaluation.scores.categories_born;
  json["closed"] = Json();
  if (evaluation.closed) put_scores(*evaluation.closed, json["closed"]);
  json["per_class"] = table_json(class_table(evaluation));
  json["confused"] = table_json(confused_table(evaluation));
  json["births"] = Json::array();
  for (const evaluate::BirthPoint& point : evaluation.births) {
    json["births"].push_back(Json{{"sequence", point.sequence},
                                  {"categories", point.categories},
                                  {"novel_classes", point.novel_classes}});
  }
  return json;
}

}  // namespace paco::report
