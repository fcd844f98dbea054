// What the page of a study draws, as JSON: for each data set its charts, with titles, units,
// intervals and what is the default. The page (web/src/study) draws them; web/src/study/document.ts
// has their types, change both together.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "study/study_tables.hpp"

namespace paco::study {

// The charts of one data set, by its name.
nlohmann::ordered_json study_charts(const Plan& plan, const std::vector<Run>& runs,
                                    const std::vector<RunResult>& results,
                                    const std::vector<DataSet>& data, const std::string& set);

}  // namespace paco::study
