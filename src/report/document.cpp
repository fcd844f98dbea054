// The page's JSON object, put together from its sections.
#include <fmt/format.h>

#include <limits>

#include "core/try.hpp"
#include "report/page.hpp"
#include "report/report.hpp"
#include "report/sections.hpp"
#include "report/summary.hpp"

namespace paco::report {

namespace {

Result<void> check(const ReportInput& input) {
  const std::size_t n = input.stream.size();
  if (n == 0) {
    return Error{ErrorCode::bad_value,
                 "the stream holds no decision, so there is nothing to report",
                 "run paco discover on a stream with at least one sample"};
  }
  if (!input.truth.empty() && input.truth.size() != n) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} decisions, but {} true classes", n, input.truth.size()),
                 "give the truth of this very stream, one label per decision"};
  }
  if (!input.image_index.empty() && input.image_index.size() != n) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} decisions, but {} picture numbers", n, input.image_index.size()),
                 "the index needs one picture number per decision, in stream order"};
  }
  // The page holds them in 32 bits.
  for (std::size_t i = 0; i < input.truth.size(); ++i) {
    if (input.truth[i] <= std::numeric_limits<std::int32_t>::max()) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("the true class of decision {} is {}", i, input.truth[i]),
                 "a report takes class ids below 2147483648: number the classes from 0 on"};
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (input.stream.categories[i] >= 0) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("decision {} names category {}", i, input.stream.categories[i]),
                 "category ids start at 0; the decisions file is damaged"};
  }
  return {};
}

}  // namespace

Result<nlohmann::ordered_json> report_document(const ReportInput& input,
                                               const ReportOptions& options, std::stop_token stop) {
  PACO_TRY(check(input));
  Json document;
  document["format"] = 1;
  document["title"] = input.title;
  Json& sources = document["sources"] = Json::array();
  for (const auto& [what, file] : input.sources)
    sources.push_back({{"what", what}, {"file", file}});
  ReportView view(input);
  PACO_TRY(view.choose(options));
  const auto add = [&](const char* key, Json (*section)(const ReportView&)) {
    if (!stop.stop_requested()) document[key] = section(view);
  };
  add("stream", stream_section);
  add("memory", memory_section);
  if (input.model != nullptr) add("model", model_section);
  if (view.details) add("histograms", histogram_section);
  add("evidence", evidence_section);
  add("points", point_section);
  add("series", series_section);
  if (input.evaluation != nullptr) {
    Json evaluation = evaluation_json(*input.evaluation);
    // The same in the tables and curves of the page.
    for (const char* key : {"per_class", "confused", "births"}) evaluation.erase(key);
    document["evaluation"] = std::move(evaluation);
    const evaluate::Evaluation& evaluated = *input.evaluation;
    Json& tables = document["tables"] = Json::array();
    for (const Table& table : {accuracy_table(evaluated), overview_table(evaluated),
                               class_table(evaluated), confused_table(evaluated)})
      tables.push_back(page_table(table));
  }
  if (input.images != nullptr) {
    PACO_ASSIGN(document["gallery"], gallery_section(view, options, stop));
  }
  if (stop.stop_requested()) return Error{ErrorCode::interrupted, "the report was interrupted", ""};
  return document;
}

Result<std::string> render_report(const ReportInput& input, const ReportOptions& options,
                                  std::stop_token stop) {
  // Checked before the pictures are read, because that can take long.
  if (page_template().empty()) return page_with(input.title, {});
  PACO_ASSIGN(const Json document, report_document(input, options, stop));
  return page_with(input.title, document);
}

}  // namespace paco::report
