#include "study/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "evaluate/evaluation.hpp"
#include "methods/registry.hpp"
#include "paco/false_new.hpp"
#include "study/questions.hpp"
#include "study/run_tracks.hpp"

namespace paco::study {
namespace {

using Json = nlohmann::ordered_json;

// Of results; a change makes every run anew.
constexpr int kFormat = 5;

Json shape_json(const DataShape& shape) {
  Json json{
      {"support_share", shape.support_share},   {"known", shape.known},   {"shots", shape.shots},
      {"order", static_cast<int>(shape.order)}, {"redraw", shape.redraw}, {"draw", shape.draw}};
  if (shape.kept_apart > 0) json["kept_apart"] = shape.kept_apart;
  return json;
}

Json calibration_json_of(const Run& run, const DataSet& data) {
  Json json{{"format", kFormat},
            {"data", data.digest},
            {"method", run.contender.method},
            {"settings", Json(run.contender.calibrating)},
            {"reference", std::string(reference_choice_name(run.contender.reference))},
            {"seed", run.seed},
            {"false_new", run.false_new},
            {"shape", shape_json(run.shape)}};
  if (run.false_new > 0) json["confidence"] = FalseNew::kConfidence;
  return json;
}

bool calibrates_with(const MethodInfo& info, std::string_view option) {
  return std::any_of(info.options.begin(), info.options.end(), [&](const MethodOption& o) {
    return o.name == option && o.stage == MethodOption::Stage::calibrating;
  });
}

Shares shares_of(const evaluate::SplitAccuracy& s) {
  return {s.all.value(), s.old.value(), s.novel.value(), s.all.interval, {}, {}};
}

ScoresByProtocol scores_of(const evaluate::Evaluation& evaluated) {
  ScoresByProtocol out{shares_of(evaluated.scores.strict), shares_of(evaluated.scores.greedy)};
  out.strict.old_ties = evaluated.scores.strict_old_ties;
  out.strict.novel_ties = evaluated.scores.strict_novel_ties;
  return out;
}

Region region(const std::string& name, const ThresholdEvidence& evidence) {
  constexpr std::size_t kSteps = 48;
  Region out;
  out.name = name;
  out.value = evidence.value;
  out.low = out.high = evidence.value;
  for (const auto* scores : {&evidence.positives, &evidence.negatives}) {
    for (const float score : *scores) {
      out.low = std::min(out.low, static_cast<double>(score));
      out.high = std::max(out.high, static_cast<double>(score));
    }
  }
  const auto count = [&](const std::vector<float>& scores) {
    std::vector<std::int64_t> counts(kSteps);
    const double width = (out.high - out.low) / static_cast<double>(kSteps);
    for (const float score : scores) {
      const double at = width > 0 ? (static_cast<double>(score) - out.low) / width : 0;
      ++counts[std::min(static_cast<std::size_t>(at), kSteps - 1)];
    }
    return counts;
  };
  out.positives = count(evidence.positives);
  out.negatives = count(evidence.negatives);
  return out;
}

Result<std::vector<Decision>> decide(const Run& run, Method& method, Rows<const double> stream,
                                     RunResult& result, const core::Clock& clock,
                                     std::stop_token stop) {
  constexpr std::size_t kBlock = 256;
  std::vector<Decision> decisions(stream.rows);
  std::vector<double> seconds;
  const double start = clock();
  for (std::size_t at = 0; at < stream.rows;) {
    if (stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
    const std::size_t rows = std::min(run.timed ? 1 : kBlock, stream.rows - at);
    const double before = run.timed ? clock() : 0;
    PACO_TRY(method.decide_block(stream.slice(at, rows), std::span(decisions).subspan(at, rows)));
    if (run.timed) seconds.push_back(clock() - before);
    at += rows;
  }
  result.decide_seconds = clock() - start;
  if (run.track == TrackKind::latency) result.track = latency_track(seconds);
  if (!seconds.empty()) {
    std::sort(seconds.begin(), seconds.end());
    result.median_microseconds = 1e6 * seconds[seconds.size() / 2];
    result.p99_microseconds = 1e6 * seconds[seconds.size() * 99 / 100];
  }
  return decisions;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json interval_json(const std::optional<evaluate::Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}
std::optional<evaluate::Interval> interval_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return evaluate::Interval{json.at(0).get<double>(), json.at(1).get<double>()};
}
Json shares_json(const Shares& s) {
  return Json::array({optional_json(s.all), optional_json(s.old), optional_json(s.novel),
                      interval_json(s.all_interval), interval_json(s.old_ties),
                      interval_json(s.novel_ties)});
}
Shares shares_from(const Json& json) {
  const auto at = [&](std::size_t i) {
    return json.at(i).is_null() ? std::optional<double>() : json.at(i).get<double>();
  };
  return {at(0),
          at(1),
          at(2),
          interval_from(json.at(3)),
          interval_from(json.at(4)),
          interval_from(json.at(5))};
}

}  // namespace

std::string run_key(const Run& run, const DataSet& data) {
  Json json = calibration_json_of(run, data);
  json["deciding"] = Json(run.contender.deciding);
  json["timed"] = run.timed;
  json["track"] = static_cast<int>(run.track);
  if (!run.contender.asking.empty()) {
    json["asking"] = run.contender.asking;
    json["answers"] = run.answers;
  }
  return json.dump();
}

std::string calibration_key(const Run& run, const DataSet& data) {
  return calibration_json_of(run, data).dump();
}

double expected_work(const Run& run, const DataSet& data) {
  const Result<const MethodInfo*> info = method_info(run.contender.method);
  if (!info.ok()) return 0;
  const auto numbers = static_cast<double>(data.support.rows() * data.support.columns());
  const double steps = run.contender.deciding.contains("refit") ? 30
                       : calibrates_with(**info, "prototypes")  ? 10
                       : calibrates_with(**info, "steps")       ? 3
                       : run.contender.deciding.empty()         ? 0.1
                                                                : 1;
  return numbers * run.shape.support_share * steps;
}

CalibrationOptions calibration_options(const Run& run, const DataSet& data) {
  CalibrationOptions options;
  const Result<const MethodInfo*> found = method_info(run.contender.method);
  if (!found.ok()) return options;
  const MethodInfo* info = *found;
  options.method = run.contender.method;
  options.settings = run.contender.calibrating;
  options.reference = run.contender.reference;
  options.false_new = run.false_new;
  options.false_new_price = false;
  if (calibrates_with(*info, "seed") && !options.settings.contains("seed"))
    options.set("seed", std::to_string(run.seed));
  if (calibrates_with(*info, "names") && !data.class_vectors.empty())
    options.settings.emplace("names", data.class_vectors);
  return options;
}

Result<Model> calibrate_run(const Run& run, const DataSet& data, std::stop_token stop) {
  PACO_TRY(method_info(run.contender.method));
  SupportSet support = data.support_set();
  if (run.false_new == 0) {  // what was kept apart proves nothing then
    support.held_out = {};
    support.held_out_labels = {};
  }
  return calibrate(support, calibration_options(run, data), std::move(stop));
}

Result<RunResult> execute_run(const Run& run, const DataSet& data,
                              std::shared_ptr<const Model> model, const core::Clock& clock,
                              std::stop_token stop) {
  RunResult result;
  std::vector<CategoryId> predicted;
  std::size_t first = 0;
  if (run.contender.asking.empty()) {
    PACO_ASSIGN(const std::unique_ptr<Method> method,
                make_method(run.contender.method, model, {1, run.contender.deciding}));
    PACO_ASSIGN(const std::vector<Decision> decisions,
                decide(run, *method, data.stream, result, clock, stop));
    for (const Decision& d : decisions) predicted.push_back(d.category);
    if (run.track == TrackKind::birth || run.track == TrackKind::regions) {
      PACO_ASSIGN(result.track, decision_track(run.track, method->info(), decisions, data.truth,
                                               static_cast<std::int64_t>(data.class_names.size())));
    }
  } else {
    PACO_ASSIGN(AnsweredRun answered, decide_with_answers(run, data, model, stop));
    predicted = std::move(answered.shown);
    first = answered.first;
  }
  evaluate::EvaluationInput input;
  input.predicted = predicted;
  input.truth = std::span(data.truth).subspan(first);
  input.known_classes = static_cast<std::int64_t>(data.class_names.size());
  PACO_ASSIGN(const methods::Registration* registered, methods::find_method(run.contender.method));
  input.starts_empty = registered->starts_empty;
  evaluate::EvaluationOptions options;
  if (run.timed) options.resamples = 0;
  PACO_ASSIGN(const evaluate::Evaluation evaluated, evaluate::evaluate(input, options, stop));
  result.scores.push_back(scores_of(evaluated));
  for (const Matching& matching : std::span(kMatchings).subspan(1)) {
    options.resamples = 0;
    options.keep = matching.keep;
    options.match = matching.table;
    PACO_ASSIGN(const evaluate::Evaluation other, evaluate::evaluate(input, options, stop));
    result.scores.push_back(scores_of(other));
  }
  result.choose({});
  result.called_new = evaluated.scores.false_new.value();
  result.categories = evaluated.scores.clusters_seen;
  result.classes = evaluated.true_classes;
  // A few hundred points are as many as a picture shows.
  constexpr std::size_t kPoints = 300;
  const std::size_t step = std::max<std::size_t>(evaluated.births.size() / kPoints, 1);
  for (std::size_t i = 0; i < evaluated.births.size(); ++i) {
    if (i % step != 0 && i + 1 != evaluated.births.size()) continue;
    const evaluate::BirthPoint& p = evaluated.births[i];
    result.births.push_back({static_cast<std::int64_t>(p.sequence), p.categories, p.novel_classes});
  }
  result.memory = evaluated.scores.memory_size;
  if (registered->details != nullptr) {
    PACO_ASSIGN(const methods::MethodDetails details,
                registered->details(*model, run.contender.deciding));
    for (const methods::CalibratedThreshold& threshold : details.thresholds)
      result.regions.push_back(region(threshold.name, threshold.evidence));
    // Thresholds without scores that they were chosen from.
    for (const char* name : {"tau_lo", "tau_birth_sup"}) {
      if (!details.numbers.contains(name)) continue;
      const double value = details.numbers.at(name).get<double>();
      result.regions.push_back({name, value, value, value, {}, {}});
    }
  }
  return result;
}

void RunResult::choose(const Matching& matching) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!(kMatchings[i] == matching)) continue;
    strict = scores[i].strict;
    greedy = scores[i].greedy;
  }
}

std::string result_to_text(const RunResult& r, const std::string& key) {
  Json json = {{"key", key},
               {"scores", Json::array()},
               {"called_new", optional_json(r.called_new)},
               {"categories", r.categories},
               {"memory", r.memory},
               {"classes", r.classes},
               {"births", r.births},
               {"calibrate_seconds", r.calibrate_seconds},
               {"decide_seconds", r.decide_seconds},
               {"median_microseconds", r.median_microseconds},
               {"p99_microseconds", r.p99_microseconds}};
  for (const ScoresByProtocol& one : r.scores)
    json["scores"].push_back({shares_json(one.strict), shares_json(one.greedy)});
  json["track"] = {{"columns", r.track.columns}, {"rows", r.track.rows}};
  Json& regions = json["regions"] = Json::array();
  for (const Region& region : r.regions) {
    regions.push_back({{"name", region.name},
                       {"value", region.value},
                       {"low", region.low},
                       {"high", region.high},
                       {"positives", region.positives},
                       {"negatives", region.negatives}});
  }
  return json.dump() + "\n";
}

std::optional<RunResult> result_from_text(std::string_view text, const std::string& key) {
  try {
    const Json json = Json::parse(text);
    if (json.at("key").get<std::string>() != key) return std::nullopt;
    RunResult r;
    for (const Json& one : json.at("scores"))
      r.scores.push_back({shares_from(one.at(0)), shares_from(one.at(1))});
    if (r.scores.size() != std::size(kMatchings)) return std::nullopt;
    r.choose({});
    r.track.columns = json.at("track").at("columns").get<std::vector<std::string>>();
    for (const Json& row : json.at("track").at("rows")) {
      std::vector<double>& numbers = r.track.rows.emplace_back();
      for (const Json& value : row)  // NaN is written as null
        numbers.push_back(value.is_null() ? std::nan("") : value.get<double>());
    }
    if (!json.at("called_new").is_null()) r.called_new = json.at("called_new").get<double>();
    r.categories = json.at("categories").get<std::int64_t>();
    r.memory = json.at("memory").get<std::int64_t>();
    r.classes = json.at("classes").get<std::int64_t>();
    r.births = json.at("births").get<std::vector<std::array<std::int64_t, 3>>>();
    r.calibrate_seconds = json.at("calibrate_seconds").get<double>();
    r.decide_seconds = json.at("decide_seconds").get<double>();
    r.median_microseconds = json.at("median_microseconds").get<double>();
    r.p99_microseconds = json.at("p99_microseconds").get<double>();
    for (const Json& one : json.at("regions")) {
      r.regions.push_back({one.at("name").get<std::string>(), one.at("value").get<double>(),
                           one.at("low").get<double>(), one.at("high").get<double>(),
                           one.at("positives").get<std::vector<std::int64_t>>(),
                           one.at("negatives").get<std::vector<std::int64_t>>()});
    }
    return r;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace paco::study
