// One HTML page of a study: its charts and tables, complete in itself.
#pragma once

#include <string>

#include "study/study_tables.hpp"

namespace paco::study {

// If the program was built without the page, the tables as text, and why there are no charts.
std::string study_page(const Plan& plan, const std::vector<Run>& runs,
                       const std::vector<RunResult>& results, const std::vector<DataSet>& data,
                       const StudyTables& tables);

}  // namespace paco::study
