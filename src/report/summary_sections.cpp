// Headline counts, memory and model: what a reader looks at first.
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "report/histogram.hpp"
#include "report/sections.hpp"

namespace paco {

namespace {

// More rows than this nobody reads; the page says how many were left out.
constexpr std::size_t kMaxCategoryRows = 2000;

// What one class or category of the stream holds.
struct Tally {
  CategoryId id = 0;
  std::string name;
  std::int64_t size = 0;
  std::uint64_t first = 0;  // arrival number
  std::uint64_t last = 0;
  bool born = false;                           // created within this stream
  std::map<std::int64_t, std::int64_t> truth;  // true class -> samples
};

std::map<CategoryId, Tally> tally(const ReportInput& input) {
  std::map<CategoryId, Tally> result;
  for (std::size_t i = 0; i < input.samples.size(); ++i) {
    const ReportSample& sample = input.samples[i];
    Tally& entry = result[sample.decision.category];
    if (entry.size == 0) {
      entry.id = sample.decision.category;
      entry.name = sample.name;
      entry.first = sample.decision.sequence;
    }
    entry.born |= sample.decision.branch == Branch::create;
    entry.last = sample.decision.sequence;
    ++entry.size;
    if (!input.truth.empty() && input.truth[i] != kNoTruth) ++entry.truth[input.truth[i]];
  }
  return result;
}

bool is_known(const ReportInput& input, CategoryId id) {
  return id < static_cast<CategoryId>(input.known_classes);
}

// The true class most samples have, ties to the lower id, and how many that are.
void add_truth(Json& row, const Tally& entry) {
  if (entry.truth.empty()) return;
  std::int64_t judged = 0;
  auto best = entry.truth.begin();
  for (auto it = entry.truth.begin(); it != entry.truth.end(); ++it) {
    judged += it->second;
    if (it->second > best->second) best = it;
  }
  row["truth"] = best->first;
  row["truth_samples"] = best->second;
  row["judged"] = judged;
}

Json evidence_json(const ThresholdEvidence& evidence) {
  return {{"value", evidence.value},
          {"balanced_accuracy", evidence.balanced_accuracy},
          {"interval", {evidence.interval_low, evidence.interval_high}},
          {"positives", evidence.positives.size()},
          {"negatives", evidence.negatives.size()}};
}

Json quality_json(const ReferenceQuality& quality) {
  if (!quality.available) return nullptr;
  return {{"accuracy", quality.accuracy}, {"mean_margin", quality.mean_margin}};
}

}  // namespace

double score_shift(const ReportInput& input) {
  return input.model == nullptr ? 0.0 : input.model->log_p0;
}

Json stream_section(const ReportInput& input) {
  std::int64_t branches[4] = {};
  std::int64_t routes[3] = {};
  double lowest = std::numeric_limits<double>::infinity();
  std::vector<double> latency;
  for (const ReportSample& sample : input.samples) {
    ++branches[static_cast<int>(sample.decision.branch)];
    ++routes[static_cast<int>(sample.decision.route)];
    lowest = std::min(lowest, sample.decision.tau_birth);
    if (input.has_trace) lowest = std::min(lowest, sample.decision.tau_birth_after);
    if (std::isfinite(sample.microseconds)) latency.push_back(sample.microseconds);
  }
  std::int64_t categories = 0;
  std::int64_t singletons = 0;
  std::int64_t mature = 0;
  for (const auto& [id, entry] : tally(input)) {
    if (is_known(input, id)) continue;
    ++categories;
    singletons += entry.size == 1;
    mature += input.model != nullptr && entry.size >= input.model->mature_size();
  }
  const ReportSample& last = input.samples.back();
  Json result;
  result["samples"] = input.samples.size();
  result["first"] = input.samples.front().decision.sequence;  // not 0 where a stream was resumed
  result["known_classes"] = input.known_classes;
  result["categories"] = categories;
  result["singletons"] = singletons;
  result["mature"] = input.model == nullptr ? Json() : Json(mature);
  for (const Branch branch :
       {Branch::known_only, Branch::explained, Branch::attach, Branch::create}) {
    result["branches"][std::string(branch_name(branch))] = branches[static_cast<int>(branch)];
  }
  for (const Route route : {Route::known_only, Route::categories_only, Route::all}) {
    result["routes"][std::string(route_name(route))] = routes[static_cast<int>(route)];
  }
  result["tau_birth"] = input.has_trace ? last.decision.tau_birth_after : last.decision.tau_birth;
  result["lowest_tau_birth"] = lowest;
  if (input.has_trace) result["eta"] = last.decision.eta_after;
  if (!latency.empty()) {
    std::sort(latency.begin(), latency.end());
    result["microseconds"] = {{"median", sorted_quantile(latency, 0.5)},
                              {"p99", sorted_quantile(latency, 0.99)}};
  }
  return result;
}

Json memory_section(const ReportInput& input) {
  const std::map<CategoryId, Tally> entries = tally(input);
  Json classes = Json::array();
  for (std::size_t k = 0; k < input.known_classes; ++k) {
    const auto found = entries.find(static_cast<CategoryId>(k));
    Json row = {{"id", k}, {"name", std::to_string(k)}, {"size", 0}};
    if (found != entries.end()) {
      row["name"] = found->second.name;
      row["size"] = found->second.size;
      add_truth(row, found->second);
    }
    if (input.model != nullptr && k < input.model->known_classes()) {
      row["name"] = input.model->class_names[k];
      row["support"] = input.model->class_sizes[k];
    }
    classes.push_back(std::move(row));
  }

  std::vector<const Tally*> categories;
  for (const auto& [id, entry] : entries) {
    if (!is_known(input, id)) categories.push_back(&entry);
  }
  // Largest first; ties in order of birth, which is the order of the ids.
  std::stable_sort(categories.begin(), categories.end(),
                   [](const Tally* a, const Tally* b) { return a->size > b->size; });
  Json sizes = Json::array();
  for (const Tally* entry : categories) sizes.push_back(entry->size);
  const std::size_t left_out =
      categories.size() > kMaxCategoryRows ? categories.size() - kMaxCategoryRows : 0;
  categories.resize(categories.size() - left_out);
  Json rows = Json::array();
  for (const Tally* entry : categories) {
    Json row = {
        {"id", entry->id}, {"name", entry->name}, {"size", entry->size}, {"last", entry->last}};
    if (entry->born) row["birth"] = entry->first;
    if (input.model != nullptr) row["mature"] = entry->size >= input.model->mature_size();
    add_truth(row, *entry);
    rows.push_back(std::move(row));
  }
  Json names = Json::array();
  if (!input.truth.empty()) {
    const std::int64_t top = *std::max_element(input.truth.begin(), input.truth.end());
    for (std::int64_t label = 0; label <= top; ++label) {
      const auto at = static_cast<std::size_t>(label);
      names.push_back(at < input.truth_names.size() ? input.truth_names[at]
                                                    : std::to_string(label));
    }
  }
  return {{"classes", std::move(classes)},
          {"categories", std::move(rows)},
          {"left_out", left_out},
          {"sizes", std::move(sizes)},
          {"truth_names", std::move(names)}};
}

Json model_section(const ReportInput& input) {
  const Model& model = *input.model;
  Json result;
  result["dimension"] = model.dimension;
  result["support_samples"] = 0;
  std::int64_t support = 0;
  for (const std::int64_t size : model.class_sizes) support += size;
  result["support_samples"] = support;
  result["log_p0"] = model.log_p0;
  result["tau_lo"] = model.tau_lo;
  result["tau_birth_sup"] = model.tau_birth_sup;
  result["sigma_pos"] = model.sigma_pos;
  result["base_median"] = model.base_median;
  result["mature_size"] = model.mature_size();
  result["hi"] = evidence_json(model.hi);
  result["birth"] = evidence_json(model.birth);
  result["create"] = evidence_json(model.create);
  result["reference"] = reference_choice_name(model.reference);
  result["prototype"] = quality_json(model.prototype_quality);
  result["classifier"] = quality_json(model.classifier_quality);
  const CalibrationOptions& options = model.options;
  result["options"] = {{"temperature", options.temperature},
                       {"alpha", options.alpha},
                       {"beta", options.beta},
                       {"spread", options.spread},
                       {"epsilon", options.epsilon},
                       {"replays", options.replays},
                       {"seed", options.seed},
                       {"tie", tie_name(options.tie)},
                       {"routing", options.routing},
                       {"adaptive_birth", options.adaptive_birth}};
  return result;
}

}  // namespace paco
