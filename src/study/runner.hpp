// Carries out the runs of a study, several at a time. Each result is written as soon as it is
// complete. Runs whose results are already on disk are not repeated. If a study is stopped, at most
// the runs in progress are lost.
#pragma once

#include "study/run.hpp"

namespace paco::study {

struct RunnerOptions {
  std::string folder;    // of the results, one file a run
  unsigned threads = 1;  // runs at a time; 0: as many as there are cores
  core::Clock clock;
};

// The file of a key in a folder of results.
std::string result_path(const std::string& folder, const std::string& key);

// Results in the order of the runs. An error of a run names it.
Result<std::vector<RunResult>> carry_out(const std::vector<Run>& runs,
                                         const std::vector<DataSet>& data,
                                         const RunnerOptions& options, core::Progress& progress,
                                         std::stop_token stop);

}  // namespace paco::study
