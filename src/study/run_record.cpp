#include "study/run_record.hpp"

#include <nlohmann/json.hpp>

namespace paco::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json ends(const std::optional<evaluate::Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json shares_json(const Shares& shares, bool ties) {
  Json json = {
      {"all", number(shares.all)}, {"old", number(shares.old)}, {"new", number(shares.novel)}};
  if (ties) {
    json["old_ties"] = ends(shares.old_ties);
    json["new_ties"] = ends(shares.novel_ties);
  }
  return json;
}

Json opening(const std::string& label) { return {{"format", kRecordFormat}, {"label", label}}; }

// Every option of the method with its value in this run; `settings` has those that were chosen.
Json options_json(const Run& run, const Json& settings) {
  Json options = Json::object();
  const Result<const MethodInfo*> info = method_info(run.contender.method);
  if (!info.ok()) return options;
  for (const MethodOption& option : (*info)->options)
    options[std::string(option.name)] = std::string(option.preset);
  if (options.contains("seed")) options["seed"] = std::to_string(run.seed);
  options.update(settings);
  return options;
}

std::string_view order_name(StreamOrder order) {
  switch (order) {
    case StreamOrder::shuffled:
      return "shuffled";
    case StreamOrder::by_class:
      return "by_class";
    case StreamOrder::drifting:
      return "drifting";
    default:
      return "given";
  }
}

}  // namespace

Json place_json(const RunPlace& place) {
  return {{"version", place.version},
          {"commit", place.commit},
          {"time", place.time},
          {"machine", {{"processor", place.processor}, {"cores", place.cores}}}};
}

Json run_record(const Run& run, const RunResult& result, const DataSet& data,
                const Matching& matching, const RunPlace& place) {
  Json json = opening(run.contender.label);
  json["method"] = run.contender.method;
  Json settings = Json::object();
  for (const auto* stage : {&run.contender.calibrating, &run.contender.deciding}) {
    for (const auto& [name, value] : *stage) settings[name] = value;
  }
  json["options"] = options_json(run, settings);
  json["settings"] = std::move(settings);
  Json varied = Json::object();
  for (const auto& [factor, value] : run.factors) varied[factor] = value;
  json["varied"] = std::move(varied);
  json["data"] = {{"name", data.name},
                  {"digest", data.digest},
                  {"split_digest", data.split_digest.empty() ? Json() : Json(data.split_digest)},
                  {"embedding", data.embedding.empty() ? Json() : Json::parse(data.embedding)},
                  {"support", data.support.rows()},
                  {"stream", data.stream.rows()},
                  {"known_classes", data.class_names.size()},
                  {"true_classes", result.classes}};
  json["seed"] = run.seed;
  json["order"] = order_name(run.shape.order);
  json["support_draw"] = run.shape.redraw ? Json(run.shape.draw) : Json();
  json["keep"] = evaluate::keep_name(matching.keep);
  json["match"] = evaluate::match_table_name(matching.table);
  json["scores"] = {{"strict", shares_json(result.strict, true)},
                    {"greedy", shares_json(result.greedy, false)}};
  json["counts"] = {{"categories", result.categories}, {"memory", result.memory}};
  json["seconds"] = {{"calibrate", result.calibrate_seconds}, {"decide", result.decide_seconds}};
  json.update(place_json(place));
  return json;
}

Json evaluation_record(const evaluate::Evaluation& evaluation, const EvaluationRecord& about,
                       const RunPlace& place) {
  const auto shares = [](const evaluate::SplitAccuracy& s) {
    return Shares{s.all.value(), s.old.value(), s.novel.value(), {}, {}, {}};
  };
  const evaluate::Scores& scores = evaluation.scores;
  Shares strict = shares(scores.strict);
  strict.old_ties = scores.strict_old_ties;
  strict.novel_ties = scores.strict_novel_ties;
  Json json = opening(about.label);
  json["data"] = {{"name", about.data},
                  {"split_digest", about.split_digest.empty() ? Json() : Json(about.split_digest)},
                  {"stream", evaluation.samples},
                  {"with_truth", evaluation.samples_with_truth},
                  {"known_classes", evaluation.known_classes},
                  {"true_classes", evaluation.true_classes}};
  json["keep"] = evaluate::keep_name(evaluation.options.keep);
  json["match"] = evaluate::match_table_name(evaluation.options.match);
  json["scores"] = {{"strict", shares_json(strict, true)},
                    {"greedy", shares_json(shares(scores.greedy), false)}};
  json["counts"] = {{"categories", scores.clusters_seen}};
  json.update(place_json(place));
  return json;
}

}  // namespace paco::study
