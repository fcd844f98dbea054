// How good a finished stream is: the protocols of the field, computed from predictions and truth
// only.
//
// The input is plain ids, so any method can be evaluated. Files, models and pictures are handled
// elsewhere (truth.hpp reads truth, summary.hpp makes tables and JSON). Pure functions: any number
// of threads may call them.
//
// "Cluster" here is the group to which a sample was assigned, a known class or a category, as
// opposed to its true class. Samples without truth are left out of every accuracy, of the matching
// and of NMI and ARI. They still count as part of the stream (samples, clusters seen, births).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "io/truth.hpp"
#include "paco/decision.hpp"
#include "paco/result.hpp"

namespace paco::evaluate {

// Which clusters can be matched: only the largest, as many as there are true classes (as in the
// paper), or all of them.
enum class Keep : std::uint8_t { top, all };
std::string_view keep_name(Keep keep);

// The table that is matched. rectangular: clusters by classes. square: as large as the larger of
// the two, as in the released code of the field. Equally good matchings can be chosen differently
// on it. This changes Old and New but never All.
enum class MatchTable : std::uint8_t { rectangular, square };
std::string_view match_table_name(MatchTable table);

struct EvaluationInput {
  std::span<const CategoryId> predicted;  // (n) stream order; below known_classes: a known class
  std::span<const std::int64_t> truth;    // (n) below known_classes: old; kNoTruth: unknown
  std::int64_t known_classes = 0;
  bool starts_empty = false;           // the method holds no known classes: a list of codes
  std::span<const CategoryId> closed;  // (n) predictions of the closed-set row, or empty
  // Names by id; can be short or empty, then "class 7" and "category 7" are used.
  std::span<const std::string> class_names;
  std::span<const std::string> cluster_names;
};

struct EvaluationOptions {
  Keep keep = Keep::top;
  MatchTable match = MatchTable::rectangular;
  int resamples = 1000;       // of the bootstrap; 0 leaves the intervals out
  std::uint64_t seed = 0;     // of the bootstrap
  double confidence = 0.95;   // share of the resamples inside an interval
  std::size_t confused = 20;  // most confused pairs to list
};

// The ends of a percentile interval.
struct Interval {
  double low = 0;
  double high = 0;
};

// A share of samples, stored as counts. Undefined if there are no samples to count.
struct Accuracy {
  std::int64_t correct = 0;
  std::int64_t samples = 0;
  std::optional<Interval> interval;

  std::optional<double> value() const {
    if (samples == 0) return std::nullopt;
    return static_cast<double>(correct) / static_cast<double>(samples);
  }
};

// Accuracy over every sample with truth, over the samples of known classes (old), and over the rest
// (novel; "new" in JSON).
struct SplitAccuracy {
  Accuracy all;
  Accuracy old;
  Accuracy novel;
};

// One row of the paper's tables: all figures for one method's predictions.
struct Scores {
  SplitAccuracy strict;     // one matching over the whole stream
  SplitAccuracy greedy;     // old and novel matched separately, over the same kept clusters
  Accuracy known_accuracy;  // old samples put into exactly their class, without any matching
  Accuracy false_new;       // `correct` counts old samples that were called new
  // The lowest and highest old and novel share over all matchings that are as good as Strict's;
  // equal ends mean that the matching is unique in this.
  std::optional<Interval> strict_old_ties;
  std::optional<Interval> strict_novel_ties;
  std::int64_t clusters_seen = 0;  // distinct ids over the whole stream
  std::int64_t clusters_kept = 0;  // clusters with truth that could be matched
  std::int64_t categories_born = 0;
  std::int64_t memory_size = 0;  // born categories, plus the known classes if the method holds them
  std::optional<double> nmi;     // normalised by the mean of the two entropies
  std::optional<double> ari;
};

// One true class.
struct ClassScore {
  std::int64_t label = 0;
  std::string name;
  bool known = false;
  std::int64_t samples = 0;
  std::int64_t strict_correct = 0;
  std::int64_t greedy_correct = 0;
  std::optional<CategoryId> cluster;  // cluster that is matched to it under Strict
  std::string cluster_name;           // empty if there is none
  std::int64_t cluster_samples = 0;   // size of that cluster among the samples with truth
  std::int64_t clusters = 0;          // number of clusters that its samples are in
};

// Samples of one class in a cluster that is matched to another class under Strict.
struct ConfusedPair {
  std::int64_t label = 0;
  std::string name;
  CategoryId cluster = 0;
  std::string cluster_name;
  std::optional<std::int64_t> stands_for;  // the class that the cluster is matched to, if any
  std::string stands_for_name;             // empty when it is matched to none
  std::int64_t samples = 0;
  std::int64_t class_samples = 0;  // of the true class, for the share
};

// The stream after a sample that started a category or that is the first of a novel class.
struct BirthPoint {
  std::uint64_t sequence = 0;
  std::int64_t categories = 0;     // born so far (known classes not counted)
  std::int64_t novel_classes = 0;  // true novel classes seen so far
};

struct Evaluation {
  EvaluationOptions options;
  std::int64_t known_classes = 0;
  std::int64_t samples = 0;  // of the stream
  std::int64_t samples_with_truth = 0;
  std::int64_t true_classes = 0;  // distinct, among the samples with truth: |Y_Q|
  std::int64_t true_novel_classes = 0;
  Scores scores;
  std::optional<Scores> closed;        // the same for the closed-set row
  std::vector<ClassScore> classes;     // by label
  std::vector<ConfusedPair> confused;  // most samples first; ties: lower label, then lower cluster
  std::vector<BirthPoint> births;      // in stream order
};

// Fails if lengths differ, if an id is below 0 (truth: below kNoTruth), if the stream is empty or
// if no truth is known. A stream without novel classes, without known classes or with one cluster
// is defined; shares without samples are undefined.
//
// Several matchings can be equally good under Strict and differ in how many old and novel samples
// are right (on CUB by a percent and more). The chosen one is what scipy's linear_sum_assignment
// finds on the clusters x classes table, because published numbers come from it. Scores has the
// lowest and highest values of the others.
//
// Intervals: percentile bootstrap over the samples with truth, with the matching fixed.
//
// Time and memory grow with the samples, not with clusters times classes.
Result<Evaluation> evaluate(const EvaluationInput& input, const EvaluationOptions& options = {},
                            std::stop_token stop = {});

}  // namespace paco::evaluate
