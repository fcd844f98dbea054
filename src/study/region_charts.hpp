// The stream samples among PACO's thresholds, as charts of a study's page: cosine against margin,
// birth score against attach score.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/run.hpp"

namespace paco::study {

// Two charts of one run, as JSON that web/src/study/dots.ts draws.
nlohmann::ordered_json region_charts(const std::string& label, const RunResult& result);

}  // namespace paco::study
