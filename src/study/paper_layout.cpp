#include "study/paper_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "study/paper_figures.hpp"
#include "study/study_tables.hpp"

namespace paco::study {
namespace {

constexpr const char* kAverage = "average";
constexpr std::size_t kPaperSets = 7;
constexpr std::array kShares = {"all", "old", "new"};

bool is_share(const std::string& measure) {
  return std::find(kShares.begin(), kShares.end(), measure) != kShares.end();
}

std::optional<double> percent(const std::optional<double>& share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

std::optional<double> share_of(const Shares& shares, const std::string& measure) {
  return measure == "all" ? shares.all : measure == "old" ? shares.old : shares.novel;
}

// Our figures of a plan, in the order of its runs.
class OwnCells {
 public:
  OwnCells(const Plan& plan, const std::vector<Run>& runs, const std::vector<RunResult>& results,
           const std::vector<DataSet>& data)
      : plan_(plan), runs_(runs), results_(results), data_(data) {}

  std::vector<LayoutCell> all() {
    if (plan_.question == Question::data_sets) {
      sizes();
    } else {
      for (const SeedGroup& group : seed_groups(runs_, data_)) {
        if (plan_.question == Question::calibration_time) {
          times(group);
        } else {
          accuracy(group);
        }
      }
    }
    if (plan_.table == 1) averages();
    return std::move(cells_);
  }

 private:
  template <class Value>
  void add(const SeedGroup& group, const char* protocol, const std::string& measure, Value value) {
    const MeanAndDeviation m = over_seeds(group, value);
    const std::string label = plan_.table == 3 ? group.value : group.label;
    cells_.push_back({protocol, group.data, paper_method(label), measure, m.mean, m.deviation,
                      std::nullopt, std::nullopt, 0, label});
  }

  // In the paper's order. The extraction time is known only for images that a study embedded
  // itself.
  void times(const SeedGroup& group) {
    const auto extraction = [&](std::size_t run) {
      return data_[runs_[run].data].extraction_seconds;
    };
    const auto own = [&](std::size_t run) {
      return std::optional(results_[run].calibrate_seconds);
    };
    add(group, "", "total_seconds", [&](std::size_t run) {
      return extraction(run) ? std::optional(*extraction(run) + *own(run)) : std::nullopt;
    });
    add(group, "", "extraction_seconds", extraction);
    add(group, "", "calibration_seconds", own);
  }

  void accuracy(const SeedGroup& group) {
    if (plan_.table == 2) {
      const bool memory = runs_[group.runs[0]].contender.method == "paco";
      add(group, "strict", "categories", [&](std::size_t run) {
        return std::optional(
            static_cast<double>(memory ? results_[run].memory : results_[run].categories));
      });
    }
    const bool both = plan_.table == 1 || plan_.table == 6;
    for (const char* protocol : {"strict", "greedy"}) {
      const bool strict = protocol == std::string_view("strict");
      if (!strict && !both) continue;
      for (const char* measure : kShares) {
        add(group, protocol, measure, [&](std::size_t run) {
          return percent(share_of(strict ? results_[run].strict : results_[run].greedy, measure));
        });
      }
    }
  }

  void sizes() {
    for (std::size_t d = 0; d < data_.size(); ++d) {
      const DataSet& set = data_[d];
      if (d > 0 && data_[d - 1].name == set.name) continue;
      std::vector<std::int64_t> labels = set.truth;
      std::sort(labels.begin(), labels.end());
      labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
      const auto classes = static_cast<double>(labels.size());
      const auto known = static_cast<double>(set.class_names.size());
      const auto novel =
          static_cast<double>(std::count_if(labels.begin(), labels.end(), [&](auto label) {
            return static_cast<double>(label) >= known;
          }));
      const std::pair<const char*, double> sizes[] = {
          {"classes", classes},
          {"known", known},
          {"novel", novel},
          {"support", static_cast<double>(set.support.rows())},
          {"stream", static_cast<double>(set.stream.rows())}};
      for (const auto& [measure, size] : sizes)
        cells_.push_back({"", set.name, "paco", measure, size, {}, {}, {}});
    }
  }

  // Averages over the data sets, for methods that have a figure for each of them.
  void averages() {
    std::map<std::array<std::string, 3>, std::vector<double>> figures;
    std::vector<std::array<std::string, 3>> order;
    std::vector<std::string> sets;
    for (const LayoutCell& cell : cells_) {
      if (std::find(sets.begin(), sets.end(), cell.data) == sets.end()) sets.push_back(cell.data);
      const std::array<std::string, 3> key{cell.protocol, cell.method, cell.measure};
      if (!figures.contains(key)) order.push_back(key);
      if (cell.ours) figures[key].push_back(*cell.ours);
    }
    for (const auto& key : order) {
      LayoutCell cell{key[0], kAverage, key[1], key[2], {}, {}, {}, {}};
      double sum = 0;
      for (const double figure : figures[key]) sum += figure;
      if (figures[key].size() == sets.size()) cell.ours = sum / static_cast<double>(sets.size());
      cells_.push_back(std::move(cell));
    }
  }

  const Plan& plan_;
  const std::vector<Run>& runs_;
  const std::vector<RunResult>& results_;
  const std::vector<DataSet>& data_;
  std::vector<LayoutCell> cells_;
};

void rank(std::vector<LayoutCell>& cells) {
  std::map<std::array<std::string, 3>, std::vector<LayoutCell*>> columns;
  for (LayoutCell& cell : cells) {
    if (cell.ours && is_share(cell.measure))
      columns[{cell.protocol, cell.data, cell.measure}].push_back(&cell);
  }
  for (auto& [key, column] : columns) {
    if (column.size() < 2) continue;
    for (LayoutCell* cell : column) {
      const auto better = std::count_if(column.begin(), column.end(), [&](const LayoutCell* other) {
        return *other->ours > *cell->ours;
      });
      cell->rank = better < 2 ? static_cast<int>(better) + 1 : 0;
    }
  }
}

// Of Table 5 to 7 the rows are data sets, of the others methods.
bool rows_are_sets(const Plan& plan) { return plan.table >= 5; }

std::string row_of(const Plan& plan, const LayoutCell& cell) {
  return rows_are_sets(plan) ? cell.data : cell.protocol + "\t" + cell.method;
}
std::string column_of(const Plan& plan, const LayoutCell& cell) {
  return rows_are_sets(plan) ? cell.protocol + "\t" + cell.measure
                             : cell.data + "\t" + cell.measure;
}
std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::replace(text.begin(), text.end(), '_', ' ');
  return text.substr(text.find_first_not_of(' ') == text.npos ? 0 : text.find_first_not_of(' '));
}

std::string figure_text(const Plan& plan, const LayoutCell& cell, double value) {
  const bool whole = plan.table == 5 || cell.measure == "categories";
  return fmt::format("{:.{}f}", value, whole ? 0 : plan.table >= 6 ? 2 : 1);
}

std::string text_of(const Plan& plan, const LayoutCell& cell, LayoutPart part) {
  const auto with = [&](std::optional<double> value, std::optional<double> deviation) {
    if (!value) return std::string("-");
    std::string text = figure_text(plan, cell, *value);
    if (deviation && plan.table >= 6) text += fmt::format(" +- {:.2f}", *deviation);
    return text;
  };
  if (part == LayoutPart::paper) return with(cell.paper, cell.paper_deviation);
  if (part == LayoutPart::difference) {
    if (!cell.ours || !cell.paper) return "-";
    const double difference = *cell.ours - *cell.paper;
    return (difference >= 0 ? "+" : "") + figure_text(plan, cell, difference);
  }
  return with(cell.ours, cell.deviation) + (cell.rank == 1 ? " (1)" : cell.rank == 2 ? " (2)" : "");
}

// Values in the order in which they first come.
template <class Of>
std::vector<std::string> distinct(const std::vector<LayoutCell>& cells, Of of) {
  std::vector<std::string> list;
  for (const LayoutCell& cell : cells) {
    std::string one = of(cell);
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::vector<LayoutCell> layout_cells(const Plan& plan, const std::vector<Run>& runs,
                                     const std::vector<RunResult>& results,
                                     const std::vector<DataSet>& data) {
  std::vector<LayoutCell> own = OwnCells(plan, runs, results, data).all();
  rank(own);
  const auto sets = distinct(own, [](const LayoutCell& cell) { return cell.data; });
  const auto of_seven = static_cast<std::size_t>(std::count_if(
      sets.begin(), sets.end(), [](const std::string& set) { return !paper_set(set).empty(); }));
  std::vector<LayoutCell> cells;
  std::vector<bool> used(own.size());
  // The paper's cells in its order, each with ours. There can be several variants of one of our
  // data sets.
  for (const PaperFigure& figure : paper_figures()) {
    if (figure.table != plan.table) continue;
    bool found = false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      LayoutCell cell = own[i];
      const bool average = cell.data == kAverage && figure.data == kAverage;
      const bool fits = cell.protocol == figure.protocol && cell.method == figure.method &&
                        cell.measure == figure.measure &&
                        (average || paper_set(cell.data) == figure.data);
      if (!fits) continue;
      found = used[i] = true;
      // An average over other sets than the paper's seven cannot be compared with the paper's
      // average.
      if (!average || of_seven == kPaperSets) {
        cell.paper = figure.value;
        cell.paper_deviation = figure.deviation;
      }
      cells.push_back(std::move(cell));
    }
    if (found && (figure.data != kAverage || of_seven == kPaperSets)) continue;
    LayoutCell paper{figure.protocol,
                     figure.data == kAverage ? "average of seven" : figure.data,
                     figure.method,
                     figure.measure,
                     {},
                     {},
                     figure.value,
                     figure.deviation};
    cells.push_back(std::move(paper));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!used[i]) cells.push_back(own[i]);
  }
  return cells;
}

report::Table cells_table(const Plan& plan, const std::vector<LayoutCell>& cells) {
  report::Table table{"cells",
                      std::string(plan.title),
                      {{"protocol", "Protocol", report::Show::text},
                       {"data", "Data", report::Show::text},
                       {"method", "Method", report::Show::text},
                       {"label", "Ours is", report::Show::text},
                       {"measure", "Measure", report::Show::text},
                       {"ours", "Ours", report::Show::number, 2},
                       {"deviation", "+-", report::Show::number, 2},
                       {"paper", "Paper", report::Show::number, 2},
                       {"paper_deviation", "+-", report::Show::number, 2},
                       {"difference", "Difference", report::Show::number, 2},
                       {"rank", "Rank", report::Show::integer}},
                      {}};
  for (const LayoutCell& cell : cells) {
    std::optional<double> difference;
    if (cell.ours && cell.paper) difference = *cell.ours - *cell.paper;
    table.add({cell.protocol, cell.data, cell.method, cell.label, cell.measure,
               report::cell(cell.ours), report::cell(cell.deviation), report::cell(cell.paper),
               report::cell(cell.paper_deviation), report::cell(difference),
               cell.rank > 0 ? report::Cell(std::int64_t{cell.rank}) : report::Cell()});
  }
  return table;
}

report::Table layout_table(const Plan& plan, const std::vector<LayoutCell>& cells,
                           LayoutPart part) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"layout", "ours; (1) best and (2) second of a column"},
      {"layout_paper", "the paper's own figures: another backbone, trained by its authors"},
      {"layout_difference", "ours less the paper's"}};
  const auto& [key, what] = kNames[static_cast<int>(part)];
  report::Table table{key, fmt::format("{}: {}", plan.title, what), {}, {}};
  const auto rows = distinct(cells, [&](const LayoutCell& cell) { return row_of(plan, cell); });
  // Columns that are not empty; averages last.
  auto columns = distinct(cells, [&](const LayoutCell& cell) { return column_of(plan, cell); });
  std::erase_if(columns, [&](const std::string& column) {
    return std::all_of(cells.begin(), cells.end(), [&](const LayoutCell& cell) {
      return column_of(plan, cell) != column || text_of(plan, cell, part) == "-";
    });
  });
  std::stable_partition(columns.begin(), columns.end(),
                        [](const std::string& column) { return !column.starts_with(kAverage); });
  table.columns.push_back({rows_are_sets(plan) ? "data" : "method",
                           rows_are_sets(plan) ? "Data" : "Method", report::Show::text});
  for (const std::string& column : columns) {
    std::string name = spaced(column), word = name;
    std::replace(word.begin(), word.end(), ' ', '_');
    table.columns.push_back({word, name, report::Show::text});
  }
  for (const std::string& row : rows) {
    // A row with our figures shows our name of the method.
    const auto named = std::find_if(cells.begin(), cells.end(), [&](const LayoutCell& cell) {
      return row_of(plan, cell) == row && !cell.label.empty();
    });
    const bool ours = part != LayoutPart::paper && !rows_are_sets(plan) && named != cells.end();
    std::vector<report::Cell> values{spaced(ours ? named->protocol + "\t" + named->label : row)};
    bool any = false;
    for (const std::string& column : columns) {
      const auto found = std::find_if(cells.begin(), cells.end(), [&](const LayoutCell& cell) {
        return row_of(plan, cell) == row && column_of(plan, cell) == column;
      });
      const std::string text = found == cells.end() ? "-" : text_of(plan, *found, part);
      any = any || text != "-";
      values.emplace_back(text);
    }
    if (any) table.add(std::move(values));
  }
  return table;
}

}  // namespace paco::study
