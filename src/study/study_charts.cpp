// Turns the results of a study into the charts of its page: one function for each kind of chart.
#include "study/study_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "study/paper_figures.hpp"
#include "study/region_charts.hpp"

namespace paco::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) { return value ? Json(*value) : Json(); }

// A value of a group of runs, and the interval that is drawn around it.
struct Estimate {
  std::optional<double> value, low, high;
};

class Charts {
 public:
  Charts(const Plan& plan, const std::vector<Run>& runs, const std::vector<RunResult>& results,
         const std::vector<DataSet>& data, const std::string& set)
      : plan_(plan), runs_(runs), results_(results), set_(set) {
    for (const DataSet& one : data) {
      if (one.name == set) samples_ = one.stream.rows();
    }
    for (SeedGroup& group : seed_groups(runs, data)) {
      if (group.data != set) continue;
      several_ = several_ || group.runs.size() > 1;
      groups_.push_back(std::move(group));
    }
  }

  Json all() const {
    if (groups_.empty()) return Json::array();
    switch (plan_.question) {
      case Question::accuracy:
        if (plan_.factor.empty()) return {accuracy_bars(), accuracy_pairs(), count_bars()};
        return accuracy_over_values();
      case Question::calibration_time:
        return Json::array({time_lines()});
      case Question::latency:
        return Json::array({latency_bars()});
      case Question::births:
        return Json::array({birth_lines()});
      case Question::regions:
        return score_charts();
      case Question::birth_track:
        return {track_lines("Categories over the stream", "categories", 1, "count"),
                track_lines("The birth boundary", "birth score", 2, "count"),
                track_lines("Weight of the stream in the boundary", "eta", 3, "share")};
      case Question::latency_track:
        return Json::array(
            {track_lines("Mean time of a decision", "microseconds", 2, "microseconds")});
      case Question::region_track:
        return region_charts(groups_[0].label, first(groups_[0]));
      case Question::data_sets:
        return Json::array();
    }
    return Json::array();
  }

 private:
  const RunResult& first(const SeedGroup& group) const { return results_[group.runs[0]]; }
  const Contender& contender(const SeedGroup& group) const {
    return runs_[group.runs[0]].contender;
  }

  // One standard deviation over the seeds; of a single run the interval over its samples.
  Estimate accuracy(const SeedGroup& group) const {
    const auto [mean, deviation] =
        over_seeds(group, [&](std::size_t run) { return results_[run].strict.all; });
    if (deviation) return {mean, *mean - *deviation, *mean + *deviation};
    const auto& interval = first(group).strict.all_interval;
    if (!interval) return {mean, {}, {}};
    return {mean, interval->low, interval->high};
  }
  const char* accuracy_range() const {
    return several_ ? "one standard deviation over the seeds" : "95% interval over the samples";
  }

  template <class Value>
  Estimate mean(const SeedGroup& group, Value value) const {
    const auto m = over_seeds(group, [&](std::size_t run) { return std::optional(value(run)); });
    if (!m.deviation) return {m.mean, {}, {}};
    return {m.mean, std::max(0.0, *m.mean - *m.deviation), *m.mean + *m.deviation};
  }
  Json seed_range() const {
    return several_ ? Json("one standard deviation over the seeds") : Json();
  }

  Json row(const SeedGroup& group, const Estimate& estimate,
           std::optional<double> mark = {}) const {
    return {{"label", group.label},        {"value", number(estimate.value)},
            {"low", number(estimate.low)}, {"high", number(estimate.high)},
            {"mark", number(mark)},        {"preset", is_preset(group.label)}};
  }

  // The largest first, whatever the order of the runs.
  static void sort_rows(Json& rows, const char* key) {
    std::stable_sort(rows.begin(), rows.end(), [key](const Json& a, const Json& b) {
      if (a[key].is_null() || b[key].is_null()) return b[key].is_null() && !a[key].is_null();
      return a[key].get<double>() > b[key].get<double>();
    });
  }

  Json accuracy_bars() const {
    Json rows = Json::array();
    bool marks = false;
    for (const SeedGroup& group : groups_) {
      std::optional<double> mark = paper_accuracy(set_, group.label);
      if (mark) mark = *mark / 100;
      marks = marks || mark;
      rows.push_back(row(group, accuracy(group), mark));
    }
    sort_rows(rows, "value");
    return {{"kind", "bars"},
            {"title", "Accuracy over all classes"},
            {"caption",
             "Strict: clusters are matched with classes once, over the whole stream; everything "
             "unmatched is wrong."},
            {"show", "share"},
            {"axis", "Strict accuracy, all classes"},
            {"rows", std::move(rows)},
            {"range", accuracy_range()},
            {"mark", marks ? Json("published, with another backbone") : Json()},
            {"reference", nullptr}};
  }

  Json accuracy_pairs() const {
    Json rows = Json::array();
    for (const SeedGroup& group : groups_) {
      const auto old_mean =
          over_seeds(group, [&](std::size_t run) { return results_[run].strict.old; }).mean;
      const auto novel_mean =
          over_seeds(group, [&](std::size_t run) { return results_[run].strict.novel; }).mean;
      rows.push_back({{"label", group.label},
                      {"value", number(accuracy(group).value)},
                      {"old", number(old_mean)},
                      {"novel", number(novel_mean)},
                      {"preset", is_preset(group.label)}});
    }
    sort_rows(rows, "value");
    for (Json& one : rows) one.erase("value");
    return {{"kind", "pairs"},
            {"title", "Known and novel classes"},
            {"caption",
             "The same accuracy for samples of known classes and for those of classes that the "
             "support set does not have. A short line means that a method does not trade one for "
             "the other."},
            {"axis", "Strict accuracy"},
            {"rows", std::move(rows)}};
  }

  Json count_bars() const {
    Json rows = Json::array();
    for (const SeedGroup& group : groups_) {
      rows.push_back(row(group, mean(group, [&](std::size_t run) {
                           return static_cast<double>(results_[run].categories);
                         })));
    }
    sort_rows(rows, "value");
    const std::int64_t classes = first(groups_[0]).classes;
    return {
        {"kind", "bars"},
        {"title", "Categories in use"},
        {"caption",
         "How many different classes and categories the samples were put into. The dashed line "
         "is the number of true classes in the stream."},
        {"show", "count"},
        {"axis", "different answers"},
        {"rows", std::move(rows)},
        {"range", seed_range()},
        {"mark", nullptr},
        {"reference", {{"value", classes}, {"label", fmt::format("{} true classes", classes)}}}};
  }

  // The values that some group has, in the plan's order.
  std::vector<std::string> ticks() const {
    std::vector<std::string> present;
    for (const std::string& value : plan_.values) {
      if (std::any_of(groups_.begin(), groups_.end(),
                      [&](const SeedGroup& group) { return group.value == value; }))
        present.push_back(value);
    }
    return present;
  }

  template <class Value>
  Json value_lines(const char* title, const std::string& caption, const char* show,
                   const char* axis, Json range, Value value) const {
    const std::vector<std::string> words = ticks();
    Json lines = Json::array();
    for (const SeedGroup& group : groups_) {
      auto line = std::find_if(lines.begin(), lines.end(),
                               [&](const Json& l) { return l["label"] == group.label; });
      if (line == lines.end()) {
        lines.push_back({{"label", group.label},
                         {"preset", is_preset(group.label)},
                         {"truth", false},
                         {"points", Json::array()}});
        line = std::prev(lines.end());
      }
      const Estimate estimate = value(group);
      if (!estimate.value) continue;
      const auto x = std::find(words.begin(), words.end(), group.value) - words.begin();
      (*line)["points"].push_back(
          {x, *estimate.value, number(estimate.low), number(estimate.high)});
    }
    const auto preset = preset_value(plan_, contender(groups_[0]));
    return {{"kind", "lines"},
            {"title", title},
            {"caption", caption},
            {"show", show},
            {"axis", axis},
            {"along", words_of(plan_.factor)},
            {"ticks", words},
            {"joined", has_order(plan_)},
            {"preset", preset ? Json(*preset) : Json()},
            {"range", std::move(range)},
            {"lines", std::move(lines)}};
  }

  // Names of options and factors as words: "support share".
  static std::string words_of(std::string_view factor) {
    std::string words(factor);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
  }

  Json accuracy_over_values() const {
    const bool single = std::all_of(groups_.begin(), groups_.end(), [&](const SeedGroup& group) {
      return group.label == groups_[0].label;
    });
    if (single && !has_order(plan_)) return Json::array({accuracy_by_value()});
    if (single) return Json::array({shares_over_values()});
    return Json::array({value_lines("Accuracy over all classes", "Strict accuracy of each run.",
                                    "share", "Strict accuracy, all classes", accuracy_range(),
                                    [&](const SeedGroup& group) { return accuracy(group); })});
  }

  // Of one method All, Old and New, as lines of one chart.
  Json shares_over_values() const {
    Json chart =
        value_lines("Accuracy over all, known and novel classes",
                    "Strict accuracy; the default value is marked.", "share", "Strict accuracy",
                    accuracy_range(), [&](const SeedGroup& group) { return accuracy(group); });
    chart["lines"][0]["label"] = "All";
    const auto add = [&](const char* label, auto share) {
      Json line = value_lines("", "", "share", "", nullptr, [&](const SeedGroup& group) {
        const auto m = over_seeds(group, share);
        if (!m.deviation) return Estimate{m.mean, {}, {}};
        return Estimate{m.mean, *m.mean - *m.deviation, *m.mean + *m.deviation};
      })["lines"][0];
      line["label"] = label;
      line["preset"] = false;
      chart["lines"].push_back(std::move(line));
    };
    add("Old", [&](std::size_t run) { return results_[run].strict.old; });
    add("New", [&](std::size_t run) { return results_[run].strict.novel; });
    return chart;
  }

  // Of one method under values without an order: one row for each.
  Json accuracy_by_value() const {
    Json rows = Json::array();
    for (const SeedGroup& group : groups_) {
      Json one = row(group, accuracy(group));
      one["label"] = group.value;
      one["preset"] = preset_value(plan_, contender(group)) == group.value;
      rows.push_back(std::move(one));
    }
    return {{"kind", "bars"},
            {"title", fmt::format("Accuracy over all classes, {}", groups_[0].label)},
            {"caption", "Strict accuracy of each run."},
            {"show", "share"},
            {"axis", "Strict accuracy, all classes"},
            {"rows", std::move(rows)},
            {"range", accuracy_range()},
            {"mark", nullptr},
            {"reference", nullptr}};
  }

  Json time_lines() const {
    return value_lines(
        "Time of a calibration", "From the support set to a model, trained heads included.",
        "seconds", "seconds", seed_range(), [&](const SeedGroup& group) {
          return mean(group, [&](std::size_t run) { return results_[run].calibrate_seconds; });
        });
  }

  Json latency_bars() const {
    Json rows = Json::array();
    for (const SeedGroup& group : groups_) {
      const auto of = [&](double RunResult::*time) {
        return over_seeds(group,
                          [&](std::size_t run) { return std::optional(results_[run].*time); })
            .mean;
      };
      const auto median = of(&RunResult::median_microseconds);
      rows.push_back(row(group, {median, median, of(&RunResult::p99_microseconds)}));
    }
    sort_rows(rows, "value");
    return {{"kind", "bars"},
            {"title", "Time of one decision"},
            {"caption", "One sample at a time, on one core."},
            {"show", "microseconds"},
            {"axis", "median time of a decision"},
            {"rows", std::move(rows)},
            {"range", "from the median to the slowest 1%"},
            {"mark", nullptr},
            {"reference", nullptr}};
  }

  Json birth_lines() const {
    Json lines = Json::array();
    std::vector<std::string> drawn;  // of a method the first seed
    for (const SeedGroup& group : groups_) {
      if (std::find(drawn.begin(), drawn.end(), group.label) != drawn.end()) continue;
      drawn.push_back(group.label);
      Json points = Json::array(), novel = Json::array();
      std::array<std::int64_t, 3> last{};
      for (const std::array<std::int64_t, 3>& point : first(group).births) {
        points.push_back({point[0], point[1], nullptr, nullptr});
        novel.push_back({point[0], point[2], nullptr, nullptr});
        last = point;
      }
      // Nothing changes after the last birth.
      points.push_back({samples_, last[1], nullptr, nullptr});
      novel.push_back({samples_, last[2], nullptr, nullptr});
      if (lines.empty()) {
        lines.push_back({{"label", "novel classes seen"},
                         {"preset", false},
                         {"truth", true},
                         {"points", std::move(novel)}});
      }
      lines.push_back({{"label", group.label},
                       {"preset", is_preset(group.label)},
                       {"truth", false},
                       {"points", std::move(points)}});
    }
    return {{"kind", "lines"},
            {"title", "Categories over the stream"},
            {"caption",
             "Categories that each method has opened, beside the novel classes of which a sample "
             "has come by. The first seed."},
            {"show", "count"},
            {"axis", "categories"},
            {"along", "sample"},
            {"ticks", nullptr},
            {"joined", true},
            {"preset", nullptr},
            {"range", nullptr},
            {"lines", std::move(lines)}};
  }

  // One column of what runs have kept along the stream, over the first; of a method the first seed.
  Json track_lines(const char* title, const char* axis, std::size_t column,
                   const char* show) const {
    Json lines = Json::array();
    const bool latency = plan_.question == Question::latency_track;
    for (const SeedGroup& group : groups_) {
      Json points = Json::array();
      for (const std::vector<double>& row : first(group).track.rows)
        points.push_back({row[latency ? 1 : 0], row[column], nullptr, nullptr});
      lines.push_back({{"label", group.label},
                       {"preset", is_preset(group.label)},
                       {"truth", false},
                       {"points", std::move(points)}});
    }
    return {{"kind", "lines"},
            {"title", title},
            {"caption", "The first seed."},
            {"show", show},
            {"axis", axis},
            {"along", latency ? "percent of the stream" : "sample"},
            {"ticks", nullptr},
            {"joined", true},
            {"preset", nullptr},
            {"range", nullptr},
            {"lines", std::move(lines)}};
  }

  Json score_charts() const {
    Json charts = Json::array();
    for (const SeedGroup& group : groups_) {
      for (const Region& region : first(group).regions) {
        if (region.positives.empty()) continue;
        const auto bins = static_cast<double>(region.positives.size());
        charts.push_back(
            {{"kind", "scores"},
             {"title", fmt::format("{}, threshold {}", group.label, region.name)},
             {"caption",
              "Scores of the support set that should pass the threshold, and scores that should "
              "not, each as a share of its group."},
             {"axis", "score"},
             {"low", region.low},
             {"width", region.high > region.low ? (region.high - region.low) / bins : 1},
             {"threshold", region.value},
             {"positives", region.positives},
             {"negatives", region.negatives}});
      }
    }
    return charts;
  }

  const Plan& plan_;
  const std::vector<Run>& runs_;
  const std::vector<RunResult>& results_;
  const std::string& set_;
  std::vector<SeedGroup> groups_;
  std::size_t samples_ = 0;  // of the stream
  bool several_ = false;     // some group has more than one seed
};

}  // namespace

Json study_charts(const Plan& plan, const std::vector<Run>& runs,
                  const std::vector<RunResult>& results, const std::vector<DataSet>& data,
                  const std::string& set) {
  return Charts(plan, runs, results, data, set).all();
}

}  // namespace paco::study
