// Headline counts, memory and model: the parts that a reader sees first.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "evaluate/contingency.hpp"
#include "evaluate/quantile.hpp"
#include "methods/registry.hpp"
#include "report/sections.hpp"

namespace paco::report {

namespace {

// A reader cannot use more rows than this. The page states how many were left out.
constexpr std::size_t kMaxCategoryRows = 2000;

bool is_known(const ReportInput& input, CategoryId id) {
  return id < static_cast<CategoryId>(input.known_classes);
}

// The true class that most samples have, and the number of samples with it.
struct MainTruth {
  std::int64_t label = 0;
  std::int64_t samples = 0;
  std::int64_t judged = 0;  // samples whose true class is known
};

// By class or category; entries without truth are left out.
std::unordered_map<CategoryId, MainTruth> main_truths(const evaluate::Contingency& table) {
  std::unordered_map<CategoryId, MainTruth> result;
  // Labels are ascending within a cluster, so ties go to the lower one.
  for (const evaluate::Contingency::Entry& entry : table.entries) {
    MainTruth& main = result[table.clusters[entry.cluster]];
    main.judged += entry.count;
    if (entry.count <= main.samples) continue;
    main.label = table.labels[entry.label];
    main.samples = entry.count;
  }
  return result;
}

void add_truth(Json& row, const std::unordered_map<CategoryId, MainTruth>& truths, CategoryId id) {
  const auto found = truths.find(id);
  if (found == truths.end()) return;
  row["truth"] = found->second.label;
  row["truth_samples"] = found->second.samples;
  row["judged"] = found->second.judged;
}

Json quality_json(const ReferenceQuality& quality) {
  if (!quality.available) return nullptr;
  return {{"accuracy", quality.accuracy}, {"mean_margin", quality.mean_margin}};
}

// Adds how often each choice of an evidence field was made, by name. Adds nothing if there is no
// such field.
void add_choices(const ReportView& view, std::string_view field, Json& result, const char* key) {
  const int place = view.place(field);
  if (place < 0) return;
  const std::vector<std::string>& names =
      view.input.fields[static_cast<std::size_t>(place)].choices;
  for (std::size_t c = 0; c < names.size(); ++c)
    result[key][names[c]] = view.total(place).chosen[c];
}

std::optional<std::int64_t> mature_size_of(const ReportView& view) {
  return view.details ? view.details->mature_size : std::nullopt;
}

}  // namespace

Json stream_section(const ReportView& view) {
  const ReportInput& input = view.input;
  const StreamTotals& stream = view.stream;
  const int tau = view.place("tau_birth");
  const int tau_after = input.has_trace ? view.place("tau_birth_after") : -1;
  const auto mature_size = mature_size_of(view);
  std::int64_t categories = 0;
  std::int64_t singletons = 0;
  std::int64_t mature = 0;
  for (const auto& [id, entry] : stream.by_category) {
    if (is_known(input, id)) continue;
    ++categories;
    singletons += entry.size == 1;
    mature += mature_size && entry.size >= *mature_size;
  }
  Json result;
  result["samples"] = stream.size();
  result["first"] = stream.first;  // not 0 if a stream was resumed
  result["known_classes"] = input.known_classes;
  result["categories"] = categories;
  result["singletons"] = singletons;
  result["mature"] = mature_size ? Json(mature) : Json();
  for (std::size_t v = 0; v < stream.verdicts.size(); ++v)
    result["verdicts"][std::string(verdict_name(static_cast<Verdict>(v)))] = stream.verdicts[v];
  add_choices(view, "branch", result, "branches");
  add_choices(view, "route", result, "routes");
  if (tau >= 0) {
    const EvidenceTotal& before = view.total(tau);
    const EvidenceTotal& after = view.total(tau_after >= 0 ? tau_after : tau);
    result["tau_birth"] = after.last;
    result["lowest_tau_birth"] = std::min(before.lowest, after.lowest);
  }
  if (const int eta = view.place("eta_after"); input.has_trace && eta >= 0)
    result["eta"] = view.total(eta).last;
  if (!stream.microseconds.empty()) {
    std::vector<double> times = stream.microseconds;
    std::erase_if(times, [](double time) { return !std::isfinite(time); });
    std::sort(times.begin(), times.end());
    result["microseconds"] = {{"median", evaluate::sorted_quantile(times, 0.5)},
                              {"p99", evaluate::sorted_quantile(times, 0.99)}};
  }
  return result;
}

Json memory_section(const ReportView& view) {
  const ReportInput& input = view.input;
  const auto& entries = view.stream.by_category;
  evaluate::Contingency table;
  if (!input.truth.empty()) table = evaluate::count_pairs(view.stream.categories, input.truth);
  const auto truths = main_truths(table);
  Json classes = Json::array();
  for (std::size_t k = 0; k < input.known_classes; ++k) {
    const auto found = entries.find(static_cast<CategoryId>(k));
    Json row = {{"id", k}, {"name", std::to_string(k)}, {"size", 0}};
    if (found != entries.end()) {
      row["name"] = found->second.name;
      row["size"] = found->second.size;
      add_truth(row, truths, found->first);
    }
    if (input.model != nullptr && k < input.model->known_classes()) {
      row["name"] = input.model->class_names[k];
      row["support"] = input.model->class_sizes[k];
    }
    classes.push_back(std::move(row));
  }

  std::vector<std::pair<CategoryId, const CategoryTotal*>> categories;
  for (const auto& [id, entry] : entries) {
    if (!is_known(input, id)) categories.emplace_back(id, &entry);
  }
  // Largest first; ties in order of birth, which is the order of the ids.
  std::sort(categories.begin(), categories.end(), [](const auto& a, const auto& b) {
    return a.second->size != b.second->size ? a.second->size > b.second->size : a.first < b.first;
  });
  Json sizes = Json::array();
  for (const auto& [id, entry] : categories) sizes.push_back(entry->size);
  const std::size_t left_out =
      categories.size() > kMaxCategoryRows ? categories.size() - kMaxCategoryRows : 0;
  categories.resize(categories.size() - left_out);
  Json rows = Json::array();
  const auto mature_size = mature_size_of(view);
  for (const auto& [id, entry] : categories) {
    Json row = {{"id", id}, {"name", entry->name}, {"size", entry->size}, {"last", entry->last}};
    if (entry->born) row["birth"] = entry->first;
    if (mature_size) row["mature"] = entry->size >= *mature_size;
    add_truth(row, truths, id);
    rows.push_back(std::move(row));
  }
  // By label, only for the labels that occur, because a label can be any number.
  Json names = Json::object();
  for (const std::int64_t label : table.labels) {
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
  if (view.details) result.update(view.details->numbers);
  result["reference"] = reference_choice_name(model.reference);
  result["prototype"] = quality_json(model.prototype_quality);
  result["classifier"] = quality_json(model.classifier_quality);
  if (view.details) {
    result["options"] = view.details->options;
    return result;
  }
  Json& options = result["options"] = {{"epsilon", model.epsilon}};
  const auto section =
      model.section(view.input.method ? view.input.method->info().section : model.method);
  if (!section.ok()) return result;
  for (const auto& [name, value] : (*section)->settings) options[name] = value;
  result["numbers"] = Json((*section)->numbers);
  // Adds the method's own summary of the section, if it has one.
  const auto method =
      methods::find_method(view.input.method ? view.input.method->info().name : model.method);
  if (!method.ok() || (*method)->summarise == nullptr) return result;
  if (const auto summary = (*method)->summarise(model); summary.ok())
    result["learned"] = summary->json;
  return result;
}

}  // namespace paco::report
