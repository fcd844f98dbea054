#include "study/study.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "study/study_page.hpp"
#include "study/study_tables.hpp"

namespace paco::study {

namespace {

using Json = nlohmann::ordered_json;

// Writes one file per run, with the same name as its result.
Result<void> write_records(const std::vector<Run>& runs, const std::vector<RunResult>& results,
                           const std::vector<DataSet>& data, const StudyRequest& request) {
  PACO_TRY(core::make_folder(request.out + "/records"));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const DataSet& set = data[runs[i].data];
    const Json record = run_record(runs[i], results[i], set, request.matching, request.place);
    const std::string path =
        result_path(request.out + "/records",
                    run_key(runs[i], set) + record["keep"].dump() + record["match"].dump());
    if (core::path_kind(path) == core::PathKind::file) continue;
    PACO_TRY(core::write_file(path, std::string_view(record.dump(1) + "\n")));
  }
  return {};
}

}  // namespace

Result<StudyOutcome> run_study(const Plan& plan, const std::vector<DataSet>& data,
                               const StudyRequest& request, core::Progress& progress,
                               std::stop_token stop) {
  PACO_ASSIGN(const std::vector<Run> runs, runs_of(plan, data, request.contenders, request.seeds));
  const bool wants_runs = plan.question != Question::data_sets;
  if (runs.empty() && wants_runs) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("study '{}' is about how backbones are trained, and there are "
                             "embeddings only",
                             plan.name),
                 "give it a set of images: --data fashion-mnist, or one of a list (--sets)"};
  }
  RunnerOptions options;
  options.folder = request.out + "/runs";
  // Runs that are timed run one after another, so that they do not slow each other down.
  const bool times = plan.question == Question::latency ||
                     plan.question == Question::calibration_time ||
                     plan.question == Question::latency_track;
  options.threads = times ? 1 : request.threads;
  options.clock = request.clock;
  PACO_ASSIGN(std::vector<RunResult> results,
              carry_out(runs, data, options, progress, std::move(stop)));
  for (RunResult& result : results) result.choose(request.matching);
  PACO_TRY(write_records(runs, results, data, request));
  const StudyTables tables = study_tables(plan, runs, results, data);

  nlohmann::ordered_json json = {{"study", std::string(plan.name)},
                                 {"title", std::string(plan.title)}};
  if (!plan.remark.empty()) json["remark"] = std::string(plan.remark);
  json["rows"] = report::table_json(tables.rows);
  if (tables.summary) json["summary"] = report::table_json(*tables.summary);
  if (tables.paper) json["paper"] = report::table_json(*tables.paper);
  if (tables.matchings) json["matchings"] = report::table_json(*tables.matchings);
  json["keep"] = evaluate::keep_name(request.matching.keep);
  json["match"] = evaluate::match_table_name(request.matching.table);

  std::vector<report::Table> shown = tables.layout;
  if (tables.summary) shown.push_back(*tables.summary);
  if (tables.matchings) shown.push_back(*tables.matchings);
  if (shown.empty()) shown.push_back(tables.rows);
  StudyOutcome outcome;
  outcome.runs = runs.size();
  constexpr std::size_t kMostShown = 60;  // rows; more are for programs
  outcome.text = shown[0].rows.size() > kMostShown
                     ? fmt::format("{}: {} rows\n", plan.title, shown[0].rows.size())
                     : report::write_tables({shown[0]}, report::TableFormat::text);
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
