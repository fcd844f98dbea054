// The text of `paco evaluate`: the numbers first, then details, in 80 to 100 columns.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/summary.hpp"

namespace paco::report {
namespace {

// "84.3 (82.1-86.4)", in percent.
std::string with_interval(const evaluate::Accuracy& accuracy) {
  if (!accuracy.value()) return "-";
  const double percent = 100 * *accuracy.value();
  if (!accuracy.interval) return fmt::format("{:.1f}", percent);
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", percent, 100 * accuracy.interval->low,
                     100 * accuracy.interval->high);
}

// The accuracies with one row per protocol, which fits any terminal.
Table compact_accuracies(const evaluate::Evaluation& evaluation) {
  std::string title = "Accuracy in percent";
  if (evaluation.scores.strict.all.interval) {
    title += fmt::format(" ({:g} % interval, {} resamples)", 100 * evaluation.options.confidence,
                         evaluation.options.resamples);
  }
  Table table{"accuracy",
              title,
              {{"protocol", "protocol"}, {"all", "all"}, {"old", "old"}, {"new", "new"}},
              {}};
  const auto add = [&](const evaluate::Scores& scores, const std::string& prefix) {
    const auto split = [&](std::string protocol, const evaluate::SplitAccuracy& accuracy) {
      table.add({prefix + protocol, with_interval(accuracy.all), with_interval(accuracy.old),
                 with_interval(accuracy.novel)});
    };
    split("strict", scores.strict);
    split("greedy", scores.greedy);
    table.add({prefix + "without matching", Cell(), with_interval(scores.known_accuracy), Cell()});
  };
  add(evaluation.scores, "");
  if (evaluation.closed) add(*evaluation.closed, "closed: ");
  return table;
}

// A part of the columns and rows of a table, to fit a terminal.
Table excerpt(const Table& table, const std::vector<std::string_view>& keys, std::size_t most) {
  Table result{table.key, table.title, {}, {}};
  result.rows.resize(std::min(most, table.rows.size()));
  for (const std::string_view key : keys) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (table.columns[k].key != key) continue;
      result.columns.push_back(table.columns[k]);
      for (std::size_t r = 0; r < result.rows.size(); ++r) {
        result.rows[r].push_back(table.rows[r][k]);
      }
    }
  }
  return result;
}

// The classes with the lowest accuracy. If equal, classes with more samples come first.
Table weakest_classes(const evaluate::Evaluation& evaluation, std::size_t most) {
  evaluate::Evaluation sorted;
  sorted.classes = evaluation.classes;
  std::stable_sort(sorted.classes.begin(), sorted.classes.end(),
                   [](const evaluate::ClassScore& a, const evaluate::ClassScore& b) {
                     const std::int64_t left = a.strict_correct * b.samples;
                     const std::int64_t right = b.strict_correct * a.samples;
                     return left != right ? left < right : a.samples > b.samples;
                   });
  Table table = excerpt(
      class_table(sorted),
      {"name", "kind", "samples", "strict", "greedy", "cluster_name", "purity", "clusters"}, most);
  table.title = fmt::format("Weakest classes ({} of {})", table.rows.size(), sorted.classes.size());
  return table;
}

std::string sizes_text(const evaluate::Evaluation& evaluation) {
  const evaluate::Scores& scores = evaluation.scores;
  std::string text = fmt::format("samples: {}", evaluation.samples);
  text += evaluation.samples_with_truth == evaluation.samples
              ? std::string(", all with truth")
              : fmt::format(", {} with truth ({:.1f} %): only those count",
                            evaluation.samples_with_truth,
                            100.0 * static_cast<double>(evaluation.samples_with_truth) /
                                static_cast<double>(evaluation.samples));
  text +=
      fmt::format("\ntrue classes: {} ({} old, {} new); known classes: {}\n",
                  evaluation.true_classes, evaluation.true_classes - evaluation.true_novel_classes,
                  evaluation.true_novel_classes, evaluation.known_classes);
  text += fmt::format("clusters seen: {}, kept: {} (--keep {}); categories born: {}\n",
                      scores.clusters_seen, scores.clusters_kept,
                      evaluate::keep_name(evaluation.options.keep), scores.categories_born);
  if (const auto rate = scores.false_new.value()) {
    text += fmt::format("called new though of a known class: {} of {} ({:.2f} %)\n",
                        scores.false_new.correct, scores.false_new.samples, 100 * *rate);
  }
  return text;
}

// A line of text if equally good matchings give different old and novel shares.
std::string ties_text(const evaluate::Scores& scores) {
  const auto& old = scores.strict_old_ties;
  const auto& novel = scores.strict_novel_ties;
  if (!old || !novel || old->low == old->high) return "";
  return fmt::format(
      "  Equally good strict matchings: old {:.1f} to {:.1f}, new {:.1f} to {:.1f}.\n",
      100 * old->low, 100 * old->high, 100 * novel->low, 100 * novel->high);
}

}  // namespace

std::string evaluation_text(const evaluate::Evaluation& evaluation) {
  constexpr std::size_t kRows = 10;  // of the longer tables
  std::string text = sizes_text(evaluation);
  const auto put = [&](const Table& table, std::size_t widest = 20) {  // cuts long class names
    text += '\n';
    text += table_text(table, widest);
  };
  put(compact_accuracies(evaluation), 32);
  text += ties_text(evaluation.scores);
  put(excerpt(overview_table(evaluation), {"method", "clusters_seen", "memory_size", "nmi", "ari"},
              2));
  put(birth_table(evaluation));
  put(weakest_classes(evaluation, kRows));
  if (!evaluation.confused.empty()) {
    put(excerpt(confused_table(evaluation),
                {"name", "cluster_name", "stands_for_name", "samples", "share"}, kRows));
  }
  return text;
}

}  // namespace paco::report
