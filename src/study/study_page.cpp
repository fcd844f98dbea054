// The document of a study, embedded in the page that reports and studies share.
#include "study/study_page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/page.hpp"
#include "study/study_charts.hpp"

namespace paco::study {
namespace {

using Json = nlohmann::ordered_json;

Json set_json(const DataSet& set, std::int64_t classes) {
  return {{"name", set.name},
          {"support", set.support.rows()},
          {"known", set.class_names.size()},
          {"stream", set.stream.rows()},
          {"classes", classes}};
}

// A table under a heading of its own.
Json titled(const report::Table& table, const char* title, const char* caption) {
  Json json = report::page_table(table);
  json["title"] = title;
  json["caption"] = caption;
  return json;
}

Json tables_json(const StudyTables& tables) {
  Json all = Json::array();
  if (tables.summary) {
    all.push_back(titled(
        *tables.summary, "Means",
        "Means over the seeds in percent; +- is the standard deviation, if there are several "
        "seeds. Strict matches clusters with classes once, greedy matches known (old) and "
        "novel (new) classes apart."));
  }
  static constexpr const char* kLayoutTitles[] = {"Ours", "The paper's", "Difference"};
  for (std::size_t i = 0; i < tables.layout.size(); ++i) {
    all.push_back(titled(tables.layout[i], kLayoutTitles[i],
                         "In the paper's layout. The paper's figures are of another backbone, "
                         "trained on images by its authors: not comparable number by number."));
  }
  if (tables.paper)
    all.push_back(titled(*tables.paper, "Figure by figure", "Ours, the paper's, the difference."));
  if (tables.matchings) {
    all.push_back(titled(*tables.matchings, "Matching",
                         "Runs whose figures depend on which clusters are kept (top, all) and on "
                         "the table that is matched (rectangular, square)."));
  }
  all.push_back(titled(tables.rows, "Every run", "The same rows are in the csv and json files."));
  return all;
}

// Without the built page.
std::string plain_page(const Plan& plan, const StudyTables& tables) {
  std::vector<report::Table> all{tables.rows};
  if (tables.paper) all.insert(all.begin(), *tables.paper);
  if (tables.summary) all.insert(all.begin(), *tables.summary);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title></head>"
      "<body>\n<h1>{0}</h1>\n<p>No charts: this program holds no page ({1}).</p>\n"
      "<pre>{2}</pre>\n</body></html>\n",
      report::html_text(plan.title), report::html_text(report::page_missing_reason()),
      report::html_text(report::write_tables(all, report::TableFormat::text)));
}

}  // namespace

std::string study_page(const Plan& plan, const std::vector<Run>& runs,
                       const std::vector<RunResult>& results, const std::vector<DataSet>& data,
                       const StudyTables& tables) {
  if (report::page_template().empty()) return plain_page(plan, tables);
  Json document = {{"format", 1},
                   {"study", std::string(plan.name)},
                   {"title", std::string(plan.title)},
                   {"remark", std::string(plan.remark)}};
  Json& sets = document["sets"] = Json::array();
  for (std::size_t d = 0; d < data.size(); ++d) {
    // A set of images is there once for each training.
    if (d > 0 && data[d].name == data[d - 1].name) continue;
    std::int64_t classes = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].data == d) classes = results[i].classes;
    }
    Json set = set_json(data[d], classes);
    set["charts"] = study_charts(plan, runs, results, data, data[d].name);
    sets.push_back(std::move(set));
  }
  document["tables"] = tables_json(tables);
  return report::fill_page(report::page_template(), plan.title, document);
}

}  // namespace paco::study
