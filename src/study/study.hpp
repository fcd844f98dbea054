// A study from beginning to end: its runs are carried out, and their results are written in five
// forms, for programs (JSON, CSV), papers (LaTeX, Markdown) and people (one HTML page).
#pragma once

#include "study/plans.hpp"
#include "study/run_record.hpp"
#include "study/runner.hpp"

namespace paco::study {

struct StudyRequest {
  std::vector<std::string> contenders;  // labels; none: the plan's own
  std::uint64_t seeds = 1;
  std::string out;  // folder
  unsigned threads = 0;
  core::Clock clock;
  Matching matching;
  RunPlace place;  // for the records of the runs
};

struct StudyOutcome {
  std::vector<std::string> files;  // that were written
  std::size_t runs = 0;
  std::string text;  // the summary, or all rows, for people
};

Result<StudyOutcome> run_study(const Plan& plan, const std::vector<DataSet>& data,
                               const StudyRequest& request, core::Progress& progress,
                               std::stop_token stop);

}  // namespace paco::study
