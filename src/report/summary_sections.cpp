// Headline counts, memory and model: what a reader looks at first.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "registry/registry.hpp"
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
    entry.born |= sample.decision.verdict == Verdict::created;
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

// How often each choice of an evidence field was made, by name; nothing without that field.
void add_choices(const ReportView& view, std::string_view field, Json& result, const char* key) {
  const int place = view.place(field);
  if (place < 0) return;
  const std::vector<std::string>& names =
      view.input.fields[static_cast<std::size_t>(place)].choices;
  std::vector<std::int64_t> counts(names.size());
  for (std::size_t i = 0; i < view.input.samples.size(); ++i) {
    const double value = view.value(i, place);
    if (value >= 0 && value < static_cast<double>(counts.size()))
      ++counts[static_cast<std::size_t>(value)];
  }
  for (std::size_t c = 0; c < names.size(); ++c) result[key][names[c]] = counts[c];
}

void add_thresholds(const PacoParameters& p, Json& result) {
  result["log_p0"] = p.log_p0;
  result["tau_lo"] = p.tau_lo;
  result["tau_birth_sup"] = p.tau_birth_sup;
  result["sigma_pos"] = p.sigma_pos;
  result["base_median"] = p.base_median;
  result["mature_size"] = p.mature_size();
  result["hi"] = evidence_json(p.hi);
  result["birth"] = evidence_json(p.birth);
  result["create"] = evidence_json(p.create);
}

Json options_json(const PacoOptions& options, double epsilon) {
  return {{"temperature", options.temperature},
          {"alpha", options.alpha},
          {"beta", options.beta},
          {"spread", options.spread},
          {"epsilon", epsilon},
          {"replays", options.replays},
          {"seed", options.seed},
          {"tie", tie_name(options.tie)},
          {"routing", options.routing},
          {"adaptive_birth", options.adaptive_birth}};
}

}  // namespace

ReportView::ReportView(const ReportInput& given) : input(given) {
  branch_ = place("branch");
  if (input.model == nullptr || !has("tau_birth")) return;
  auto parameters =
      paco_parameters(*input.model, input.method ? input.method->settings() : Settings());
  if (!parameters.ok()) return;  // a model that was made for another method
  paco = std::move(parameters).value();
  shift = paco->log_p0;
}

int ReportView::place(std::string_view field) const {
  for (std::size_t i = 0; i < input.fields.size(); ++i) {
    if (input.fields[i].name == field) return static_cast<int>(i);
  }
  return -1;
}

std::size_t ReportView::way(std::size_t sample) const {
  const double branch = value(sample, branch_);
  if (branch_ < 0) return static_cast<std::size_t>(decision(sample).verdict);
  return branch >= 0 && branch < static_cast<double>(ways()) ? static_cast<std::size_t>(branch) : 0;
}

std::size_t ReportView::ways() const {
  constexpr std::size_t kVerdicts = 4;
  return branch_ < 0 ? kVerdicts : input.fields[static_cast<std::size_t>(branch_)].choices.size();
}

Json stream_section(const ReportView& view) {
  const ReportInput& input = view.input;
  const std::size_t n = input.samples.size();
  double lowest = std::numeric_limits<double>::infinity();
  std::vector<double> latency;
  std::int64_t verdicts[4] = {};
  const int tau = view.place("tau_birth");
  const int tau_after = input.has_trace ? view.place("tau_birth_after") : -1;
  for (std::size_t i = 0; i < n; ++i) {
    ++verdicts[static_cast<int>(view.decision(i).verdict)];
    for (const int place : {tau, tau_after}) {
      if (std::isfinite(view.value(i, place))) lowest = std::min(lowest, view.value(i, place));
    }
    if (std::isfinite(input.samples[i].microseconds))
      latency.push_back(input.samples[i].microseconds);
  }
  std::int64_t categories = 0;
  std::int64_t singletons = 0;
  std::int64_t mature = 0;
  for (const auto& [id, entry] : tally(input)) {
    if (is_known(input, id)) continue;
    ++categories;
    singletons += entry.size == 1;
    mature += view.paco && entry.size >= view.paco->mature_size();
  }
  Json result;
  result["samples"] = input.samples.size();
  result["first"] = input.samples.front().decision.sequence;  // not 0 where a stream was resumed
  result["known_classes"] = input.known_classes;
  result["categories"] = categories;
  result["singletons"] = singletons;
  result["mature"] = view.paco ? Json(mature) : Json();
  for (int v = 0; v < 4; ++v)
    result["verdicts"][std::string(verdict_name(static_cast<Verdict>(v)))] = verdicts[v];
  add_choices(view, "branch", result, "branches");
  add_choices(view, "route", result, "routes");
  if (tau >= 0) {
    result["tau_birth"] = view.value(n - 1, tau_after >= 0 ? tau_after : tau);
    result["lowest_tau_birth"] = lowest;
  }
  if (const int eta = view.place("eta_after"); input.has_trace && eta >= 0)
    result["eta"] = view.value(n - 1, eta);
  if (!latency.empty()) {
    std::sort(latency.begin(), latency.end());
    result["microseconds"] = {{"median", sorted_quantile(latency, 0.5)},
                              {"p99", sorted_quantile(latency, 0.99)}};
  }
  return result;
}

Json memory_section(const ReportView& view) {
  const ReportInput& input = view.input;
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
    if (view.paco) row["mature"] = entry->size >= view.paco->mature_size();
    add_truth(row, *entry);
    rows.push_back(std::move(row));
  }
  // By label, for those that occur: a label may be any number.
  Json names = Json::object();
  for (const std::int64_t label : std::set<std::int64_t>(input.truth.begin(), input.truth.end())) {
    if (label == kNoTruth) continue;
    const auto at = static_cast<std::size_t>(label);
    names[std::to_string(label)] =
        at < input.truth_names.size() ? input.truth_names[at] : std::to_string(label);
  }
  return {{"classes", std::move(classes)},
          {"categories", std::move(rows)},
          {"left_out", left_out},
          {"sizes", std::move(sizes)},
          {"truth_names", std::move(names)}};
}

Json model_section(const ReportView& view) {
  const Model& model = *view.input.model;
  Json result;
  result["dimension"] = model.dimension;
  std::int64_t support = 0;
  for (const std::int64_t size : model.class_sizes) support += size;
  result["support_samples"] = support;
  if (view.paco) add_thresholds(*view.paco, result);
  result["reference"] = reference_choice_name(model.reference);
  result["prototype"] = quality_json(model.prototype_quality);
  result["classifier"] = quality_json(model.classifier_quality);
  if (view.paco) {
    result["options"] = options_json(view.paco->options, model.epsilon);
    return result;
  }
  Json& options = result["options"] = {{"epsilon", model.epsilon}};
  const auto section =
      model.section(view.input.method ? view.input.method->info().section : model.method);
  if (!section.ok()) return result;
  for (const auto& [name, value] : (*section)->settings) options[name] = value;
  result["numbers"] = Json((*section)->numbers);
  // What its method makes of the section, where it has more to show than numbers.
  const auto method =
      find_method(view.input.method ? view.input.method->info().name : model.method);
  if (!method.ok() || (*method)->summarise == nullptr) return result;
  if (const auto summary = (*method)->summarise(model); summary.ok())
    result["learned"] = summary->json;
  return result;
}

}  // namespace paco
