#include "study/study.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "study/study_page.hpp"
#include "study/study_tables.hpp"

namespace paco::study {

Result<StudyOutcome> run_study(const Plan& plan, const std::vector<DataSet>& data,
                               const StudyRequest& request, core::Progress& progress,
                               std::stop_token stop) {
  PACO_ASSIGN(const std::vector<Run> runs, runs_of(plan, data, request.contenders, request.seeds));
  if (runs.empty()) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("study '{}' is about how backbones are trained, and there are "
                             "embeddings only",
                             plan.name),
                 "give it a set of images: --data fashion-mnist, or one of a list (--sets)"};
  }
  RunnerOptions options;
  options.folder = request.out + "/runs";
  // Times are taken one after another, so that runs do not disturb each other.
  const bool times =
      plan.question == Question::latency || plan.question == Question::calibration_time;
  options.threads = times ? 1 : request.threads;
  options.clock = request.clock;
  PACO_ASSIGN(const std::vector<RunResult> results,
              carry_out(runs, data, options, progress, std::move(stop)));
  const StudyTables tables = study_tables(plan, runs, results, data);

  nlohmann::ordered_json json = {{"study", std::string(plan.name)},
                                 {"title", std::string(plan.title)}};
  if (!plan.remark.empty()) json["remark"] = std::string(plan.remark);
  json["rows"] = report::table_json(tables.rows);
  if (tables.summary) json["summary"] = report::table_json(*tables.summary);
  if (tables.paper) json["paper"] = report::table_json(*tables.paper);

  std::vector<report::Table> shown;
  if (tables.summary) shown.push_back(*tables.summary);
  if (tables.paper) shown.push_back(*tables.paper);
  if (shown.empty()) shown.push_back(tables.rows);
  StudyOutcome outcome;
  outcome.runs = runs.size();
  outcome.text = report::write_tables({shown[0]}, report::TableFormat::text);
  const std::string base = request.out + "/" + std::string(plan.name);
  const auto write = [&](const char* ending, const std::string& text) -> Result<void> {
    outcome.files.push_back(base + ending);
    return core::write_file(base + ending, std::string_view(text));
  };
  PACO_TRY(write(".json", json.dump(1) + "\n"));
  PACO_TRY(write(".csv", report::table_csv(tables.rows)));
  PACO_TRY(write(".md", report::write_tables(shown, report::TableFormat::markdown)));
  PACO_TRY(write(".tex", report::write_tables(shown, report::TableFormat::latex)));
  PACO_TRY(write(".html", study_page(plan, runs, results, data, tables)));
  return outcome;
}

}  // namespace paco::study
