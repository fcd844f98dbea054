#include "study/study_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/paper_figures.hpp"
#include "study/svg.hpp"

namespace paco::study {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2330; --back: #fbfbf9; --line: #d5d8de; --soft: #5b6472;
  --c0: #1f6f8b; --c1: #9db4c0; --c2: #c77d3b; --c3: #b85c70; --c4: #6a8d4e; --c5: #7a68a6;
  --c6: #b59b2b; --c7: #4b5563; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --back: #14171c; --line: #343a44;
  --soft: #9aa3b0; --c0: #56b4d3; --c1: #55697a; --c7: #a3acba; } }
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--back);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p, figcaption { color: var(--soft); }
figure { margin: 1.2rem 0; } svg { width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 12px; }
.c0 { fill: var(--c0); } .c1 { fill: var(--c1); } .c3 { fill: var(--c3); } .half { opacity: .6; }
.grid { stroke: var(--line); } .mark { stroke: var(--c2); stroke-width: 2; }
polyline { fill: none; }
.s0 { stroke: var(--c0); stroke-width: 2.5; } .s1 { stroke: var(--c2); } .s2 { stroke: var(--c3); }
.s3 { stroke: var(--c4); } .s4 { stroke: var(--c5); } .s5 { stroke: var(--c6); }
.s6 { stroke: var(--c7); } .s7 { stroke: var(--c1); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .87rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
)";

std::string cell_text(const report::Column& column, const report::Cell& value) {
  if (std::holds_alternative<std::monostate>(value)) return "-";
  if (const auto* text = std::get_if<std::string>(&value)) return html_text(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  const double number = std::get<double>(value);
  if (column.show == report::Show::share) return fmt::format("{:.1f}", 100 * number);
  return fmt::format("{:.{}f}", number, column.digits);
}

std::string html_table(const report::Table& table) {
  std::string out = "<div class=\"scroll\"><table>\n<tr>";
  for (const report::Column& column : table.columns)
    out += fmt::format("<th>{}</th>", html_text(column.heading));
  out += "</tr>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += fmt::format("<td>{}</td>", cell_text(table.columns[c], row[c]));
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::optional<double> paper_all(const std::string& data, const std::string& label) {
  for (const PaperFigure& figure : paper_figures()) {
    if (is_of(figure, data) && figure.method == label && figure.protocol == "strict")
      return figure.all;
  }
  return std::nullopt;
}

class Charts {
 public:
  Charts(const Plan& plan, const std::vector<Run>& runs, const std::vector<RunResult>& results,
         const std::vector<DataSet>& data)
      : plan_(plan), runs_(runs), results_(results), groups_(seed_groups(runs, data)) {}

  std::string of(const std::string& data) const {
    switch (plan_.question) {
      case Question::accuracy:
        return plan_.factor.empty() ? accuracy_bars(data) : accuracy_lines(data);
      case Question::calibration_time:
        return value_lines(data, "seconds", [this](std::size_t run) {
          return std::optional(results_[run].calibrate_seconds);
        });
      case Question::latency:
        return latency_bars(data);
      case Question::births:
        return birth_lines(data);
      case Question::regions:
        break;
    }
    std::string out;
    for (const SeedGroup& group : groups_) {
      if (group.data != data) continue;
      for (const Region& r : results_[group.runs[0]].regions) {
        out += two_histograms(r.name + ": scores that should pass, and scores that should not",
                              r.low, r.high, r.value, {r.positives.begin(), r.positives.end()},
                              {r.negatives.begin(), r.negatives.end()});
      }
    }
    return out;
  }

 private:
  std::optional<double> strict_all(std::size_t run) const {
    const auto& share = results_[run].strict.all;
    return share ? std::optional(100 * *share) : std::nullopt;
  }

  std::string accuracy_bars(const std::string& data) const {
    std::vector<Bar> accuracy, count;
    double classes = 0;
    for (const SeedGroup& group : groups_) {
      if (group.data != data) continue;
      const auto m = over_seeds(group, [this](std::size_t run) { return strict_all(run); });
      accuracy.push_back({group.label, m.mean.value_or(0), paper_all(data, group.label)});
      classes = static_cast<double>(results_[group.runs[0]].classes);
      const auto n = over_seeds(group, [this](std::size_t run) {
        return std::optional(static_cast<double>(results_[run].categories));
      });
      count.push_back({group.label, n.mean.value_or(0), classes});
    }
    return bar_chart("Strict, all classes; a mark is the paper's own figure", accuracy, " %", 1) +
           bar_chart(fmt::format("Different answers; the mark is the {} true classes", classes),
                     count, "", 0);
  }

  template <class Value>
  std::string value_lines(const std::string& data, const std::string& title, Value value) const {
    std::vector<Line> lines;
    std::vector<std::string> ticks;
    for (const std::string& v : plan_.values) {
      const bool there = std::any_of(groups_.begin(), groups_.end(), [&](const SeedGroup& g) {
        return g.data == data && g.value == v;
      });
      if (there) ticks.push_back(v);
    }
    for (const SeedGroup& group : groups_) {
      if (group.data != data) continue;
      auto line = std::find_if(lines.begin(), lines.end(),
                               [&](const Line& l) { return l.label == group.label; });
      if (line == lines.end()) line = lines.insert(lines.end(), Line{group.label, {}});
      const auto at = std::find(ticks.begin(), ticks.end(), group.value) - ticks.begin();
      const auto mean = over_seeds(group, value).mean;
      if (mean) line->points.emplace_back(static_cast<double>(at), *mean);
    }
    return line_chart(fmt::format("By {}", plan_.factor), lines, ticks, title);
  }

  std::string accuracy_lines(const std::string& data) const {
    return value_lines(data, "Strict, all classes, %",
                       [this](std::size_t run) { return strict_all(run); });
  }

  std::string latency_bars(const std::string& data) const {
    std::vector<Bar> bars;
    for (const SeedGroup& group : groups_) {
      if (group.data != data) continue;
      const auto m = over_seeds(group, [this](std::size_t run) {
        return std::optional(results_[run].median_microseconds);
      });
      bars.push_back({group.label, m.mean.value_or(0), std::nullopt});
    }
    return bar_chart("Median of one decision", bars, " us", 1);
  }

  std::string birth_lines(const std::string& data) const {
    std::vector<Line> lines;
    for (const SeedGroup& group : groups_) {
      if (group.data != data) continue;
      Line line{group.label, {}}, novel{"novel classes", {}};
      for (const auto& point : results_[group.runs[0]].births) {
        line.points.emplace_back(point[0], point[1]);
        novel.points.emplace_back(point[0], point[2]);
      }
      if (lines.empty()) lines.push_back(std::move(novel));
      lines.push_back(std::move(line));
    }
    return line_chart("Categories over the stream", lines, {}, "samples");
  }

  const Plan& plan_;
  const std::vector<Run>& runs_;
  const std::vector<RunResult>& results_;
  std::vector<SeedGroup> groups_;
};

}  // namespace

std::string study_page(const Plan& plan, const std::vector<Run>& runs,
                       const std::vector<RunResult>& results, const std::vector<DataSet>& data,
                       const StudyTables& tables) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      html_text(plan.title), kStyle);
  if (!plan.remark.empty()) out += fmt::format("<p>{}</p>\n", html_text(plan.remark));
  const Charts charts(plan, runs, results, data);
  for (std::size_t d = 0; d < data.size(); ++d) {
    // A set of images is there once for each training.
    if (d > 0 && data[d].name == data[d - 1].name) continue;
    out += fmt::format("<h2>{}</h2>\n{}", html_text(data[d].name), charts.of(data[d].name));
  }
  if (tables.summary) out += "<h2>Means over seeds</h2>\n" + html_table(*tables.summary);
  if (tables.paper)
    out +=
        fmt::format("<h2>{}</h2>\n{}", html_text(tables.paper->title), html_table(*tables.paper));
  out += "<h2>Every row</h2>\n" + html_table(tables.rows);
  return out + "</body></html>\n";
}

}  // namespace paco::study
