// The settings and results of a run as one JSON object, which can be kept, compared and merged with
// those of others (`paco leaderboard`).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "evaluate/evaluation.hpp"
#include "study/run.hpp"

namespace paco::study {

inline constexpr const char* kRecordFormat = "paco-run-1";

// The program and machine that ran it, and when (UTC, "2026-01-31T12:00:00Z").
struct RunPlace {
  std::string version, commit, processor, time;
  unsigned cores = 0;
};
nlohmann::ordered_json place_json(const RunPlace& place);

nlohmann::ordered_json run_record(const Run& run, const RunResult& result, const DataSet& data,
                                  const Matching& matching, const RunPlace& place);

// Of an evaluation of decisions from elsewhere; `label` names their method, `data` the stream.
struct EvaluationRecord {
  std::string label, data, split_digest;
};
nlohmann::ordered_json evaluation_record(const evaluate::Evaluation& evaluation,
                                         const EvaluationRecord& about, const RunPlace& place);

}  // namespace paco::study
