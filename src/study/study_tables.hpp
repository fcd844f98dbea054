// The results of a study as tables: every run in full, what several seeds have in common, and the
// paper's figures beside them.
#pragma once

#include "report/table.hpp"
#include "study/plans.hpp"

namespace paco::study {

struct StudyTables {
  report::Table rows;                      // one row a run (and protocol), or a point of a trace
  std::optional<report::Table> summary;    // means over seeds
  std::optional<report::Table> paper;      // every figure of the paper's table, beside ours
  std::vector<report::Table> layout;       // the paper's table in its own layout
  std::optional<report::Table> matchings;  // the four ways of matching, where they differ
};

StudyTables study_tables(const Plan& plan, const std::vector<Run>& runs,
                         const std::vector<RunResult>& results, const std::vector<DataSet>& data);

// Runs that differ in nothing but the seed, in the order of their first.
struct SeedGroup {
  std::string data, label;
  std::string value;  // of the factor; empty if nothing is varied
  std::vector<std::size_t> runs;
};
std::vector<SeedGroup> seed_groups(const std::vector<Run>& runs, const std::vector<DataSet>& data);

// Mean and deviation (of n - 1) over the runs of a group, leaving out what is undefined.
struct MeanAndDeviation {
  std::optional<double> mean, deviation;
};
template <class Value>
MeanAndDeviation over_seeds(const SeedGroup& group, Value value);

}  // namespace paco::study

#include <cmath>

namespace paco::study {

template <class Value>
MeanAndDeviation over_seeds(const SeedGroup& group, Value value) {
  double sum = 0, squared = 0, n = 0;
  for (const std::size_t run : group.runs) {
    const std::optional<double> one = value(run);
    if (one) sum += *one, n += 1;
  }
  if (n == 0) return {};
  for (const std::size_t run : group.runs) {
    const std::optional<double> one = value(run);
    if (one) squared += (*one - sum / n) * (*one - sum / n);
  }
  MeanAndDeviation out{sum / n, std::nullopt};
  if (n > 1) out.deviation = std::sqrt(squared / (n - 1));
  return out;
}

}  // namespace paco::study
