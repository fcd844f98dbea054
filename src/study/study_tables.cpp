#include "study/study_tables.hpp"

#include "study/paper_layout.hpp"

namespace paco::study {
namespace {

std::string value_of(const Run& run) { return run.factors.empty() ? "" : run.factors[0].second; }

// data, method and, if something is varied, its value.
void add_identity(const Plan& plan, report::Table& table) {
  table.columns.push_back({"data", "Data", report::Show::text});
  table.columns.push_back({"method", "Method", report::Show::text});
  if (!plan.factor.empty())
    table.columns.push_back(
        {std::string(plan.factor), std::string(plan.factor), report::Show::text});
}

std::vector<report::Cell> identity(const Plan& plan, const std::string& data,
                                   const std::string& label, const std::string& value) {
  std::vector<report::Cell> row{data, label};
  if (!plan.factor.empty()) row.emplace_back(value);
  return row;
}

void add_shares(const Shares& shares, std::vector<report::Cell>& row) {
  for (const auto& share : {shares.all, shares.old, shares.novel})
    row.push_back(report::cell(share));
}

report::Table accuracy_rows(const Plan& plan, const std::vector<Run>& runs,
                            const std::vector<RunResult>& results,
                            const std::vector<DataSet>& data) {
  report::Table table{std::string(plan.name), std::string(plan.title), {}, {}};
  add_identity(plan, table);
  table.columns.insert(table.columns.end(), {{"protocol", "Protocol", report::Show::text},
                                             {"seed", "Seed", report::Show::integer},
                                             {"all", "All", report::Show::share},
                                             {"old", "Old", report::Show::share},
                                             {"new", "New", report::Show::share},
                                             {"called_new", "Called new", report::Show::share},
                                             {"categories", "Categories", report::Show::integer},
                                             {"memory", "Memory", report::Show::integer},
                                             {"classes", "True classes", report::Show::integer}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunResult& result = results[i];
    for (const bool strict : {true, false}) {
      std::vector<report::Cell> row =
          identity(plan, data[runs[i].data].name, runs[i].contender.label, value_of(runs[i]));
      row.emplace_back(std::string(strict ? "strict" : "greedy"));
      row.emplace_back(static_cast<std::int64_t>(runs[i].seed));
      add_shares(strict ? result.strict : result.greedy, row);
      row.insert(row.end(), {report::cell(result.called_new), report::Cell(result.categories),
                             report::Cell(result.memory), report::Cell(result.classes)});
      table.add(std::move(row));
    }
  }
  return table;
}

report::Table accuracy_summary(const Plan& plan, const std::vector<Run>& runs,
                               const std::vector<RunResult>& results,
                               const std::vector<DataSet>& data) {
  report::Table table{"summary", std::string(plan.title), {}, {}};
  add_identity(plan, table);
  const char* parts[] = {"all", "old", "new"};
  const std::vector<SeedGroup> groups = seed_groups(runs, data);
  bool several = false;
  for (const SeedGroup& group : groups) several = several || group.runs.size() > 1;
  for (const char* protocol : {"strict", "greedy"}) {
    for (const char* part : parts) {
      const std::string key = std::string(protocol) + "_" + part;
      table.columns.push_back({key, std::string(protocol) + " " + part, report::Show::share});
      if (several) table.columns.push_back({key + "_deviation", "+-", report::Show::share});
    }
  }
  table.columns.push_back({"called_new", "called new", report::Show::share});
  table.columns.push_back({"categories", "categories", report::Show::number, 0});
  table.columns.push_back({"classes", "true classes", report::Show::integer});
  for (const SeedGroup& group : groups) {
    std::vector<report::Cell> row = identity(plan, group.data, group.label, group.value);
    for (const bool strict : {true, false}) {
      for (int part = 0; part < 3; ++part) {
        const MeanAndDeviation m = over_seeds(group, [&](std::size_t run) {
          const Shares& s = strict ? results[run].strict : results[run].greedy;
          return part == 0 ? s.all : part == 1 ? s.old : s.novel;
        });
        row.push_back(report::cell(m.mean));
        if (several) row.push_back(report::cell(m.deviation));
      }
    }
    row.push_back(report::cell(
        over_seeds(group, [&](std::size_t run) { return results[run].called_new; }).mean));
    row.push_back(report::cell(over_seeds(group, [&](std::size_t run) {
                                 return std::optional(static_cast<double>(results[run].categories));
                               }).mean));
    row.emplace_back(results[group.runs[0]].classes);
    table.add(std::move(row));
  }
  return table;
}

report::Table timing_rows(const Plan& plan, const std::vector<Run>& runs,
                          const std::vector<RunResult>& results, const std::vector<DataSet>& data) {
  report::Table table{std::string(plan.name), std::string(plan.title), {}, {}};
  add_identity(plan, table);
  table.columns.push_back({"seed", "Seed", report::Show::integer});
  const bool latency = plan.question == Question::latency;
  if (latency) {
    table.columns.push_back({"median_microseconds", "Median, us", report::Show::number, 1});
    table.columns.push_back({"p99_microseconds", "99 %, us", report::Show::number, 1});
    table.columns.push_back({"categories", "Categories", report::Show::integer});
  } else {
    table.columns.push_back({"seconds", "Seconds", report::Show::number, 3});
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<report::Cell> row =
        identity(plan, data[runs[i].data].name, runs[i].contender.label, value_of(runs[i]));
    row.emplace_back(static_cast<std::int64_t>(runs[i].seed));
    if (latency) {
      row.insert(row.end(),
                 {report::Cell(results[i].median_microseconds),
                  report::Cell(results[i].p99_microseconds), report::Cell(results[i].categories)});
    } else {
      row.emplace_back(results[i].calibrate_seconds);
    }
    table.add(std::move(row));
  }
  return table;
}

report::Table birth_rows(const Plan& plan, const std::vector<Run>& runs,
                         const std::vector<RunResult>& results, const std::vector<DataSet>& data) {
  report::Table table{std::string(plan.name), std::string(plan.title), {}, {}};
  add_identity(plan, table);
  table.columns.insert(table.columns.end(),
                       {{"seed", "Seed", report::Show::integer},
                        {"sample", "Sample", report::Show::integer},
                        {"categories", "Categories", report::Show::integer},
                        {"novel_classes", "Novel classes", report::Show::integer}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const auto& point : results[i].births) {
      std::vector<report::Cell> row =
          identity(plan, data[runs[i].data].name, runs[i].contender.label, "");
      row.emplace_back(static_cast<std::int64_t>(runs[i].seed));
      for (const std::int64_t number : point) row.emplace_back(number);
      table.add(std::move(row));
    }
  }
  return table;
}

report::Table region_rows(const Plan& plan, const std::vector<Run>& runs,
                          const std::vector<RunResult>& results, const std::vector<DataSet>& data) {
  report::Table table{std::string(plan.name), std::string(plan.title), {}, {}};
  add_identity(plan, table);
  table.columns.insert(table.columns.end(), {{"threshold", "Threshold", report::Show::text},
                                             {"value", "Value", report::Show::number, 4},
                                             {"from", "From", report::Show::number, 4},
                                             {"to", "To", report::Show::number, 4},
                                             {"positives", "Positives", report::Show::integer},
                                             {"negatives", "Negatives", report::Show::integer}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const Region& region : results[i].regions) {
      const auto steps = static_cast<double>(region.positives.size());
      for (std::size_t b = 0; b < region.positives.size(); ++b) {
        std::vector<report::Cell> row =
            identity(plan, data[runs[i].data].name, runs[i].contender.label, "");
        const double width = (region.high - region.low) / steps;
        const double from = region.low + width * static_cast<double>(b);
        row.insert(row.end(),
                   {report::Cell(region.name), report::Cell(region.value), report::Cell(from),
                    report::Cell(from + width), report::Cell(region.positives[b]),
                    report::Cell(region.negatives[b])});
        table.add(std::move(row));
      }
    }
  }
  return table;
}

// A row for every point that a run has kept along the stream.
report::Table track_rows(const Plan& plan, const std::vector<Run>& runs,
                         const std::vector<RunResult>& results, const std::vector<DataSet>& data) {
  report::Table table{std::string(plan.name), std::string(plan.title), {}, {}};
  add_identity(plan, table);
  table.columns.push_back({"seed", "Seed", report::Show::integer});
  for (const RunResult& result : results) {
    for (const std::string& name : result.track.columns)
      table.columns.push_back({name, name, report::Show::number, 4});
    break;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const std::vector<double>& point : results[i].track.rows) {
      std::vector<report::Cell> row =
          identity(plan, data[runs[i].data].name, runs[i].contender.label, "");
      row.emplace_back(static_cast<std::int64_t>(runs[i].seed));
      for (const double number : point) row.emplace_back(number);
      table.add(std::move(row));
    }
  }
  return table;
}

report::Table size_rows(const Plan& plan, const std::vector<DataSet>& data) {
  report::Table table{std::string(plan.name),
                      std::string(plan.title),
                      {{"data", "Data", report::Show::text},
                       {"known", "Known classes", report::Show::integer},
                       {"support", "Support", report::Show::integer},
                       {"stream", "Stream", report::Show::integer},
                       {"split_digest", "Split", report::Show::text}},
                      {}};
  for (const DataSet& set : data) {
    table.add({set.name, static_cast<std::int64_t>(set.class_names.size()),
               static_cast<std::int64_t>(set.support.rows()),
               static_cast<std::int64_t>(set.stream.rows()), set.split_digest});
  }
  return table;
}

// Runs whose scores depend on how clusters are matched, each with all four ways.
std::optional<report::Table> matching_rows(const Plan& plan, const std::vector<Run>& runs,
                                           const std::vector<RunResult>& results,
                                           const std::vector<DataSet>& data) {
  report::Table table{"matchings", "Where the way of matching changes the figures", {}, {}};
  add_identity(plan, table);
  table.columns.insert(table.columns.end(), {{"seed", "Seed", report::Show::integer},
                                             {"protocol", "Protocol", report::Show::text},
                                             {"keep", "Keep", report::Show::text},
                                             {"match", "Match", report::Show::text},
                                             {"all", "All", report::Show::share, 2},
                                             {"old", "Old", report::Show::share, 2},
                                             {"new", "New", report::Show::share, 2}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const bool strict : {true, false}) {
      const auto shares = [&](std::size_t m) -> const Shares& {
        return strict ? results[i].scores[m].strict : results[i].scores[m].greedy;
      };
      bool differ = false;
      for (std::size_t m = 1; m < results[i].scores.size(); ++m) {
        differ = differ || shares(m).all != shares(0).all || shares(m).old != shares(0).old ||
                 shares(m).novel != shares(0).novel;
      }
      for (std::size_t m = 0; differ && m < results[i].scores.size(); ++m) {
        std::vector<report::Cell> row =
            identity(plan, data[runs[i].data].name, runs[i].contender.label, value_of(runs[i]));
        row.insert(row.end(), {static_cast<std::int64_t>(runs[i].seed),
                               std::string(strict ? "strict" : "greedy"),
                               std::string(evaluate::keep_name(kMatchings[m].keep)),
                               std::string(evaluate::match_table_name(kMatchings[m].table))});
        add_shares(shares(m), row);
        table.add(std::move(row));
      }
    }
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace

std::vector<SeedGroup> seed_groups(const std::vector<Run>& runs, const std::vector<DataSet>& data) {
  std::vector<SeedGroup> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string name = data[runs[i].data].name, value = value_of(runs[i]);
    SeedGroup* own = nullptr;
    for (SeedGroup& group : groups) {
      if (group.data == name && group.label == runs[i].contender.label && group.value == value)
        own = &group;
    }
    if (own == nullptr)
      own = &groups.emplace_back(SeedGroup{name, runs[i].contender.label, value, {}});
    own->runs.push_back(i);
  }
  return groups;
}

StudyTables study_tables(const Plan& plan, const std::vector<Run>& runs,
                         const std::vector<RunResult>& results, const std::vector<DataSet>& data) {
  StudyTables out;
  switch (plan.question) {
    case Question::accuracy:
      out.rows = accuracy_rows(plan, runs, results, data);
      out.summary = accuracy_summary(plan, runs, results, data);
      out.matchings = matching_rows(plan, runs, results, data);
      break;
    case Question::calibration_time:
    case Question::latency:
      out.rows = timing_rows(plan, runs, results, data);
      break;
    case Question::births:
      out.rows = birth_rows(plan, runs, results, data);
      break;
    case Question::regions:
      out.rows = region_rows(plan, runs, results, data);
      break;
    case Question::data_sets:
      out.rows = size_rows(plan, data);
      break;
    case Question::birth_track:
    case Question::region_track:
    case Question::latency_track:
      out.rows = track_rows(plan, runs, results, data);
      break;
  }
  if (plan.table > 0) {
    const std::vector<LayoutCell> cells = layout_cells(plan, runs, results, data);
    for (const LayoutPart part : {LayoutPart::ours, LayoutPart::paper, LayoutPart::difference})
      out.layout.push_back(layout_table(plan, cells, part));
    out.paper = cells_table(plan, cells);
  }
  return out;
}

}  // namespace paco::study
